import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FinishedDocument } from '../../src/application/ports/queue.ts';
import { portico } from '../../src/client/portico.ts';
import type { Evidence } from '../../src/domain/document.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { finished, someEvidence } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { canDecide } from './decisions.ts';
import { type ConsoleWorld, isOfMenu } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;
type Shown = {
  readonly document_data: object;
  readonly evidence: Readonly<Record<string, { readonly boxes: readonly { page: number; x: number; y: number }[] }>>;
  readonly review: { readonly status: string };
};

const quoted = (quote: string): Evidence => someEvidence({ quote, fileName: 'invoice.pdf', boxes: [] });

const lines = ['Soap', 'Brush', 'Towel'].map((description, index) => ({ description, amount: index + 1 }));
const ofLines = Object.fromEntries(
  lines.map(({ description }, index) => [`/lines/${index}/description`, quoted(description)]),
);

const flags = (...pointers: readonly string[]): Pick<FinishedDocument, 'reviewStatus' | 'reviewReasons'> => ({
  reviewStatus: 'pending',
  reviewReasons: pointers.map((pointer) => ({ code: 'low_confidence', pointer, message: 'It is hard to read.' })),
});

const data = (supplier: string | null, total: number | null = 12) => ({ supplier, total, lines: [] as JsonObject[] });

/** A document as a person finds it who has to review it: with a page, rows, and values that need a look. */
export const aReview = async (world: ConsoleWorld): Promise<string> => {
  const boxes = [{ page: 1, x: 0.084, y: 0.06, width: 0.4, height: 0.02 }];
  const evidence = { ...ofLines, '/supplier': { ...quoted('Nordlicht Metallbau GmbH'), boxes } };
  const values = { ...data('Nordlicht Metallbau GmbH', 59.9), lines };
  return world.newDocument(
    'invoice.pdf',
    finished({ data: values, evidence, ...flags('/total', '/lines/1/amount') }),
    await invoicePdf(),
  );
};

