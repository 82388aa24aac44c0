import { readFile } from 'node:fs/promises';
import { textExtractor } from '../src/adapters/text/extractor.ts';
import { printedPage } from '../src/adapters/text/pdf-layouts.ts';
import { openPdf } from '../src/adapters/text/pdfium.ts';
import type { FilePart } from '../src/application/ports/text.ts';
import { readConfig } from '../src/composition/config.ts';
import type { PageLayout } from '../src/domain/page-words.ts';
import { type PageBox, placeQuotes } from '../src/domain/quote-places.ts';
import { papers } from '../tests/fixtures/corpus/documents.ts';
import { type LaidPaper, layPaper } from '../tests/fixtures/corpus/letter.ts';
import {
  coversAll,
  coversNoOther,
  exact,
  exactNumbers,
  folded,
  misread,
  misreadThoughSure,
  type Reading,
  readingsOf,
  type Share,
  sharesOf,
  textOf,
} from '../tests/fixtures/corpus/measures.ts';
import { type ScanKind, scanKinds, scanned } from '../tests/fixtures/corpus/scans.ts';
import type { KnownPage, KnownValue } from '../tests/fixtures/corpus/typesetter.ts';
import type { Language } from '../tests/fixtures/corpus/vocabulary.ts';
import type { Point } from '../tests/fixtures/corpus/warp.ts';
import { drained } from '../tests/support/generators.ts';
import { processIds, statOf } from './processes.ts';
import { sized } from './size.ts';

/** Of each kind of scan; `all` takes an hour. */
const PAGES =
  process.env.BENCH_PAGES === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.BENCH_PAGES ?? sized(8, 1));
/** The kinds of scans, between commas; all of them if it is not set. */
const KINDS =
  process.env.BENCH_KINDS?.split(',') ?? scanKinds.slice(0, sized(scanKinds.length, 1)).map(({ name }) => name);
const PAPERS = sized(papers.length, 2);
const LOOK_AT_MEMORY_MS = 50;

interface Page {
  readonly paper: LaidPaper;
  readonly page: KnownPage;
}

interface Measured {
  readonly language: Language;
  readonly misread: Share;
  readonly amounts: Share;
  readonly dates: Share;
  readonly numbers: Share;
  readonly misreadThoughSure: Share;
  readonly readings: readonly Reading[];
  readonly valueBoxes: Share;
  readonly lineBoxes: Share;
}

const same = (point: Point): Point => point;

const countOf = (found: readonly boolean[]): Share => ({
  good: found.filter((each) => each).length,
  all: found.length,
});

/** The values and lines of a page that were read as they are: whether their boxes cover them. */
const boxesOf = (
  page: KnownPage,
  values: readonly KnownValue[],
  layout: PageLayout,
  text: string,
  place: (point: Point) => Point,
) => {
  const quoted = values.filter(({ words }) => words.length > 0 && text.includes(textOf(words)));
  const places = drained(
    placeQuotes(quoted.map(({ pointer, value, words }) => ({ pointer, value, quote: textOf(words), layout }))),
  );
  const isPlaced = ({ words }: KnownValue, boxes: readonly PageBox[]) =>
    coversAll(words, boxes, place) && coversNoOther(words, page, boxes, place);
  const known = Map.groupBy(quoted, ({ pointer }) => pointer);
  // A line that stands on the page twice has no place of its own.
  const lines = page.lines.filter((line) => text.split(textOf(line)).length === 2);
  const linePlaces = drained(
    placeQuotes(lines.map((line, index) => ({ pointer: `/${index}/line`, value: null, quote: textOf(line), layout }))),
  );
  return {
    valueBoxes: countOf(
      [...known].map(([pointer, each]) => each.some((value) => isPlaced(value, places.get(pointer)?.boxes ?? []))),
    ),
    lineBoxes: countOf(
      lines.map((line, index) => coversAll(line, linePlaces.get(`/${index}/line`)?.boxes ?? [], place)),
    ),
  };
};

/** `number`: of the page in the file that was read. */
const measure = (
  { paper, page }: Page,
  part: FilePart | undefined,
  number: number,
  place: (point: Point) => Point,
): Measured => {
  const text = folded(part?.pages.filter((each) => each.number === number) ?? []);
  const layout = part?.layouts.find((each) => each.number === number) ?? {
    number,
    width: 0,
    height: 0,
    source: 'text',
    words: [],
  };
  const values = paper.values.filter((value) => value.page === page.number);
  const readings = readingsOf(
    values.filter(({ words }) => words.length > 0),
    layout,
    place,
  );
  return {
    language: paper.language,
    misread: misread(page, text),
    amounts: exact(values, 'amount', text),
    dates: exact(values, 'date', text),
    numbers: exactNumbers(page, values, text),
    readings,
    misreadThoughSure: misreadThoughSure(readings),
    ...boxesOf(page, values, layout, text, place),
  };
};

