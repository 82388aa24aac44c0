import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { type ConsoleWorld, isOfMenu, type Targets } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** What everyone has to be able to use, beside the documents and runs. */
export const otherTargets: Targets = {
  '/agents': null,
  'an agent': (world) => `/agents/${world.agent('Clerk')}`,
  'an agent that reads documents': (world) => `/agents/${world.agent('Invoices')}`,
  '/agents/none': null,
  '/data': null,
  '/data/databases/books?table=books.shop.goods': null,
  '/data/databases/none': null,
};

const applied = (world: ConsoleWorld, file: string) =>
  world.composition.container
    .get(WorkspaceService)
    .apply(readWorkspaceFile(`workspace: acme\n${file}`, {}), { dryRun: false, prune: false });

/** A table of so many rows is scrolled and searched, and has a few of them at any time. */
const drawsWhatIsSeen = async (page: Page, result: Locator, rows: number) => {
  const drawn = result.locator('tbody tr[aria-rowindex]');
  const last = result.locator(`tr[aria-rowindex="${rows + 1}"]`);
  expect(await result.locator('table').getAttribute('aria-rowcount')).to.equal(String(rows + 1));
  await drawn.first().waitFor();
  expect(await last.count(), 'not drawn yet').to.equal(0);
  const region = await result.elementHandle();
  await result.focus();
  // A key scrolls step by step, and the rows near those that are seen are drawn before they are there.
  await page.keyboard.press('End');
  await page.waitForFunction(
    (each) => each && each.scrollTop > 0 && each.scrollTop + each.clientHeight >= each.scrollHeight - 1,
    region,
  );
  expect(await last.locator('td').last().innerText()).to.equal(String(rows));
  const bottoms = await Promise.all(
    [last, result].map((each) => each.evaluate((element) => element.getBoundingClientRect().bottom)),
  );
  expect(bottoms[0], 'seen').to.be.at.most((bottoms[1] ?? 0) + 1);
  expect(await drawn.count()).to.be.below(200);
  await page.keyboard.press('Home');
  await page.waitForFunction((each) => each?.scrollTop === 0, region);
  await result.locator('tr[aria-rowindex="2"]').waitFor();
  const find = page.getByRole('searchbox', { name: 'Find in the rows' });
  await find.fill('=1+');
  await page.getByText('1 row in').waitFor();
  expect(await drawn.count()).to.equal(1);
  await find.fill('');
  await page.getByText('10,000 rows in').waitFor();
};

