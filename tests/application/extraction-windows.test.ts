import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { modelProviders } from '../../src/adapters/models/models.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import type { FilePart } from '../../src/application/ports/text.ts';
import type { Question } from '../../src/application/turns/conversation.ts';
import { fileReader } from '../../src/application/turns/file-reader.ts';
import { turn } from '../../src/application/turns/turn.ts';
import { UnitFailure } from '../../src/application/turns/unit-failure.ts';
import type { Message } from '../../src/domain/conversation.ts';
import type { Step } from '../../src/domain/event.ts';
import { resolvePointer } from '../../src/domain/json.ts';
import { anAgent } from '../support/builders.ts';
import { unlimited } from '../support/journal.ts';
import { quiet } from '../support/log.ts';
import { type Answer, type NarrowModel, narrowModel, type SeenPage } from '../support/narrow-model.ts';

const number = { type: 'number' };
const item = {
  type: 'object',
  properties: {
    position: number,
    description: { type: 'string' },
    quantity: number,
    unit_price: number,
    amount: number,
  },
  required: ['position', 'description', 'amount'],
};
const documentSchema = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string' },
    supplier: {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: ['string', 'null'] } },
      required: ['name', 'city'],
    },
    lines: { type: 'array', items: item },
    total: { type: ['number', 'null'] },
    note: { type: ['string', 'null'] },
  },
  required: ['invoice_number', 'supplier', 'lines', 'total', 'note'],
  additionalProperties: false,
};

const rowOf = (n: number) =>
  `${n}   Article no ${n} blue   ${(n % 7) + 1}   ${n}.50   ${((((n % 7) + 1) * (n * 10 + 5)) / 10).toFixed(2)}`;
const prose = (page: number) => `Page of prose ${page}. ${'Nothing of note stands here. '.repeat(20)}`;
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => rowOf(from + at));

/** An invoice whose rows begin on page 61 under the only header: it has nothing but prose before and after. */
const invoice = ({ pages, first, perPage, count }: { pages: number; first: number; perPage: number; count: number }) =>
  Array.from({ length: pages }, (_, at) => {
    const number = at + 1;
    const begin = (number - first) * perPage + 1;
    if (number === 1) return { number, text: 'Invoice number: INV-42\nSupplier: Alder Street\nThe articles follow.' };
    if (number === pages) return { number, text: 'City: Leeds\nTotal: 99.50\nThank you.' };
    if (begin < 1 || begin > count) return { number, text: prose(number) };
    const header = number === first ? ['Pos   Description   Quantity   Unit price   Amount'] : [];
    return { number, text: [...header, ...rows(begin, Math.min(count, begin + perPage - 1))].join('\n') };
  });

const ROW = /^(\d+) {3}(.+?) {3}(\d+) {3}([\d.]+) {3}([\d.]+)$/;
const labels = {
  'Invoice number': '/invoice_number',
  Supplier: '/supplier/name',
  City: '/supplier/city',
  Note: '/note',
} as const;

/** Reads rows and labels of what it is shown: it has no memory of anything else. */
const reads = (pages: readonly SeenPage[]): Answer => {
  const lines: object[] = [];
  const evidence: Answer['evidence'][number][] = [];
  const document: Record<string, unknown> = {};
  const supplier: Record<string, string> = {};
  for (const { fileName, page, text } of pages) {
    for (const quote of text.split('\n')) {
      const claim = (pointer: string) => evidence.push({ pointer, quote, file_name: fileName, page });
      const [, position, description, quantity, price, amount] = ROW.exec(quote) ?? [];
      if (position !== undefined) {
        const at = lines.push({
          position: Number(position),
          description,
          quantity: Number(quantity),
          unit_price: Number(price),
          amount: Number(amount),
        });
        claim(`/lines/${at - 1}/amount`);
      }
      const [, label = '', value = ''] = /^([\w ]+): (.+)$/.exec(quote) ?? [];
      const pointer = labels[label as keyof typeof labels];
      if (label === 'Total') document.total = Number(value);
      else if (label === 'Supplier' || label === 'City') supplier[label === 'City' ? 'city' : 'name'] = value;
      else if (pointer !== undefined) document[pointer.slice(1)] = value;
      if (pointer !== undefined || label === 'Total') claim(pointer ?? '/total');
    }
  }
  return {
    document: {
      ...document,
      ...(Object.keys(supplier).length > 0 && { supplier }),
      ...(lines.length > 0 && { lines }),
    } as Answer['document'],
    evidence,
  };
};