/** Tests of the page of a document, in the browser and on the server of the others. */
export const documentPage = (world: () => ConsoleWorld, go: Go): void => {
  const asAda = async (path: string) => {
    const response = await fetch(`${world().baseUrl}/api/v1/documents/${path}`, {
      headers: { 'x-api-key': await world().key('ada@example.com') },
    });
    return ((await response.json()) as { data: Shown }).data;
  };
  const value = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const isSaved = (page: Page) => page.getByText('The changes are saved.').waitFor();
  const inRow = (page: Page, pointer: string) => page.locator(`input[data-field="${pointer}"]`);

  it('says which values are missing, and which check could not be applied', async () => {
    const message = 'The value is missing.';
    const id = await world().newDocument(
      'gaps.txt',
      finished({
        data: data('Meyer', null),
        reviewStatus: 'pending',
        reviewReasons: [
          ...['/total', '/lines', '/address/0/city'].map((pointer) => ({
            code: 'missing_value' as const,
            pointer,
            message,
          })),
          {
            code: 'check_not_applicable',
            pointer: null,
            message: 'The check sum: It could not be applied: /total has no value.',
          },
        ],
        checks: [
          { name: 'sum', status: 'not_applicable', message: 'It could not be applied: /total has no value.' },
          { name: 'due', status: 'not_applicable', message: null },
        ],
      }),
    );
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await page.locator('.line.flagged').filter({ hasText: 'Total' }).getByText(message).waitFor();
    expect(await page.locator('.remarks li').allInnerTexts()).to.deep.equal([
      `Total: ${message}`,
      `Lines: ${message}`,
      `Address › 1 › City: ${message}`,
      'sum: It could not be applied: /total has no value.',
    ]);
    await go(page, '/inbox');
    await page.locator('[data-row]').filter({ hasText: 'gaps.txt' }).getByText(`Total: ${message}`).waitFor();
    await page.context().close();
  });

  it('shows first why it needs a look, each reason with its place, and no tick at what nobody has confirmed', async () => {
    const page = await world().open();
    const flagged = flags('/supplier', '/lines/1/description');
    const values = { ...data('Nordlicht Metallbau GmbH', 59.9), lines };
    const boxes = [{ page: 1, x: 0.084, y: 0.06, width: 0.4, height: 0.02 }];
    const evidence = {
      ...ofLines,
      '/lines/1/description': { ...quoted('Brush'), page: null },
      '/supplier': { ...quoted('Nordlicht Metallbau GmbH'), page: 1, boxes },
    };
    const id = await world().newDocument(
      'why.pdf',
      finished({ data: values, evidence, ...flagged }),
      await invoicePdf(),
    );
    await go(page, `/documents/${id}`);
    const reasons = page.locator('.remarks li');
    await reasons.first().waitFor();
    expect(await reasons.allInnerTexts()).to.deep.equal([
      'Supplier: It is hard to read. Page 1.',
      'Lines › 2 › Description: It is hard to read.',
    ]);
    const isFirst =
      "document.querySelector('.remarks').compareDocumentPosition(document.querySelector('.facts')) & Node.DOCUMENT_POSITION_FOLLOWING";
    expect(await page.evaluate(isFirst)).to.be.above(0);
    const line = page.locator('.line').filter({ hasText: 'Supplier' });
    await line.getByText('needs a look').waitFor({ state: 'attached' });
    expect(await line.locator('.mark').innerText()).to.include('?');
    await page.getByRole('button', { name: 'Lines › 2 › Description' }).click();
    expect(await page.locator(':focus').getAttribute('data-field')).to.equal('/lines/1/description');
    await page.getByRole('button', { name: 'Supplier', exact: true }).click();
    expect(await page.locator(':focus').getAttribute('data-field')).to.equal('/supplier');
    await page.locator('.box.chosen').first().waitFor();
    await page.keyboard.press('Enter');
    await line.getByText('you have confirmed it').waitFor({ state: 'attached' });
    expect(await reasons.first().getAttribute('class')).to.equal('good');
    expect(await page.locator('.grid .mark.good').count(), 'a tick in a row stands in the file').to.equal(0);
    await page.context().close();
  });

  it('holds a document for an administrator, says so to everybody, and offers the trash again afterwards', async () => {
    const id = await world().newDocument('held.pdf', finished({ data: data('Nordlicht', 1) }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const trash = page.getByRole('button', { name: 'Trash', exact: true });
    await trash.waitFor();
    await page.getByRole('button', { name: 'Hold', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('A lawsuit.');
    await page.getByRole('dialog').getByRole('button', { name: 'Hold' }).click();
    await page.locator('.facts').getByText('“A lawsuit.”').waitFor();
    expect(await trash.count()).to.equal(0);
    await page.getByRole('button', { name: 'Lift the hold' }).click();
    await page.waitForTimeout(700);
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the hold' }).click();
    await trash.waitFor();
    expect(await page.getByText('A lawsuit.').count()).to.equal(0);
    await page.context().close();
  });

  it('erases a document for an administrator, who says why, and shows the receipt', async () => {
    const id = await world().newDocument('to-erase.pdf', finished({ data: data('Nordlicht', 1) }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What stays: the row in the system of record').waitFor();
    await dialog.getByRole('textbox').fill('Request 4711');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('It is erased.').waitFor();
    await go(page, '/erasures');
    await page.getByText(`Document ${id}`).click();
    await page.getByRole('row', { name: /^Files/ }).waitFor();
    expect(await page.getByText('Request 4711').count()).to.equal(1);
    await page.context().close();
  });

  it('fills a value from the page: by a click on a word, and by a box around words', async () => {
    const id = await world().newDocument('to-fill.pdf', finished({ data: data(null, 1) }), await invoicePdf());
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const sheet = page.locator('.sheet').first();
    await sheet.locator('img').waitFor();
    const words = (await asAda(`${id}/files/0/pages/1/words`)) as unknown as {
      words: { text: string; x: number; y: number; width: number; height: number }[];
    };
    const placeOf = async (text: string) => {
      const word = words.words.find((each) => each.text === text);
      const box = await sheet.boundingBox();
      if (!word || !box) throw new Error(`${text} is not on the page`);
      const [left, top] = [box.x + word.x * box.width, box.y + word.y * box.height];
      return { left, top, right: left + word.width * box.width, bottom: top + word.height * box.height };
    };
    await value(page, 'Total').focus();
    const amount = await placeOf('59.90');
    await page.mouse.click((amount.left + amount.right) / 2, (amount.top + amount.bottom) / 2);
    await page.getByText('One change not saved').waitFor();
    expect(await value(page, 'Total').inputValue()).to.equal('59.90');
    expect(await page.locator('.box.chosen').count(), 'where it stands').to.equal(1);
    await value(page, 'Supplier').focus();
    const [first, last] = [await placeOf('Nordlicht'), await placeOf('GmbH')];
    await page.mouse.move(first.left - 4, first.top - 4);
    await page.mouse.down();
    await page.mouse.move(last.right + 4, last.bottom + 4, { steps: 3 });
    expect(await page.locator('.drawn').count(), 'the box that is drawn').to.equal(1);
    await page.mouse.up();
    await page.getByText('2 changes not saved').waitFor();
    expect(await value(page, 'Supplier').inputValue()).to.equal('Nordlicht Metallbau GmbH');
    await save(page);
    await isSaved(page);
    const stored = await asAda(id);
    expect(stored.document_data).to.deep.include({ supplier: 'Nordlicht Metallbau GmbH', total: 59.9 });
    const { boxes, ...place } = stored.evidence['/total'] ?? { boxes: [] };
    expect(place).to.deep.include({ file_name: 'invoice.pdf', page: 1, support: 'person' });
    const [box] = boxes;
    const word = words.words.find(({ text }) => text === '59.90');
    expect([boxes.length, box?.page, box?.x, box?.y]).to.deep.equal([1, 1, word?.x, word?.y]);
    expect(stored.evidence['/supplier']?.boxes, 'one line').to.have.length(1);
    await page.context().close();
  });

  it('adds rows and removes them, each with its evidence, and takes that back', async () => {
    const id = await world().newDocument(
      'rows.txt',
      finished({ data: { ...data('Meyer'), lines }, evidence: ofLines }),
    );
    const before = await asAda(id);
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await page.getByRole('button', { name: 'Remove row 2 of Lines' }).click();
    await inRow(page, '/lines/0/amount').focus();
    await page.getByRole('button', { name: 'Add a row below row 1' }).focus();
    const clicked =
      'document.activeElement.click() ?? new Promise((resolve) => queueMicrotask(() => resolve(document.activeElement.dataset.field)))';
    const focused = await page.evaluate(clicked);
    expect(focused, 'before the next key').to.equal('/lines/+1/description');
    await page.keyboard.type('Comb');
    await reload(page);
    await inRow(page, '/lines/+1/amount').fill('2');
    expect(await page.locator('.grid tbody tr').count(), 'with what a reload kept').to.equal(3);
    await save(page);
    await isSaved(page);
    const stored = await asAda(id);
    expect(stored.document_data).to.deep.include({ lines: [lines[0], { description: 'Comb', amount: 2 }, lines[2]] });
    expect(stored.evidence['/lines/2/description']).to.deep.equal(before.evidence['/lines/2/description']);
    expect(stored.evidence['/lines/1/description']).to.include({ support: 'person', file_name: '' });
    await reload(page);
    await inRow(page, '/lines/1/amount').waitFor();
    await page.locator('body').press('u');
    await page.getByText('The change is taken back.').waitFor();
    const again = await asAda(id);
    expect(again.document_data).to.deep.equal(before.document_data);
    expect(again.evidence['/lines/2/description']).to.deep.equal(before.evidence['/lines/2/description']);
    expect(again.evidence['/lines/1/description'], 'where it was found').to.include({ file_name: 'invoice.pdf' });
    await page.context().close();
  });

  it('shows a table of four columns beside the page without scrolling sideways, and no empty half where there is no page', async () => {
    const rows = [
      {
        description: 'Kleinteile und Befestigungsmaterial nach Aufwand',
        quantity: 12.5,
        price: 1234.56,
        amount: 15432,
      },
    ];
    const of = finished({ data: { ...data('Meyer'), lines: rows } });
    const id = await world().newDocument('columns.pdf', of, await invoicePdf());
    const page = await world().open({ viewport: { width: 1280, height: 800 } });
    await go(page, `/documents/${id}`);
    await page.locator('.sheet img').first().waitFor();
    const table = page.getByRole('region', { name: 'Lines' });
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).to.equal(0);
    const half = await table.boundingBox();
    await go(page, `/documents/${await world().newDocument('columns.txt', of)}`);
    await page.getByRole('region', { name: 'Where they stand' }).waitFor({ state: 'detached' });
    expect((await table.boundingBox())?.width).to.be.above(1.5 * (half?.width ?? 0));
    await page.context().close();
  });

  it('draws the rows of a long table that are seen, and finds the next flagged value anywhere in it', async () => {
    const items = Array.from({ length: 5000 }, (_, index) => ({ description: `Item ${index + 1}`, amount: index + 1 }));
    const flagged = flags('/lines/3/amount', '/lines/3999/amount');
    const evidence = { '/lines/4499/amount': quoted('Item 4500 costs 4500') };
    const id = await world().newDocument(
      'long.txt',
      finished({ data: { ...data('Meyer'), lines: items }, evidence, ...flagged }),
    );
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const table = page.getByRole('region', { name: 'Lines' });
    const focused = () => page.locator(':focus').getAttribute('data-field');
    const drawn = () => table.locator('tr').count();
    await inRow(page, '/lines/0/amount').waitFor();
    expect(await drawn()).to.be.below(150);
    await page.locator('body').press('e');
    expect(await focused()).to.equal('/lines/3/amount');
    await page.keyboard.press('Tab');
    expect(await focused(), 'before the next key').to.equal('/lines/3999/amount');
    await page.keyboard.type('7');
    await inRow(page, '/lines/3990/amount').waitFor();
    const isSeen = async (pointer: string) => {
      const [cell, region] = await Promise.all([inRow(page, pointer).boundingBox(), table.boundingBox()]);
      return cell !== null && region !== null && cell.y >= region.y && cell.y + cell.height <= region.y + region.height;
    };
    expect([await isSeen('/lines/3999/amount'), (await drawn()) < 150]).to.deep.equal([true, true]);
    await table.evaluate((element) => element.scrollTo(0, 0));
    await inRow(page, '/lines/0/amount').waitFor();
    await page.keyboard.type('5');
    expect(await focused(), 'the focus stays').to.equal('/lines/3999/amount');
    await page.keyboard.press('Enter');
    expect(await focused(), 'round to the first').to.equal('/lines/3/amount');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Item 4500 costs 4500' }).click();
    await inRow(page, '/lines/4490/amount').waitFor();
    expect(await isSeen('/lines/4499/amount'), 'where a quote is from').to.equal(true);
    await table.evaluate((element) => element.scrollTo(0, 0));
    await inRow(page, '/lines/10/description').focus();
    await page.getByRole('button', { name: 'Add a row below row 11' }).click();
    await page.keyboard.type('Comb');
    await page.getByRole('button', { name: 'Remove row 2 of Lines' }).click();
    await save(page);
    await isSaved(page);
    const { lines: stored } = (await asAda(id)).document_data as { lines: object[] };
    const changed = items.with(3999, { description: 'Item 4000', amount: 400075 });
    expect(stored).to.deep.equal(changed.toSpliced(11, 0, { description: 'Comb' } as never).toSpliced(1, 1));
    await page.context().close();
  });

  it('keeps the focus in its value when the schema, which has more columns, comes after the values', async () => {
    const id = await world().newDocument('early.txt', finished({ data: { ...data('Meyer'), lines } }));
    const page = await world().open();
    const come = Promise.withResolvers<void>();
    await page.route('**/versions/*', async (route) => {
      await come.promise;
      await route.continue();
    });
    await go(page, `/documents/${id}`);
    await inRow(page, '/lines/1/amount').fill('4');
    expect(await inRow(page, '/lines/1/quantity').count()).to.equal(0);
    come.resolve();
    await inRow(page, '/lines/1/quantity').waitFor();
    await page.keyboard.type('7');
    expect(await inRow(page, '/lines/1/amount').inputValue()).to.equal('47');
    await page.context().close();
  });

  it('takes edits back one by one', async () => {
    const id = await world().newDocument('to-undo.txt', finished({ data: data('Meyer'), ...flags('/total') }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await value(page, 'Supplier').fill('Müller');
    await value(page, 'Total').pressSequentially('3');
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    await page.getByText('One change not saved').waitFor();
    expect(await value(page, 'Total').inputValue()).to.equal('12');
    await page.keyboard.press('u');
    await page.getByText('not saved').waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await page.getByText('There is nothing to take back.').waitFor();
    await value(page, 'Total').fill('13');
    await page.setViewportSize({ width: 1280, height: 420 });
    const areas = "['.notices', '.unsaved'].map((each) => document.querySelector(each).getBoundingClientRect())";
    expect(
      await page.evaluate(`(([one, other]) => one.bottom <= other.top || one.top >= other.bottom)(${areas})`),
      'nothing is covered',
    ).to.be.true;
    await save(page);
    await isSaved(page);
    await page.locator('body').press('u');
    await page.getByText('The change is taken back.').waitFor();
    expect((await asAda(id)).document_data).to.deep.include({ total: 12 });
    await page.context().close();
  });

  it('shows what processing would do: a new row, one that is there, and why one is refused', async () => {
    const id = await world().newDocument('to-rehearse.txt', finished({ data: data('Meyer', 1200) }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const rehearse = page.getByRole('button', { name: 'Rehearse' });
    const found = page.getByRole('status', { name: 'Rehearsal' });
    await rehearse.click();
    await found.getByText(/The system of record would refuse the row: .*bills_total_check/).waitFor();
    await found.getByText('1200').first().waitFor();
    await value(page, 'Total').fill('120');
    await rehearse.click();
    await found.getByText('The row would be written.').waitFor();
    expect((await asAda(id)).document_data, 'what is rehearsed is what is seen').to.deep.include({ total: 120 });
    await world().query('insert into ledger.bills values ($1, $2, 120)', [id, 'Meyer']);
    await rehearse.click();
    await found.getByText('is there already').waitFor();
    expect(await world().query('select total from ledger.bills where document_id = $1', [id])).to.have.length(1);
    await page.context().close();
  });

  it('reviews a stack by keyboard alone, from the inbox to the last, and the next document is there already', async () => {
    const pdf = await invoicePdf();
    const names = ['first', 'second', 'third'].map((name) => `stack ${name}.pdf`);
    const ids: string[] = [];
    for (const name of names)
      ids.push(
        await world().newDocument(name, finished({ data: data('Meyer'), ...flags('/supplier', '/total') }), pdf),
      );
    const page = await world().open();
    // What was read ahead long ago is read again: on a slow machine too, no time passes.
    await page.addInitScript('const began = Date.now(); Date.now = () => began;');
    await go(page, '/inbox');
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const downloads = async (id: string) => {
      const client = portico({ baseUrl: world().baseUrl, apiKey: await world().key('ada@example.com') });
      const query = { subject: id, action: 'document.downloaded' } as const;
      return (await client.get('/api/v1/audit', { params: { query } })).entries.length;
    };
    const imageOf = (id: string) => `${world().baseUrl}/api/v1/documents/${id}/files/0/pages/1?width=1200`;
    // The pages further down are drawn as they come into view, whatever is done meanwhile.
    const isFurther = ({ url }: { readonly url: URL }) => /\/pages\/[2-9]$/.test(url.pathname);
    const requests = () => world().requests.filter((each) => !isFurther(each) && !isOfMenu(each));
    // What is read again once a lost connection is back was asked for before.
    const differentRequests = () => new Set(requests().map(({ method, url }) => `${method} ${url.href}`)).size;
    const loaded = new Set<string>();
    page.on('requestfinished', (request) => void loaded.add(request.url()));
    // All that is shown is read again once a connection is back that was lost, as it may be on a busy machine.
    const lost: string[] = [];
    page.on('requestfailed', (request) => {
      const error = request.failure()?.errorText ?? '';
      if (error !== 'net::ERR_ABORTED') lost.push(error);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) lost.push(response.url());
    });
    const isFirst = async () => (await page.locator(':focus').textContent()) === names[0];
    do await press('j');
    while (!(await isFirst()));
    await press('Enter');
    await page.getByRole('heading', { name: names[0] ?? '' }).waitFor();
    for (const [index, name] of names.entries()) {
      const [id, following] = [ids[index] ?? '', ids[index + 1]];
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.locator('.sheet img').first().waitFor();
      while (following && !loaded.has(imageOf(following))) await page.waitForEvent('requestfinished');
      if (following) expect(await downloads(following), 'nobody has seen it').to.equal(0);
      const before = requests().length;
      const lostBefore = lost.length;
      const known = differentRequests();
      await press('e');
      expect(await focused()).to.equal('Supplier');
      await press('Tab');
      expect(await focused(), 'the next that is flagged').to.equal('Total');
      await press('Control+a', '7', 'Shift+Tab');
      expect(await focused(), 'backwards on its usual way').to.equal('Supplier');
      await press('Enter', 'Enter');
      expect(await page.locator(':focus[data-field]').count(), 'all that is flagged is confirmed').to.equal(0);
      expect(differentRequests(), 'none of that asks the server').to.equal(known);
      await canDecide(page);
      await press('a');
      await page.getByRole('heading', { name: names[index + 1] ?? 'Inbox', exact: true }).waitFor();
      if (following) await page.locator('.sheet img').first().waitFor();
      const asked = requests()
        .slice(before)
        .map(({ method, url }) => `${method} ${url.pathname.replace('/api/v1/documents', '')}`);
      expect(asked.slice(0, 2), 'saved, and approved').to.deep.equal([`PATCH /${id}`, `POST /${id}/review`]);
      if (following && lost.length === lostBefore)
        expect(
          asked.filter((each) => each.includes(following) && !/\/(?:files|pages\/1)$/.test(each)),
          `it was there, but for the addresses of its files: ${asked.join(', ')}`,
        ).to.deep.equal([]);
      if (following) {
        const times = `performance.getEntriesByName('${imageOf(following)}')`;
        expect(
          await page.evaluate(`${times}.map(({ transferSize }) => transferSize > 0)`),
          'the browser had it',
        ).to.deep.equal([true, false]);
      }
      expect(await asAda(id))
        .to.deep.include({ document_data: data('Meyer', 7) })
        .and.to.have.nested.property('review.status', 'approved');
    }
    await page.context().close();
  });

  it('leaves the keys to the browser where they are switched off', async () => {
    const id = await world().newDocument('no-keys.txt', finished({ data: data('Meyer'), ...flags('/total') }));
    const page = await world().open();
    await page.addInitScript("localStorage.setItem('portico.single-keys-off', '1')");
    await go(page, `/documents/${id}`);
    await value(page, 'Supplier').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Supplier');
    await page.keyboard.press('Escape');
    expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Supplier');
    await page.context().close();
  });

  it('loses nothing by a connection that is lost before the server hears of a change, or before it answers', async () => {
    const id = await world().newDocument('offline.txt', finished({ data: { ...data('Meyer'), lines } }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await value(page, 'Total').fill('13');
    await page.context().setOffline(true);
    await save(page);
    await page.getByText('Check the connection and try again.').waitFor();
    await page.getByText('One change not saved').waitFor();
    await page.context().setOffline(false);
    await save(page);
    await isSaved(page);
    await page.getByRole('button', { name: 'Add a row' }).click();
    await page.keyboard.type('Comb');
    await inRow(page, '/lines/+1/amount').fill('4');
    const path = `**/api/v1/documents/${id}`;
    await page.route(path, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await save(page);
    await page.getByText('Check the connection and try again.').waitFor();
    await page.unroute(path);
    await save(page);
    await isSaved(page);
    expect((await asAda(id)).document_data).to.deep.equal({
      ...data('Meyer', 13),
      lines: [...lines, { description: 'Comb', amount: 4 }],
    });
    await page.getByText('not saved').waitFor({ state: 'detached' });
    await page.context().close();
  });
};
