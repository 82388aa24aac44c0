import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { Locator, Page } from 'playwright-core';
import { untilRead } from '../http/divided-runs.ts';
import { callApi } from '../support/api.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { reload } from '../support/chromium.ts';
import type { ConsoleWorld, Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

const reader = (name: string) => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    review: when_flagged
    document_schema: { type: object, properties: { number: { type: [string, "null"], title: Number }, total: { type: [number, "null"], title: Total } } }
    required_values: []`;

const parts = `
    parts:
      - { name: invoice, agent: Bill reader, description: Invoices of suppliers }
      - { name: order, agent: Order reader, description: Orders }
      - { name: other, ignore: true, description: All else }`;

const workspace = `workspace: acme
agents:${reader('Bill reader')}${reader('Order reader')}
  - name: Post room
    workflow_type: document_routing
    model: offline
    instructions: Divide.${parts}
  - name: Post room, undivided
    workflow_type: document_routing
    model: offline
    instructions: Divide.
    split: { by: none }${parts}
`;

interface Sent {
  readonly name: string;
  readonly type: string;
  readonly data: Uint8Array;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly parts: readonly {
    readonly name: string;
    readonly pages: readonly number[];
    readonly file_name: string;
    readonly document_id: string | null;
    readonly status: string;
  }[];
}

/** Two invoices whose pages are mixed, a blank page, an order that lies on its side. */
const mixed = async (): Promise<Sent> => {
  const papers = [
    await simplePaper('Invoice', 'RE-71', { pages: 2, total: '10.00' }),
    await simplePaper('Invoice', 'RE-72', { pages: 2, supplier: 'Marlow Cheese Ltd', total: '20.00' }),
    await simplePaper('Order', 'PO-1', { total: '30.00' }),
  ];
  const data = await bundleOf(papers, [
    { of: 0, page: 1 },
    { of: 1, page: 1 },
    { of: 0, page: 2 },
    { of: 1, page: 2 },
    { of: null, page: 1 },
    { of: 2, page: 1, turned: 90 },
  ]);
  return { name: 'bundle.pdf', type: 'application/pdf', data };
};

const LONG = 300;

const longPdf = async (): Promise<Sent> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let page = 1; page <= LONG; page += 1)
    pdf.addPage([595, 842]).drawText(`Sheet ${page}`, { x: 80, y: 700, size: 60, font });
  return { name: 'long.pdf', type: 'application/pdf', data: await pdf.save() };
};

const note: Sent = { name: 'note.txt', type: 'text/plain', data: new TextEncoder().encode('Please see what came.') };

/** Runs of agents that divide files, on the server of the others. */
const routing = (world: () => ConsoleWorld) => {
  let ids: Promise<ReadonlyMap<string, string>> | undefined;
  const call = async <T>(path: string, sent: Parameters<typeof callApi>[3] = {}) => {
    const key = await world().key('ada@example.com');
    const { status, body } = await callApi<{ data: T }>(world().baseUrl, key, path, sent);
    return { status, data: body.data };
  };
  const get = async (id: string) => (await call<Run>(`/runs/${id}`)).data;
  const ended = async (id: string): Promise<Run> => {
    await world().working(true);
    return (await untilRead(async () => ({ run: await get(id) }))).run;
  };
  const start = async (files: readonly Sent[], agent = 'Post room'): Promise<Run> => {
    ids ??= world().apply(workspace);
    const path = `/agents/${(await ids).get(agent)}`;
    const asked = files.map(({ name, type }) => ({ file_name: name, content_type: type }));
    const { data } = await call<{ files: { upload_url: string; headers: Record<string, string> }[] }>(
      `${path}/upload-urls`,
      { body: { files: asked } },
    );
    for (const [index, { upload_url: url, headers }] of data.files.entries())
      await fetch(url, { method: 'PUT', headers, body: files[index]?.data as Uint8Array<ArrayBuffer> });
    const { data: run } = await call<Run>(`${path}/run`, { body: { files: data.files } });
    return ended(run.id);
  };
  /** As another person would. */
  const change = async (id: string, changed: readonly object[]) => {
    const key = await world().key('ada@example.com');
    const headers = { 'x-api-key': key };
    const etag = (await fetch(`${world().baseUrl}/api/v1/runs/${id}`, { headers })).headers.get('etag') ?? '';
    const sent = { method: 'PATCH', headers: { 'if-match': etag }, body: { parts: changed } };
    expect((await call(`/runs/${id}/parts`, sent)).status).to.equal(200);
  };
  return { start, get, ended, change, call };
};

const shown = ({ parts: all }: Run) => all.map(({ name, pages }) => [name, ...pages]);

let world: ConsoleWorld;
const targets = routing(() => world);
let targetId: Promise<string> | undefined;

export const partsTargets: Targets = {
  'the parts of a run': async (opened) => {
    world = opened;
    targetId ??= targets.start([await mixed(), note]).then(({ id }) => id);
    return `/runs/${await targetId}`;
  },
};

/** Tests of the parts of a run, in the browser and on the server of the others. */
export const partsPage = (opened: () => ConsoleWorld, go: Go): void => {
  const { start, get, ended, change, call } = routing(opened);

  const sheet = (page: Page, number: number, file = 'bundle.pdf') => page.locator(`[data-sheet="${number} ${file}"]`);
  const strip = (page: Page, place: number) => page.locator(`.strip[data-drop="${place}"]`);
  const none = (page: Page) => page.locator('.strip.unassigned');
  const pagesIn = (strips: Locator) =>
    strips.locator('.thumb').evaluateAll((all) => all.map((each) => Number(each.dataset.sheet?.split(' ')[0])));
  const all = async (page: Page) => {
    const strips = await page.locator('.strip').all();
    return Promise.all(strips.map(pagesIn));
  };
  const has = async (page: Page, wanted: readonly (readonly number[])[]) => {
    for (let tries = 0; JSON.stringify(await all(page)) !== JSON.stringify(wanted); tries += 1) {
      if (tries > 250) expect(await all(page)).to.deep.equal(wanted);
      await page.waitForTimeout(20);
    }
  };
  const hasCount = async (found: Locator, count: number) => {
    for (let tries = 0; (await found.count()) !== count; tries += 1) {
      if (tries > 500) expect(await found.count()).to.equal(count);
      await found.page().waitForTimeout(20);
    }
  };
  const said = (page: Page, text: string) =>
    page.locator('.parts [role=status].unseen', { hasText: text }).waitFor({ state: 'attached' });
  /** A drag begins with the first move after the press, before which nothing may scroll. */
  const open = async (id: string) => {
    const page = await opened().open({ viewport: { width: 1280, height: 1600 } });
    await go(page, `/runs/${id}`);
    await page.locator('.thumb').first().waitFor();
    return page;
  };
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The parts are saved.').waitFor();
  };

  it('shows the parts of a run with their pages, what became of them and why they are parts', async () => {
    const run = await start([await mixed(), note]);
    const before = opened().requests.length;
    const page = await open(run.id);
    await has(page, [[1, 3], [2, 4], [6], [0], [5]]);
    await strip(page, 0).getByText('read by Bill reader').waitFor();
    await strip(page, 0).getByText('Invoice number: RE-71').waitFor();
    expect(await strip(page, 0).locator('.grounds').innerText()).to.match(/^\d+% sure: .*on page 1$/);
    await strip(page, 0).locator('.status', { hasText: 'ready' }).first().waitFor();
    await page.getByRole('option', { name: 'Page 5 · blank bundle.pdf' }).waitFor();
    await page.getByRole('option', { name: 'Page 6 on its side bundle.pdf' }).waitFor();
    await page.getByRole('option', { name: 'Whole file note.txt' }).waitFor();
    await sheet(page, 5).scrollIntoViewIfNeeded();
    await hasCount(page.locator('.thumb img'), 6);
    const asked = opened()
      .requests.slice(before)
      .map(({ url }) => url.pathname);
    expect(asked.filter((path) => path.endsWith('/files')).length, 'one request for all sizes').to.equal(1);
    expect(asked.filter((path) => /\/pages\/\d+$/.test(path)).length).to.equal(6);
    await strip(page, 0).getByRole('link', { name: 'bundle.pdf, pages 1, 3' }).click();
    await page.getByRole('heading', { name: 'bundle.pdf, pages 1, 3' }).waitFor();
    await page.getByRole('img', { name: 'Page 1 of bundle.pdf' }).waitFor();
    expect(await page.locator('.sheet').count(), 'its pages alone').to.equal(2);
    await page.locator('.facts').getByText('pages 1, 3 of bundle.pdf').waitFor();
    await page.getByLabel('Page, of 1, 3').fill('3');
    await page.keyboard.press('Enter');
    await page.locator('.facts').getByRole('link', { name: 'part of a run: invoice' }).click();
    await strip(page, 2).waitFor();
    await page.context().close();
  });

  it('moves pages by the mouse: one, and several that are selected, and reads again what changed alone', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    await sheet(page, 5).dragTo(strip(page, 1));
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await said(page, 'page 5 of bundle.pdf moved to part 2, invoice.');
    await sheet(page, 2).click();
    await sheet(page, 4).click({ modifiers: ['Control'] });
    await page.getByText('2 pages selected').waitFor();
    await sheet(page, 4).dragTo(strip(page, 0));
    await has(page, [[1, 2, 3, 4], [5], [6], []]);
    await page
      .getByText('2 parts will be read, 2 documents will go to the trash, one part will stay as it is')
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await reload(page);
    await page.locator('.thumb').first().waitFor();
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await save(page);
    await strip(page, 1).locator('.status', { hasText: 'ready' }).first().waitFor();
    const now = await ended(run.id);
    expect(shown(now)).to.deep.equal([
      ['invoice', 1, 3],
      ['invoice', 2, 4, 5],
      ['order', 6],
    ]);
    expect([now.parts[0], now.parts[2]], 'not read again').to.deep.equal([run.parts[0], run.parts[2]]);
    expect(now.parts[1]?.document_id).not.to.equal(run.parts[1]?.document_id);
    await page.context().close();
  });

  it('selects with Shift and Ctrl, and shows a page large', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    const selected = () => page.locator('.thumb[aria-selected=true]');
    await sheet(page, 1).click();
    await sheet(page, 4).click({ modifiers: ['Shift'] });
    expect(await selected().count(), '1, 3, 2, 4').to.equal(4);
    await sheet(page, 2).click({ modifiers: ['Control'] });
    expect(await selected().count()).to.equal(3);
    await page.getByRole('button', { name: 'Select none' }).click();
    expect(await selected().count()).to.equal(0);
    await sheet(page, 2).dblclick();
    await page.getByRole('img', { name: 'Page 2 of bundle.pdf' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('does everything by keyboard: moves, splits, joins, renames, undoes, and says what moved where', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.locator('[data-sheet]:focus').getAttribute('data-sheet');
    await sheet(page, 1).focus();
    await press('ArrowRight', 'ArrowRight', 'Space', 'ArrowRight', 'Space');
    expect(await focused()).to.equal('4 bundle.pdf');
    await press('p');
    await has(page, [[1, 2, 3, 4], [6], [5]]);
    await said(page, 'pages 2, 4 of bundle.pdf moved to part 1, invoice.');
    await page.locator('[data-sheet="4 bundle.pdf"]:focus').waitFor();
    await press('u');
    await has(page, [[1, 3], [2, 4], [6], [5]]);
    await press('Escape');
    await sheet(page, 4).focus();
    await press('s');
    await has(page, [[1, 3], [2], [4], [6], [5]]);
    await said(page, 'A new part begins at page 4 of bundle.pdf: part 3, invoice.');
    await press('b');
    await has(page, [[1, 3], [2, 4], [6], [5]]);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count(), 'as it was').to.equal(0);
    await sheet(page, 5).focus();
    await press('n');
    await has(page, [[1, 3], [2, 4], [5, 6], []]);
    await page.locator('[data-sheet="5 bundle.pdf"]:focus').waitFor();
    await press('Delete');
    await has(page, [[1, 3], [2, 4], [6], [5]]);
    await press('m');
    await page.getByLabel('To').selectOption('new: other');
    await press('Enter');
    await has(page, [[1, 3], [2, 4], [5], [6], []]);
    await said(page, 'page 5 of bundle.pdf is now part 3, other, a new part.');
    await page.getByText('one part will be read by nobody').waitFor();
    await page.locator('[data-sheet="5 bundle.pdf"]:focus').waitFor();
    await press('ArrowUp');
    expect(await focused(), 'the row above').to.equal('2 bundle.pdf');
    await press('Shift+ArrowRight');
    expect(await page.locator('.thumb[aria-selected=true]').count()).to.equal(2);
    await page.getByLabel('What part 4 is').selectOption('invoice');
    await strip(page, 3).getByText('read by Bill reader').waitFor();
    await press('?');
    await page.getByText('Begin a new part at this page').waitFor();
    await press('Escape');
    await save(page);
    expect(shown(await ended(run.id))).to.deep.equal([
      ['invoice', 1, 3],
      ['invoice', 2, 4],
      ['other', 5],
      ['invoice', 6],
    ]);
    await strip(page, 2).locator('.status', { hasText: 'ignored' }).waitFor();
    await page.context().close();
  });

  it('puts a file without pages into a part of its own, and keeps pages with their file', async () => {
    const run = await start([await mixed(), note]);
    const page = await open(run.id);
    await sheet(page, 0, 'note.txt').dragTo(strip(page, 0));
    await page.getByText('note.txt cannot be in a part of bundle.pdf').waitFor();
    await sheet(page, 0, 'note.txt').focus();
    await page.keyboard.press('m');
    await page.getByLabel('To').selectOption('new: order');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await has(page, [[1, 3], [2, 4], [6], [0], [5]]);
    await save(page);
    expect((await ended(run.id)).parts[3]).to.deep.include({ name: 'order', file_name: 'note.txt', pages: [] });
    await page.context().close();
  });

  it('asks before what is not saved is left, and keeps it', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    await sheet(page, 5).focus();
    await page.keyboard.press('p');
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(page.url()).to.include(run.id);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.locator('dialog button:not([aria-disabled])', { hasText: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await page.goBack();
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await has(page, [[1, 3], [2, 4], [6], [5]]);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await page.context().close();
  });

  it('keeps the moves over what another person has changed if they fit, and says so if they do not', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    const part = (name: string, ...pages: readonly number[]) => ({ name, file_name: 'bundle.pdf', pages });
    await sheet(page, 5).focus();
    await page.keyboard.press('p');
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await change(run.id, [part('invoice', 1, 3), part('invoice', 2, 4), part('other', 6)]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('They are shown as they are now, with your changes').waitFor();
    await has(page, [[1, 3], [2, 4, 5], [6], []]);
    await strip(page, 2).getByText('nobody reads it').waitFor();
    await save(page);
    expect(shown(await ended(run.id))).to.deep.equal([
      ['invoice', 1, 3],
      ['invoice', 2, 4, 5],
      ['other', 6],
    ]);
    await strip(page, 1).locator('.status', { hasText: 'ready' }).first().waitFor();
    await sheet(page, 3).focus();
    await page.keyboard.press('n');
    await has(page, [[1], [2, 3, 4, 5], [6], []]);
    await change(run.id, [part('invoice', 1, 3, 5), part('invoice', 2, 4), part('other', 6)]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('your changes do not fit them any more').waitFor();
    await has(page, [[1, 3, 5], [2, 4], [6], []]);
    await page.context().close();
  });

  it('leaves a part alone whose document is posted, and says which', async () => {
    const run = await start([await mixed()]);
    const page = await open(run.id);
    await sheet(page, 2).focus();
    await page.keyboard.press('p');
    await has(page, [[1, 2, 3], [4], [6], [5]]);
    await opened().query(`update documents set status = 'processed' where id = '${run.parts[0]?.document_id}'`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Part 1, invoice, pages 1, 3 of bundle.pdf: the document is posted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await strip(page, 0).getByText('posted: it stays as it is').waitFor();
    expect(await sheet(page, 1).getAttribute('draggable')).to.equal('false');
    await sheet(page, 3).focus();
    await page.keyboard.press('n');
    await page.getByText('Part 1, invoice, pages 1, 3 of bundle.pdf, stays as it is').waitFor();
    await has(page, [[1, 3], [2, 4], [6], [5]]);
    expect(shown(await get(run.id))).to.deep.equal(shown(run));
    await page.context().close();
  });

  it('draws of 300 pages those near what is seen alone, and moves them at once', async () => {
    const run = await start([await longPdf()], 'Post room, undivided');
    const before = opened().requests.length;
    const drawn = () =>
      opened()
        .requests.slice(before)
        .filter(({ url }) => /\/pages\/\d+$/.test(url.pathname));
    const page = await open(run.id);
    await page.locator('.thumb img').first().waitFor();
    await hasCount(page.locator('.thumb[aria-busy=true]'), 0);
    expect(await page.locator('.thumb').count()).to.equal(LONG);
    expect(drawn().length).to.be.within(10, 150);
    await sheet(page, LONG, 'long.pdf').scrollIntoViewIfNeeded();
    await sheet(page, LONG, 'long.pdf').locator('img').waitFor();
    await sheet(page, 150, 'long.pdf').focus();
    await page.keyboard.press('s');
    await page.locator('.strip').nth(2).waitFor();
    expect([(await pagesIn(strip(page, 0))).length, (await pagesIn(strip(page, 1))).length]).to.deep.equal([149, 151]);
    await page.keyboard.press('Control+a');
    await page.getByText('151 pages selected').waitFor();
    await page.keyboard.press('p');
    await hasCount(page.locator('.strip'), 2);
    await page.context().close();
  });

  it('shows a viewer the parts, and lets them move nothing', async () => {
    const run = await start([await mixed()]);
    await opened().query(`update users set role = 'viewer' where email = 'ada@example.com'`);
    try {
      const page = await open(run.id);
      await has(page, [[1, 3], [2, 4], [6], [5]]);
      await page.getByText('Drag pages').waitFor({ state: 'detached' });
      expect(await sheet(page, 1).getAttribute('draggable')).to.equal('false');
      await sheet(page, 5).focus();
      for (const key of ['p', 'n', 's', 'b', 'Delete']) await page.keyboard.press(key);
      await has(page, [[1, 3], [2, 4], [6], [5]]);
      expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).to.equal(0);
      await page.context().close();
    } finally {
      await opened().query(`update users set role = 'admin' where email = 'ada@example.com'`);
    }
  });

  it('says on a document that pages of its run are in no part, and leads there', async () => {
    const words = await bundleOf(
      [await simplePaper('Invoice', 'RE-9'), await simplePaper('Letter', 'L-1')],
      [
        { of: 0, page: 1 },
        { of: 1, page: 1 },
      ],
    );
    const run = await start([{ name: 'letters.pdf', type: 'application/pdf', data: words }]);
    const part = (name: string, ...pages: readonly number[]) => ({ name, file_name: 'letters.pdf', pages });
    await change(run.id, [part('order', 1)]);
    const now = await ended(run.id);
    const id = now.parts[0]?.document_id;
    const { data } = await call<{ review: { reasons: readonly { code: string }[] } }>(`/documents/${id}`);
    expect(data.review.reasons.map(({ code }) => code)).to.include('unassigned_pages');
    const page = await opened().open();
    await go(page, `/documents/${id}`);
    await page.getByText('Nobody reads letters.pdf, page 2').waitFor();
    await page.getByRole('link', { name: 'see the parts' }).click();
    await none(page).waitFor();
    await page.context().close();
  });
};
