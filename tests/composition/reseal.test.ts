import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { type Ended, type Environment, portico } from '../support/program.ts';

const file = `
workspace: acme
users: [{ email: ada@example.com, name: Ada, role: admin }]
connections: [{ name: erp, type: postgresql, url: "postgres://u:hush-erp@127.0.0.1:1/erp" }]
agents:
  - name: Clerk
    workflow_type: assistant
    model: offline
    instructions: Help.
    tools:
      - http: { name: rates, description: Rates., url: "https://rates.example.com/?key=hush-rates", body: { exact: 12345678901234567890.10 }, method: POST }
webhooks:
  - { url: "https://hooks.example.com/in?token=hush-hook", events: ["*"], secret: [hush-new, hush-old] }
prices: { currency: EUR, ocr_page: "0.001", models: { openai/later: { output: "2", input: "1" }, openai/a: { input: "0.10", output: "1" } } }
`;

describe('portico secrets reseal', () => {
  const [old, young] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  let folder: string;
  let postgres: OwnDatabase;
  let client: pg.Client;

  const command = async (key: string, ...args: readonly string[]): Promise<Ended> => {
    const env: Environment = { DATABASE_URL: postgres.url, DATA_DIR: folder, ENCRYPTION_KEY: key, LOG_LEVEL: 'error' };
    return portico(args, env);
  };
  const succeeds = async (key: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await command(key, ...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const apply = (key: string) => succeeds(key, 'apply', '-f', path.join(folder, 'workspace.yaml'), '--json');
  const stored = async () => {
    const { rows } = await client.query<{ all: string }>(
      `select concat_ws(' ', (select string_agg(sealed_url, ' ') from connections), (select string_agg(sealed_url || ' ' || sealed_secret, ' ') from webhooks),
        (select string_agg(tools::text, ' ') from agents), (select string_agg(tools::text, ' ') from agent_versions)) as all`,
    );
    return rows[0]?.all ?? '';
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-reseal-'));
    postgres = await embeddedDatabase();
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await writeFile(path.join(folder, 'workspace.yaml'), file);
    await apply(old);
  });
  after(async () => {
    await client?.end();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('seals everything with the first key, so that the others are needed no more, and changes no definition', async () => {
    const before = await stored();
    expect(
      (await command(young, 'apply', '-f', path.join(folder, 'workspace.yaml'))).code,
      'with the new key alone',
    ).to.equal(1);
    const said = await succeeds(`${young}, ${old}`, 'secrets', 'reseal');
    expect(said).to.match(/^Sealed 5 values anew/);
    const after = await stored();
    for (const sealed of before.match(/v1\.[\w-]+/g) ?? []) expect(after).to.not.include(sealed);
    expect(after.replaceAll(/v1\.[\w-]+/g, ''), 'what is not sealed').to.equal(before.replaceAll(/v1\.[\w-]+/g, ''));
    const { rows } = await client.query('select version from agent_versions');
    expect(rows, 'versions').to.deep.equal([{ version: 1 }]);
    const { changes } = JSON.parse(await apply(young)) as { changes: readonly { action: string }[] };
    expect(changes.map(({ action }) => action)).to.deep.equal(changes.map(() => 'keep'));
    expect(await succeeds(`${young},${old}`, 'secrets', 'reseal')).to.include('already');
  });

  it('still refuses that a version is changed', async () => {
    const refusal = await client.query(`update agent_versions set tools = '[]'`).catch(({ message }: Error) => message);
    expect(refusal).to.equal('The definition of a version never changes.');
  });

  it('changes nothing where a key is missing', async () => {
    const before = await stored();
    const { code, stderr } = await command(old, 'secrets', 'reseal');
    expect([code, stderr]).to.deep.equal([
      1,
      'portico: A stored secret cannot be opened: it was sealed with another ENCRYPTION_KEY, or it was changed. ' +
        'If that key is lost, "portico secrets reseal --skip-lost" leaves what it has sealed as it is.\n',
    ]);
    expect(await stored()).to.equal(before);
  });

  it('leaves what a lost key has sealed where it is told so, and seals the rest', async () => {
    const [third, fourth] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    await succeeds(third, 'apply', '-f', path.join(folder, 'workspace.yaml'), '--reseal', '--prune');
    expect((await command(`${fourth},${third}`, 'secrets', 'reseal')).code, 'with the version of before').to.equal(1);
    const said = JSON.parse(await succeeds(`${fourth},${third}`, 'secrets', 'reseal', '--skip-lost', '--json'));
    expect(said).to.deep.equal({ resealed: 5, lost: 3 });
    const { changes } = JSON.parse(await apply(fourth)) as { changes: readonly { action: string }[] };
    expect(changes.map(({ action }) => action)).to.deep.equal(changes.map(() => 'keep'));
  });
});
