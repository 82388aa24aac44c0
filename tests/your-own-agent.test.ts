import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import pg from 'pg';
import { codeOf } from '../src/domain/errors.ts';
import { browser } from './oauth/browser.ts';
import { embeddedPostgres } from './support/backends.ts';
import { emptyDatabase } from './support/postgres.ts';
import { aServer, demoKey, type Server } from './support/server.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The blocks of the page: their kinds (none for what a command prints) and texts, in order. */
const blocksOf = (page: string) =>
  [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, kind = '', block = '']) => ({ kind, block }));

/** What is printed, with ids that differ each time made the same. */
const settled = (printed: string) => printed.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID').trim();

describe('the page on an agent of your own', () => {
  let server: Server;
  let own: { readonly url: string; drop(): Promise<void> };
  let folder: string;

  before(async function () {
    const url = await embeddedPostgres.url();
    if (url === null) return this.skip();
    own = await emptyDatabase(url);
    server = await aServer();
    await server.start();
    // What `npx portico` finds in a clone; what the commands write stays in this folder.
    folder = await mkdtemp(path.join(tmpdir(), 'portico-page-'));
    await mkdir(path.join(folder, 'node_modules/.bin'), { recursive: true });
    await symlink(path.join(root, 'bin/portico.mjs'), path.join(folder, 'node_modules/.bin/portico'));
  });

  after(async () => {
    await server?.close();
    await own?.drop();
    if (folder) await rm(folder, { recursive: true });
  });

  const inShell = async (script: string) => {
    const { dataDir, baseUrl } = server;
    const { PATH = '', HOME = '', LANG = 'C.UTF-8' } = process.env;
    const settings = { DATA_DIR: dataDir, PORTICO_URL: baseUrl, MY_DATABASE_URL: own.url };
    const shell = spawn('sh', ['-e', '-c', script], {
      cwd: folder,
      env: { PATH, HOME, LANG, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, said, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')]);
    expect(code, `${printed}\n${said}`).to.equal(0);
    return printed;
  };

  it('has commands that work as they stand, print what it shows, and end with the row', async () => {
    const blocks = blocksOf(await readFile(path.join(root, 'docs/your-own-agent.md'), 'utf8'));
    const client = new pg.Client({ connectionString: own.url });
    await client.connect();
    try {
      for (const { block } of blocks.filter(({ kind }) => kind === 'sql')) await client.query(block);
      const separator = '----------';
      const commands = blocks.filter(({ kind }) => kind === 'sh').map(({ block }) => block);
      expect(commands).to.have.length.above(3);
      const printed = (await inShell(commands.join(`echo ${separator}\n`))).split(`${separator}\n`);
      // Each block of commands is followed by one of what it prints.
      const shown = blocks.filter(({ kind }) => kind === '').map(({ block }) => settled(block));
      for (const [index, block] of shown.entries()) expect(settled(printed[index] ?? '')).to.include(block);
      expect(shown).to.have.length(commands.length);
      const { rows } = await client.query(
        'select supplier, bill_date::text, total, document_id is not null as known from public.bills',
      );
      expect(rows).to.deep.equal([
        { supplier: 'Alder Street Bakery', bill_date: '2026-11-06', total: '84.00', known: true },
      ]);
    } finally {
      await client.end();
    }
  });

  it('is preceded by the walk of the README, whose commands find what they need by themselves', async () => {
    const walk = blocksOf(await readFile(path.join(root, 'README.md'), 'utf8')).find(({ block }) =>
      block.includes('$RUN'),
    );
    const key = await demoKey(server);
    const commands = walk?.block.replace('svc-…', key).replace('http://localhost:3000', server.baseUrl) ?? '';
    const answers = (await inShell(commands)).split('}{').join('}\n{').split('\n');
    const statuses = answers.map((line) => (JSON.parse(line) as { data: { status: string } }).data.status);
    expect(statuses).to.deep.equal(['ready', 'processed']);
  });

  it('makes the table in the embedded PostgreSQL for those who have none, where the new login may use nothing else', async () => {
    const blocks = blocksOf(await readFile(path.join(root, 'docs/your-own-agent.md'), 'utf8'));
    await writeFile(path.join(folder, 'bills.sql'), blocks.find(({ kind }) => kind === 'sql')?.block ?? '');
    const command = 'npx portico database create bills';
    const url = new URL((await inShell(`${command} --sql bills.sql`)).trim());
    const ask = async (address: URL, statement: string) => {
      const client = new pg.Client({ connectionString: address.href });
      try {
        await client.connect();
        return (await client.query(statement)).rows;
      } finally {
        await client.end();
      }
    };
    const refused = async (address: URL, statement: string) => (await ask(address, statement).catch(codeOf)) as string;
    expect(await ask(url, 'select count(*)::int as rows from public.bills')).to.deep.equal([{ rows: 0 }]);
    expect(await refused(url, 'create role other')).to.equal('42501');
    const again = new URL((await inShell(command)).trim());
    expect(await refused(url, 'select 1'), 'the old password').to.equal('28P01');
    expect(await ask(again, 'select count(*)::int as rows from public.bills')).to.deep.equal([{ rows: 0 }]);
    const portico = Object.assign(new URL(again), { pathname: '/postgres' });
    expect(await refused(portico, 'select email from users')).to.equal('42501');
  });

  it('ends in the console of the server that runs', async () => {
    const blocks = blocksOf(await readFile(path.join(root, 'docs/your-own-agent.md'), 'utf8'));
    const invite = blocks.find(({ block }) => block.includes('users invite'))?.block.replace('$ ', '') ?? '';
    const link = (await inShell(invite)).trim();
    expect(link).to.match(new RegExp(`^${server.baseUrl}/oauth/invitation/`));
    const on = browser(server.baseUrl);
    const password = 'seven grey herons at noon';
    const done = await on.press(await on.open(link), 'Set the password', { password, again: password });
    expect(done.text).to.include(`href="${server.baseUrl}/console"`);
  });
});