/** Tests of the pages of agents, data and events, in the browser and on the server of the others. */
export const otherPages = (world: () => ConsoleWorld, go: Go, hostile: string): void => {
  it('leads on from a page that cannot be drawn', async () => {
    const id = await world().newDocument(
      'not as expected.txt',
      finished({ data: { supplier: 'Meyer', total: 12, lines: [] } }),
    );
    const page = await world().open();
    const complained = world().complaints.length;
    const address = `**/api/v1/documents/${id}`;
    await page.route(address, async (route) => {
      const response = await route.fetch();
      const { data: document } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { data: { ...document, status: null } } });
    });
    await go(page, `/documents/${id}`);
    await page.getByText('This page cannot be drawn').waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('This page cannot be drawn').waitFor();
    await page.unroute(address);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'not as expected.txt' }).waitFor();
    expect(world().complaints.splice(complained).join()).to.include('TypeError');
    await page.context().close();
  });

  it('shows an agent with its tools, its versions, and a line for each program that uses it', async () => {
    const page = await world().open();
    await go(page, '/agents');
    await page.getByRole('link', { name: 'Clerk' }).click();
    await page.getByRole('heading', { name: 'Clerk', exact: true }).waitFor();
    await page.getByText('Process a document', { exact: true }).click();
    await page.getByText('process_document', { exact: true }).waitFor();
    await page.getByText(`claude mcp add --transport http clerk ${world().mcpUrl(world().agent('Clerk'))}`).waitFor();
    await page.getByText('Version 1').waitFor();
    await applied(
      world(),
      `agents: [{ name: Clerk, workflow_type: assistant, model: offline, instructions: '${hostile.replaceAll("'", "''")}' }]`,
    );
    await reload(page);
    await page.getByText('Version 2').click();
    const change = page.locator('.change').filter({ hasText: '/instructions' });
    expect(await change.locator('del').innerText()).to.include('Help.');
    expect(await change.locator('ins').innerText()).to.include(hostile);
    expect(await page.locator('.change').filter({ hasText: '/tools' }).locator('del').innerText()).to.include(
      'documents',
    );
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await page.context().close();
  });

  it('shows how an agent works: its instructions, the fields of its documents, its checks', async () => {
    const page = await world().open();
    await go(page, `/agents/${world().agent('Invoices')}`);
    const definition = page.locator('.definition');
    await definition.getByRole('row', { name: 'Total /total' }).waitFor();
    await definition.getByText('Review', { exact: true }).waitFor();
    expect(await definition.getByRole('row').allInnerTexts()).to.include('Amount /lines/*/amount\tnumber\t');
    await page.context().close();
  });

  it('shows what an agent reads of a file that is dropped on it, and keeps nothing of it', async () => {
    const page = await world().open();
    await go(page, `/agents/${world().agent('Invoices')}`);
    await world().working(true);
    const trial = page.locator('.trial');
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await trial.locator('input[type=file]').setInputFiles(file('tried.txt', 'Supplier: Meyer & Söhne\nTotal: 12.50'));
    await trial.getByRole('cell', { name: 'Meyer & Söhne', exact: true }).waitFor();
    expect(await trial.getByRole('row').allInnerTexts()).to.include('Total\t12.50\tTotal: 12.50');
    const kept = "select name from documents where name like 'tried%' and status <> 'trashed'";
    expect(await world().query(kept)).to.deep.equal([]);
    await trial.locator('input[type=file]').setInputFiles(file('tried empty.txt', ''));
    await trial.getByRole('alert').getByText('tried empty.txt').waitFor();
    expect(await world().query(kept)).to.deep.equal([]);
    expect(await world().query('select from runs where trial'), 'where the page is closed before').to.have.length(2);
    await world().working(false);
    await page.context().close();
  });

  it('shows rows page by page with every digit, runs queries, and copies what no spreadsheet runs', async () => {
    await world().newData('books', [
      'create schema shop',
      `create table shop.goods as select n as id, 9007199254740993 + n as code, 12345678901234567.89 as price,
        case n when 1 then '=1+2' when 2 then $hostile$${hostile}$hostile$ else 'good' end as name,
        case n when 7 then repeat('a long note ', 40) else '' end as note from generate_series(1, 10000) n`,
      'alter table shop.goods add primary key (id)',
    ]);
    const page = await world().open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await go(page, '/data');
    await page.getByRole('link', { name: 'Books' }).click();
    await page.getByRole('link', { name: 'shop.goods' }).click();
    await page.getByRole('cell', { name: '9007199254740994' }).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(100);
    const heights = "[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)";
    expect(Math.max(...((await page.evaluate(heights)) as number[])), 'one line for each row').to.be.below(40);
    const note = page.getByRole('cell', { name: 'a long note' });
    expect(await note.getAttribute('title'), 'the whole of it').to.equal('a long note '.repeat(40));
    const asked = () => world().requests.filter((each) => !isOfMenu(each)).length;
    const before = asked();
    await page.getByRole('button', { name: 'Rows after' }).click();
    await page.getByText('Rows 101 to 200').waitFor();
    expect(asked(), 'rows that were read already').to.equal(before);
    await reload(page);
    await page.getByText('Rows 101 to 200').waitFor();
    expect(await page.getByRole('combobox', { name: 'Table' }).locator('option:checked').textContent()).to.equal(
      'shop.goods',
    );
    await page.goBack();
    const editor = page.getByLabel('SELECT statement');
    await editor.fill('select nothing from shop.goods');
    await editor.press('Control+Enter');
    await page.locator('.query .failure').getByText('nothing').waitFor();
    await editor.fill('select price, name, id from shop.goods order by id');
    await editor.press('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('12345678901234567.89').first().waitFor();
    await drawsWhatIsSeen(page, result, 10_000);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await page.getByRole('button', { name: 'Copy as CSV' }).first().click();
    await page.getByText('10,000 rows are in the clipboard').waitFor();
    const [head, first, second] = ((await page.evaluate('navigator.clipboard.readText()')) as string).split(/\r?\n/);
    expect([head, first]).to.deep.equal(['price,name,id', "12345678901234567.89,'=1+2,1"]);
    expect(second).to.equal(`12345678901234567.89,"${hostile.replaceAll('"', '""')}",2`);
    await page.context().close();
  });
};