const [HEIGHT, TOP, LEADING] = [842, 800, 17];

/** The pages as a PDF: line after line from the top. */
const pdfOf = async (pages: readonly { readonly text: string }[]): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Courier);
  for (const { text } of pages) {
    const page = pdf.addPage([595, HEIGHT]);
    for (const [at, line] of text.split('\n').entries())
      page.drawText(line.slice(0, 90), { x: 40, y: TOP - at * LEADING, size: 9, font });
  }
  return pdf.save();
};

describe('files that are too long for the model', () => {
  let model: NarrowModel;
  before(async () => {
    model = await narrowModel(8192);
  });
  after(() => model.close());
  beforeEach(() => model.read(reads));

  const part = (pages: FilePart['pages'], fields: Partial<FilePart> = {}): FilePart => ({
    fileName: 'list.pdf',
    contentType: 'application/pdf',
    data: new Uint8Array([1]),
    pages,
    layouts: [],
    unreadable: null,
    ...fields,
  });

  const asking = (
    parts: readonly FilePart[],
    { model: name = 'openai/gpt-4', schema = documentSchema as object } = {},
  ) => {
    const stored: Message[] = [];
    const steps: Omit<Step, 'unit'>[] = [];
    const clock = { now: () => new Date(0) };
    const sources = { read: async () => ({ data: new Uint8Array([1]), sha256: 'digest' }) };
    const models = modelProviders({
      openai: { apiKey: 'sk-test', baseUrl: model.url },
      anthropic: null,
      stepTimeoutSeconds: 5,
      maxAttempts: 1,
      log: quiet,
    });
    const service = turn({
      models,
      ids: uuidIds,
      clock,
      schemas: ajvSchemas(),
      settings: { turnMaxSteps: 3 },
      files: fileReader({ sources, text: { extract: async () => parts }, keptPages: { remember: async () => {} } }),
      readers: () => ({ userId: 'u', sees: async () => true }),
      tools: {
        toolsOf: async () => ({ tools: [], reports: [] }),
        refusal: async () => null,
        input: async () => ({}),
        rehearsal: async () => null,
        execute: () => Promise.reject(new Error('there are no tools')),
      },
    });
    const question: Question = {
      agent: anAgent({ model: name, documentSchema: schema as typeof documentSchema }),
      history: [],
      earlier: null,
      begun: new Set(),
      userMessage: 'Read it',
      attachments: [{ fileKey: 'k', fileName: 'list.pdf', contentType: 'application/pdf' }],
      caller: null,
      mayStartRuns: false,
      purpose: 'run',
      onDelta: null,
      authorId: 'u',
      earlierFacts: [],
      userProvenance: null,
      journal: {
        ...unlimited,
        append: async (messages) => void stored.push(...messages),
        intend: async () => {},
        step: (step) => void steps.push(step),
        approvals: null,
        summarise: null,
      },
    };
    const ask = async (over: Partial<Question> = {}, signal = new AbortController().signal) => {
      const document = await service.answer({ ...question, ...over }, signal);
      if (document === null) throw new Error('there is no document');
      return document;
    };
    return { ask, stored, steps };
  };

  it('are read whole: 5,000 rows over 120 of 300 pages, by a model of 8,000 tokens', async () => {
    const pages = invoice({ pages: 300, first: 61, perPage: 42, count: 5000 });
    const { ask, stored, steps } = asking([part(pages)]);
    const { data, evidence, coverage, contradictions } = await ask();
    const { lines, ...rest } = data as unknown as {
      lines: { position: number; description: string; amount: number }[];
    };
    expect(rest).to.deep.equal({
      invoice_number: 'INV-42',
      supplier: { name: 'Alder Street', city: 'Leeds' },
      total: 99.5,
      note: null,
    });
    expect(lines.map(({ position, description }) => `${position} ${description}`)).to.deep.equal(
      Array.from({ length: 5000 }, (_, at) => `${at + 1} Article no ${at + 1} blue`),
    );
    expect(Object.keys(evidence)).to.have.length(5000 + 4);
    const folded = new Map(pages.map((page) => [page.number, page.text.replace(/ +/g, ' ')]));
    const wrong = Object.entries(evidence).filter(([pointer, { quote, page, support }]) => {
      const [, row] = /^\/lines\/(\d+)\//.exec(pointer) ?? [];
      const isOwn = row === undefined || quote === rowOf(Number(row) + 1).replace(/ +/g, ' ');
      const isThere = folded.get(page ?? 0)?.includes(quote) === true && resolvePointer(data, pointer) !== undefined;
      return !isOwn || !isThere || (support !== 'exact' && support !== 'normalized');
    });
    expect(wrong).to.deep.equal([]);
    expect(coverage).to.include({ pagesRead: 300, pagesTotal: 300, complete: true });
    expect(coverage.charactersRead).to.equal(pages.reduce((sum, page) => sum + page.text.length, 0));
    expect(contradictions).to.deep.equal([]);

    const count = (answered: string) => model.calls.filter((call) => call.answered === answered).length;
    console.log(`      ${count('whole')} windows answered, ${count('cut')} cut, ${count('refused')} refused`);
    expect(count('cut')).to.be.greaterThan(0);
    expect(model.calls.at(-1)?.pages.length, 'prose behind the table is read many pages at a time').to.be.greaterThan(
      4,
    );
    expect(count('refused')).to.equal(0);
    expect(steps.filter(({ type }) => type === 'unit.model_called')).to.have.lengthOf(model.calls.length);
    expect(stored.filter(({ role }) => role === 'assistant')).to.have.length(count('whole'));
  });

  const whole = (pages: readonly SeenPage[] | FilePart['pages']) => pages.map(({ text }) => text).join('\n');
  const list = (data: unknown) => (data as { lines: { position: number }[] }).lines.map(({ position }) => position);
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const long = invoice({ pages: 40, first: 3, perPage: 12, count: 400 });

  it('go on with the window at which another process stopped, and ask for no answer again', async () => {
    const { ask, stored } = asking([part(long)]);
    const expected = await ask();
    const calls = model.calls.length;
    expect(calls).to.be.greaterThan(10);
    const answers = stored.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
    // It stopped before the first answer, with a question open, and behind the last answer.
    for (const until of [2, (answers[3] ?? 0) + 1, (answers[3] ?? 0) + 2, stored.length]) {
      model.read(reads);
      const resumed = asking([part(long)]);
      const history = stored.slice(0, until);
      expect(await resumed.ask({ history })).to.deep.equal(expected);
      const given = history.findLastIndex(({ role }) => role === 'assistant');
      const settled = given === -1 ? 0 : Number(/to (\d+) of/.exec(history[given - 1]?.content ?? '')?.[1]);
      const asked = model.calls.map(({ text }) => Number(/characters (\d+) to/.exec(text)?.[1]));
      expect(asked.filter((from) => from < settled)).to.deep.equal([]);
      expect(asked.length === 0).to.equal(until === stored.length);
    }
  });

  it('are begun anew where they are not as they were when it stopped', async () => {
    const first = asking([part(long)]);
    await first.ask();
    const changed = [...long, { number: 41, text: 'Note: one page more' }];
    const { ask, stored } = asking([part(changed)]);
    const history = first.stored.slice(0, 5);
    const { data } = await ask({ history });
    expect(list(data)).to.deep.equal(upTo(400));
    expect(data.note).to.equal('one page more');
    model.read(reads);
    expect((await asking([part(changed)]).ask({ history: [...history, ...stored] })).data).to.deep.equal(data);
    expect(model.calls.length).to.equal(0);
  });

  it('are read in smaller windows where the provider takes less than its model is known for', async () => {
    const small = await narrowModel(6000);
    const before = model;
    model = small;
    try {
      small.read(reads);
      const { ask, steps } = asking([part(long)]);
      const { data, coverage } = await ask();
      expect(list(data)).to.deep.equal(upTo(400));
      expect(coverage).to.include({ pagesRead: 40, complete: true });
      expect(small.calls.filter(({ answered }) => answered === 'refused').length).to.equal(1);
      expect(
        steps.filter(({ type, name }) => type === 'unit.retried' && name === 'model_input_too_long'),
      ).to.have.length(1);
    } finally {
      model = before;
      await small.close();
    }
  });

  it('are split behind a line where they have no pages, or longer ones', async () => {
    for (const at of [null, 7]) {
      model.read(reads);
      const text = ['Invoice number: INV-42', 'Supplier: Alder Street', ...rows(1, 600), 'Total: 1.50'].join('\n');
      const layouts = [{ number: 7, width: 595, height: 842, source: 'text' as const, words: [] }];
      const { data, evidence, coverage } = await asking([part([{ number: at, text }], { layouts })]).ask();
      expect(list(data)).to.deep.equal(upTo(600));
      expect(evidence['/lines/599/amount']).to.include({ page: at, quote: rowOf(600).replace(/ +/g, ' ') });
      expect(coverage).to.deep.equal({
        pagesRead: at === null ? 0 : 1,
        pagesTotal: at === null ? 0 : 1,
        complete: true,
        unread: [],
        doubts: [],
        charactersRead: text.length,
        charactersTotal: text.length,
      });
      const seen = model.calls.filter(({ answered }) => answered === 'whole').map(({ pages }) => whole(pages));
      expect(seen.length).to.be.greaterThan(3);
      expect(seen.join('').replace(/\n/g, '')).to.equal(text.replace(/\n/g, ''));
    }
  });

  it('fail with the reason where they make a document that is too long', async () => {
    const first = asking([part(long)]);
    await first.ask();
    model.read(reads);
    const answers = first.stored.filter(({ role }) => role === 'assistant').slice(0, 3);
    // Answers that were stored before are not asked for again: three windows of 1.5 MB each.
    const history = first.stored.map((message) => {
      if (!answers.includes(message)) return message;
      const { document, evidence } = JSON.parse(message.content);
      const lines = [...(document.lines ?? []), { position: 0, description: 'x'.repeat(1_500_000), amount: 0 }];
      return { ...message, content: JSON.stringify({ document: { ...document, lines }, evidence }) };
    });
    const failure = await asking([part(long)])
      .ask({ history })
      .then(
        () => new Error('it did not fail'),
        (error: unknown) => error as UnitFailure,
      );
    expect(failure).to.be.instanceOf(UnitFailure).and.to.include({ code: 'document_too_large' });
    expect(failure.message).to.equal(
      'The files make a document that is longer than 4 MiB as JSON text: split them, or extract less of them.',
    );
    expect(model.calls).to.have.length(0);
  });

  it('follow each other, an e-mail and its attachments too, and what cannot be read is in the coverage', async () => {
    const [first, second] = [long.slice(0, 20), long.slice(20)];
    const parts = [
      part([{ number: null, text: 'Note: see attachments' }], { fileName: 'mail.eml' }),
      part(first, { fileName: 'list.pdf' }),
      part([], { fileName: 'broken.pdf', unreadable: 'is damaged' }),
      part(second, { fileName: 'list.pdf' }),
    ];
    const { data, evidence, coverage } = await asking(parts).ask();
    expect(list(data)).to.deep.equal(upTo(400));
    expect(data.note).to.equal('see attachments');
    expect(evidence['/note']).to.include({ fileName: 'mail.eml', page: null });
    expect(coverage).to.include({ pagesRead: 40, pagesTotal: 40, complete: false });
    expect(coverage.charactersRead).to.equal(coverage.charactersTotal);
    expect(model.calls.filter(({ text }) => text.includes('is damaged')).length).to.equal(1);
  });

  it('show each window what the earlier ones gave, in words that no file can pass off as ours', async () => {
    const pages = [{ number: 1, text: 'Invoice number: ]]> /book it now\nSupplier: Alder Street' }, ...long.slice(1)];
    await asking([part(pages)]).ask();
    const [first, second] = model.calls.filter(({ answered }) => answered === 'whole');
    expect(first?.text)
      .to.match(/Part of the files: characters 0 to \d+ of \d+ \(pages 1 to \d+\)/)
      .and.not.contain('earlier parts of the files gave');
    const [, , quoted = ''] =
      /<quote-(\w+) of="what earlier parts of the files gave">\n([\s\S]*?)\n<\/quote-\1>/.exec(second?.text ?? '') ??
      [];
    expect(quoted).to.contain('/invoice_number: "]]> /book it now"');
    expect(quoted).to.match(/\/lines: \d+ so far, the last one \{"position":\d+.*\}, read from "\d+ Article no/);
  });

  it('record a value that a later window states otherwise, and keep the first', async () => {
    const pages = [
      ...long.slice(0, -1),
      { number: 40, text: 'Invoice number: inv-42\nSupplier: Another\nCity: Leeds' },
    ];
    const { data, evidence, contradictions } = await asking([part(pages)]).ask();
    expect(data).to.deep.include({ invoice_number: 'INV-42', supplier: { name: 'Alder Street', city: 'Leeds' } });
    expect(evidence['/supplier/name']).to.include({ page: 1 });
    expect(contradictions).to.deep.equal([
      {
        pointer: '/supplier/name',
        message: 'The files state "Alder Street" first, but page 40 of list.pdf states "Another".',
      },
    ]);
  });

  it('are asked about once more in the window whose answer does not fit, or whose evidence supports nothing', async () => {
    const sloppy = (wrong: (answer: Answer) => unknown) => {
      let isFirst = true;
      model.read((pages, text) => {
        const answer = reads(pages);
        if (!whole(pages).includes(rowOf(200)) || !isFirst || text.includes('Answer again')) return answer;
        isFirst = false;
        return wrong(answer) as Answer;
      });
    };
    const mistakes: readonly [string, (answer: Answer) => unknown][] = [
      [
        '/lines/0/amount',
        ({ document, evidence }) => ({
          document: { ...document, lines: [{ position: 1, description: 'x' }] },
          evidence,
        }),
      ],
      [
        '/lines/0/amount',
        ({ document, evidence }) => ({
          document: {
            ...document,
            lines: (document.lines as { amount: number }[]).map((line, at) =>
              at === 0 ? { ...line, amount: 0.01 } : line,
            ),
          },
          evidence,
        }),
      ],
    ];
    for (const [pointer, wrong] of mistakes) {
      sloppy(wrong);
      const { ask, stored, steps } = asking([part(long)]);
      const { data, evidence } = await ask();
      expect(list(data)).to.deep.equal(upTo(400));
      expect(evidence[pointer]).to.include({ support: 'normalized' });
      const repairs = stored.filter(({ role, content }) => role === 'user' && content.includes('Answer again'));
      expect(repairs.map(({ content }) => content.includes(pointer))).to.deep.equal([true]);
      expect(
        steps.filter(({ type, name }) => type === 'unit.retried' && name !== 'model_output_too_long'),
      ).to.have.length(1);
    }
  });

  it('fail, after one more question about the last window, where all of them together do not fit', async () => {
    const pages = [{ number: 1, text: 'Nothing here.' }, ...long.slice(1)];
    const { ask, stored } = asking([part(pages)]);
    const failure = await ask().then(
      () => expect.fail('it should have failed'),
      (error: unknown) => error as UnitFailure,
    );
    expect(failure).to.be.instanceOf(UnitFailure);
    expect(failure).to.include({ code: 'invalid_output' });
    expect(failure.message)
      .to.contain('/invoice_number is required')
      .and.contain('/supplier/name is required')
      .and.not.contain('/total');
    const asked = stored.filter(({ content }) => content.includes('all parts together'));
    expect(asked.map(({ content }) => content.includes('/invoice_number is required'))).to.deep.equal([true]);
  });

  it('have each value placed on the page of a PDF that it stands on', async () => {
    const text = textExtractor({ timeoutSeconds: 60 });
    const data = await pdfOf(invoice({ pages: 30, first: 4, perPage: 40, count: 800 }));
    const parts = await text
      .extract({ fileName: 'list.pdf', contentType: 'application/pdf', data })
      .finally(() => text.close());
    model.read((pages) => reads(pages.map((page) => ({ ...page, text: page.text.replace(/ {2,}|\t/g, '   ') }))));
    const { data: found, evidence, coverage } = await asking(parts).ask();
    expect(list(found)).to.deep.equal(upTo(800));
    expect(coverage).to.include({ pagesRead: 30, pagesTotal: 30, complete: true });
    const misplaced = upTo(800).filter((n) => {
      const { page, boxes = [] } = evidence[`/lines/${n - 1}/amount`] ?? {};
      const row = ((n - 1) % 40) + (n <= 40 ? 1 : 0);
      const [top, bottom] = [HEIGHT - TOP + row * LEADING - 9, HEIGHT - TOP + row * LEADING + 3].map((y) => y / HEIGHT);
      const [box, ...others] = boxes;
      const isThere = box !== undefined && box.y >= (top ?? 0) && box.y + box.height <= (bottom ?? 0);
      return !isThere || others.length > 0 || page !== 4 + Math.floor((n - 1) / 40) || box.page !== page;
    });
    expect(misplaced).to.deep.equal([]);
  });

  it('place a quote in that half of a split page in which it was read', async () => {
    const line = 'Each page has the same words.';
    const filler = upTo(300).map((n) => `Filler line ${n} of this page, which says nothing at all.`);
    const texts = [line, ...filler, line];
    const words = texts.flatMap((text, row) =>
      text
        .split(' ')
        .map((word, at) => ({ text: word, x: at / 20, y: row / 400, width: 0.04, height: 0.002, confidence: null })),
    );
    const layouts = [{ number: 1, width: 595, height: 842, source: 'text' as const, words }];
    model.read((pages) => {
      const found = pages.filter(({ text }) => text.split('\n').includes(line));
      return {
        document: { names: found.map(() => ({ name: 'same words' })) },
        evidence: found.map(({ fileName, page }, at) => ({
          pointer: `/names/${at}/name`,
          quote: line,
          file_name: fileName,
          page,
        })),
      };
    });
    const schema = {
      type: 'object',
      properties: { names: { type: 'array', items: { type: 'object' } } },
      required: ['names'],
    };
    const { data, evidence } = await asking([part([{ number: 1, text: texts.join('\n') }], { layouts })], {
      schema,
    }).ask();
    expect(data).to.deep.equal({ names: [{ name: 'same words' }, { name: 'same words' }] });
    const ys = ['/names/0/name', '/names/1/name'].map((pointer) => evidence[pointer]?.boxes[0]?.y);
    expect(ys).to.deep.equal([0, 301 / 400]);
  });
});