/** What the readers that this process started have used: the most memory of one in MiB, and CPU time in seconds. */
const watchReaders = () => {
  const readers = new Map<number, { mebibytes: number; seconds: number }>();
  const look = async () => {
    for (const id of await processIds()) {
      const stat = await statOf(id);
      if (stat?.parent !== process.pid) continue;
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      readers.set(id, { mebibytes: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024, seconds: stat.ms / 1000 });
    }
  };
  const timer = setInterval(() => void look(), LOOK_AT_MEMORY_MS);
  return async () => {
    await look();
    clearInterval(timer);
    const all = [...readers.values()];
    return {
      mebibytes: Math.max(0, ...all.map((each) => each.mebibytes)),
      cpuSeconds: all.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  };
};

const percent = ({ good, all }: Share, digits = 1) => (all === 0 ? '–' : ((100 * good) / all).toFixed(digits));

const rowOf = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const headOf = (names: readonly string[]) => `${rowOf(names)}\n|-|${'-:|'.repeat(names.length - 1)}`;

const columns = {
  amounts: 'Amounts %',
  dates: 'Dates %',
  numbers: 'Numbers %',
  misreadThoughSure: 'Misread though sure %',
  valueBoxes: 'Boxes of values %',
  lineBoxes: 'Boxes of lines %',
} as const;
const quality = ['Kind', 'Pages', 'CER %', ...Object.values(columns)];

const qualityOf = (name: string, pages: readonly Measured[]) => {
  const of = (key: keyof typeof columns | 'misread') => sharesOf(pages.map((page) => page[key]));
  return [
    name,
    pages.length,
    percent(of('misread'), 2),
    ...(Object.keys(columns) as (keyof typeof columns)[]).map((key) => percent(of(key))),
  ];
};

const print = (
  name: string,
  pages: readonly Measured[],
  seconds: number,
  used: { mebibytes: number; cpuSeconds: number },
) => {
  const costs = [
    (seconds / pages.length).toFixed(2),
    (used.cpuSeconds / pages.length).toFixed(2),
    used.mebibytes.toFixed(0),
  ];
  console.log(rowOf([...qualityOf(name, pages), ...costs]));
};

type Extractor = ReturnType<typeof textExtractor>;

/** As the server is set: `OCR_LANGUAGES`, or what it has without. */
const { ocrLanguages: languages } = readConfig(process.env);

const newExtractor = (): Extractor => textExtractor({ timeoutSeconds: 120, ocr: { languages } });

/** Reads with readers of its own, so that their cost is that of these files. */
const reading = async <T>(work: (extractor: Extractor) => Promise<T>) => {
  const extractor = newExtractor();
  const stop = watchReaders();
  try {
    const result = await work(extractor);
    return { result, used: await stop() };
  } finally {
    await extractor.close();
  }
};

/** Answers where the words of all pages stand. */
const digital = async (laid: readonly LaidPaper[]): Promise<readonly PageLayout[]> => {
  const measured: Measured[] = [];
  const layouts: PageLayout[] = [];
  let seconds = 0;
  const { used } = await reading(async (extractor) => {
    for (const paper of laid) {
      const began = performance.now();
      const [part] = await extractor.extract({
        fileName: `${paper.name}.pdf`,
        contentType: 'application/pdf',
        data: paper.pdf,
      });
      seconds += (performance.now() - began) / 1000;
      measured.push(...paper.pages.map((page) => measure({ paper, page }, part, page.number, same)));
      layouts.push(...(part?.layouts ?? []));
    }
  });
  print('digital', measured, seconds, used);
  return layouts;
};

const scans = async (pages: readonly Page[], kind: ScanKind) => {
  const measured: Measured[] = [];
  let seconds = 0;
  const { used } = await reading(async (extractor) => {
    for (const [index, each] of pages.entries()) {
      const { fileName, data, place } = await scanned(each.paper, each.page, kind, index);
      const began = performance.now();
      const [part] = await extractor.extract({ fileName, contentType: '', data });
      seconds += (performance.now() - began) / 1000;
      measured.push(measure(each, part, 1, place));
    }
  });
  print(kind.name, measured, seconds, used);
  return measured;
};

const ocrNames: Readonly<Record<Language, string>> = { en: 'eng', de: 'deu', fr: 'fra' };

/** The pages in languages that OCR reads, and the others, each for themselves. */
const printByLanguage = (scansOf: ReadonlyMap<string, readonly Measured[]>) => {
  const isRead = ({ language }: Measured) => languages.includes(ocrNames[language]);
  for (const [title, isWanted] of [
    [`Of these, the pages in languages that OCR reads (${languages.join(', ')})`, isRead],
    ['Of these, the pages in other languages', (page: Measured) => !isRead(page)],
  ] as const) {
    console.log(`\n${title}:\n\n${headOf(quality)}`);
    for (const [name, measured] of scansOf) console.log(rowOf(qualityOf(name, measured.filter(isWanted))));
  }
};

/** From one confidence to the next; the last one is more than any. */
const STEPS = [0, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.01];

/** How often values are right whose least sure word has about this confidence: nine times in ten of those with 0.9. */
const printConfidence = (measured: readonly Measured[]) => {
  const isRead = ({ language }: Measured) => languages.includes(ocrNames[language]);
  const all = measured.filter(isRead).flatMap(({ readings }) => readings);
  const head = headOf(['Confidence', 'Values', 'Stated, on average %', 'Right %']);
  console.log(`\nHow sure OCR says that it is, and how often it is right (goal: 5 apart at most):\n\n${head}`);
  for (const [index, from] of STEPS.slice(0, -1).entries()) {
    const to = STEPS[index + 1] ?? 1;
    const own = all.filter(({ confidence }) => confidence >= from && confidence < to);
    if (own.length === 0) continue;
    const stated = own.reduce((sum, { confidence }) => sum + confidence, 0);
    const right = countOf(own.map(({ isRight }) => isRight));
    const name = to > 1 ? `${from} and more` : `${from} to ${to}`;
    console.log(rowOf([name, own.length, percent({ good: stated, all: own.length }), percent(right)]));
  }
};

/** So many, from all over the corpus. */
const some = (pages: readonly Page[], count: number): readonly Page[] => {
  const step = Math.max(1, pages.length / count);
  return Array.from({ length: Math.min(count, pages.length) }, (_, index) => pages[Math.floor(index * step)] as Page);
};

const WORDS_OF_A_QUOTE = 9;

/** A letter in the middle becomes another one, as a model or OCR slips. */
const slipped = (quote: string): string => {
  const letters = [...quote.matchAll(/\p{Ll}/gu)];
  const { index = 0 } = letters[Math.floor(letters.length / 2)] ?? {};
  return `${quote.slice(0, index)}${quote[index] === 'x' ? 'y' : 'x'}${quote.slice(index + 1)}`;
};

/** How long a quote is looked for: as it is, with a wrong letter, and with a wrong digit, which stands nowhere. */
const placing = (layouts: readonly PageLayout[]) => {
  const quotes = layouts.flatMap((layout) =>
    Array.from({ length: Math.floor(layout.words.length / WORDS_OF_A_QUOTE) }, (_, index) => ({
      layout,
      quote: textOf(layout.words.slice(index * WORDS_OF_A_QUOTE, (index + 1) * WORDS_OF_A_QUOTE)),
    })),
  );
  const kinds: Readonly<Record<string, (quote: string) => string>> = {
    'as it is': (quote) => quote,
    'with a wrong letter': slipped,
    'with a wrong digit': (quote) => slipped(quote).replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
  };
  console.log(`\nThe place of a quote, of ${quotes.length} of some 60 characters (goal: ≤ 2 ms):\n`);
  for (const [kind, change] of Object.entries(kinds)) {
    const began = performance.now();
    let found = 0;
    for (const [layout, own] of Map.groupBy(quotes, (each) => each.layout)) {
      const changed = own.map(({ quote }, index) => ({
        pointer: `/${index}/quote`,
        value: null,
        quote: change(quote),
        layout,
      }));
      found += drained(placeQuotes(changed)).size;
    }
    console.log(`${kind}: ${((performance.now() - began) / quotes.length).toFixed(2)} ms, ${found} found`);
  }
};

/** So often each page is read: at first, code that has not run before takes longer. */
const ROUNDS = sized(6, 1);

/** What a digital page takes, with and without the look at its ink, each at its best. */
const ink = async (laid: readonly LaidPaper[]) => {
  const best = { alone: Number.POSITIVE_INFINITY, withInk: Number.POSITIVE_INFINITY };
  const read = async (mayDraw: boolean): Promise<number> => {
    const began = process.cpuUsage();
    let pages = 0;
    for (const { pdf } of laid) {
      const open = await openPdf(pdf);
      for (let number = 1; number <= open.pageCount; number += 1)
        printedPage(open, number, { most: Number.POSITIVE_INFINITY, mayDraw });
      pages += open.pageCount;
      open.close();
    }
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / pages;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    best.alone = Math.min(best.alone, await read(false));
    best.withInk = Math.min(best.withInk, await read(true));
  }
  const { alone, withInk } = best;
  console.log(
    `\nA digital page, in ms of CPU: ${alone.toFixed(1)} for its words alone, ${withInk.toFixed(1)} with a look at its ink (goal: < 150), ${(withInk / alone).toFixed(2)} times as much (goal: ≤ 1.65, a fifth more than two readers took before)`,
  );
};

/** How well pages of known text are read, in print and as scans. */
export const readingBench = async () => {
  const laid = await Promise.all(papers.slice(0, PAPERS).map(layPaper));
  const pages = laid.flatMap((paper) => paper.pages.map((page) => ({ paper, page })));
  console.log(`\nReading ${laid.length} documents of ${pages.length} pages, OCR in ${languages.join(', ')}:\n`);
  console.log(headOf([...quality, 's/page', 'CPU s/page', 'Peak MiB']));
  const layouts = await digital(laid);
  const measured = new Map<string, readonly Measured[]>();
  for (const kind of scanKinds)
    if (KINDS.includes(kind.name)) measured.set(kind.name, await scans(some(pages, PAGES), kind));
  printByLanguage(measured);
  printConfidence([...measured.values()].flat());
  await ink(laid);
  placing(layouts);
};