const markdown = [
  '# Bolts',
  '',
  '- **two** of `steel`, see [the list](https://example.com/list) or [this](javascript:alert(1))',
  '- ![a picture](https://example.com/a.png)',
  '',
  '| Bolt | Price |',
  '|-|-:|',
  '| M8 | 0.12 |',
];

/** Tests of conversations, in the browser and on the server of the others. */
export const conversations = (world: () => ConsoleWorld, go: Go, hostile: string): void => {
  it('talks with an agent while it answers, folds its tool calls, and loses nothing by a reload', async () => {
    const page = await world().open();
    await go(page, `/agents/${world().agent('Clerk')}`);
    await world().working(true);
    const message = page.getByLabel('Message to the agent');
    await message.fill(`Hello ${hostile}`);
    await reload(page);
    expect(await message.inputValue(), 'what was written').to.equal(`Hello ${hostile}`);
    await message.press('Enter');
    await page.getByText('I am the offline model').waitFor({ timeout: 30_000 });
    expect(new URL(page.url()).searchParams.get('conversation')).to.be.a('string');
    const streams = world().requests.length;
    await message.fill('/list_documents {"limit": 1}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.call').getByText('answered').waitFor();
    await page.getByText('list_documents answered:').waitFor();
    expect(
      world()
        .requests.slice(streams)
        .filter(({ url }) => url.pathname.endsWith('/messages')),
    ).to.have.length(1);
    expect(await page.locator('.call pre').first().isVisible(), 'folded').to.equal(false);
    await reload(page);
    await page.getByText('list_documents answered:').waitFor();
    expect(await page.locator('.talk > li').count()).to.equal(5);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    await world().query("update messages set content = $1 where content like 'I am the offline model%'", [
      [...markdown, '', hostile, '', `${'> '.repeat(500)}deep`].join('\n'),
    ]);
    await reload(page);
    const deep = page.locator('.talk .said', { hasText: 'deep' });
    await deep.waitFor();
    expect(await deep.innerText(), 'too deep to be drawn').to.include('**two**');
    await world().query("update messages set content = $1 where content like '# Bolts%'", [
      [...markdown, '', hostile].join('\n'),
    ]);
    await reload(page);
    const written = page.locator('.written').first();
    await written.getByRole('cell', { name: '0.12' }).waitFor();
    expect(await written.locator('h4, strong, code').allInnerTexts()).to.deep.equal(['Bolts', 'two', 'steel']);
    expect(await page.evaluate("[...document.querySelectorAll('.written a')].map(({ href }) => href)")).to.deep.equal([
      'https://example.com/list',
      'https://example.com/a.png',
    ]);
    expect(await written.locator('img, script').count()).to.equal(0);
    expect(await written.innerText()).to.include(hostile);
    await message.fill('/get_document {"id": 5}');
    await message.press('Enter');
    await page.locator('.call.failed').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Write to the agent: it answers here').waitFor();
    await page.getByText('Earlier conversations').click();
    await page
      .locator('.unit button', { has: page.locator('time') })
      .first()
      .click();
    await page.getByText('list_documents answered:').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Write to the agent: it answers here').waitFor();
    await go(page, `/agents/${world().agent('Clerk')}?conversation=none`);
    await page.getByText('There is no such conversation').waitFor();
    await page.context().close();
  });
};
