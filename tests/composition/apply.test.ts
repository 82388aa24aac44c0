import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import { readConfig } from '../../src/composition/config.ts';
import { openOperator } from '../../src/composition/operator.ts';
import { cli } from '../cli/run-cli.ts';
import { aPlace } from '../support/here.ts';
import { quiet } from '../support/log.ts';

interface Line {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id: string;
}

const reader = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';
const other = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e02';
const agent = (words: string) => `  - { ${words}, workflow_type: assistant, model: offline, instructions: Help. }\n`;

describe('portico apply on a database', () => {
  const key = randomBytes(32).toString('base64');
  let place: Awaited<ReturnType<typeof aPlace>>;

  const run = (text: string, args: readonly string[] = [], encryptionKey = key) =>
    cli(['apply', '-f', '-', ...args], {
      stdin: Readable.from([text]),
      openOperator: () => openOperator(readConfig({ ...place.settings, ENCRYPTION_KEY: encryptionKey }), quiet),
    });
  const changesOf = async (...given: Parameters<typeof run>): Promise<readonly Line[]> => {
    const { code, out, err } = await run(given[0], [...(given[1] ?? []), '--json'], given[2]);
    expect(code, err).to.equal(0);
    return (JSON.parse(out) as { changes: readonly Line[] }).changes;
  };
  const actionsOf = (changes: readonly Line[], kind: string) =>
    changes.filter((change) => change.kind === kind).map(({ action, name }) => `${action} ${name}`);

  beforeEach(async () => {
    place = await aPlace();
  });
  afterEach(() => place.remove());

  it('leaves the name of an agent that is renamed by its id to another one', async () => {
    await changesOf(`workspace: acme\nagents:\n${agent(`id: ${reader}, name: Reader`)}`);
    const file = `workspace: acme\nagents:\n${agent(`id: ${reader}, name: Old reader`)}${agent('name: Reader')}`;
    const [, renamed, made] = await changesOf(file);
    expect(renamed).to.include({ action: 'change', name: 'Old reader', id: reader });
    expect(made).to.include({ action: 'create', name: 'Reader' });
    expect(made?.id).not.to.equal(reader);
    expect(actionsOf(await changesOf(file), 'agents')).to.deep.equal(['keep Old reader', 'keep Reader']);
  });

  it('refuses a name that stays with what the file leaves out, with its line, on a dry run as well; --prune frees it', async () => {
    const connection = (words: string) => `connections:\n  - { ${words}, type: postgresql, url: "postgres://h/d" }\n`;
    await changesOf(`workspace: acme\n${connection('name: erp')}agents:\n${agent('name: Reader')}`);
    const file = `workspace: acme\n${connection(`id: ${other}, name: erp`)}agents:\n${agent(`id: ${reader}, name: Reader`)}`;
    for (const args of [['--dry-run'], []]) {
      const { code, err } = await run(file, args);
      const places = err.matchAll(
        /^ {2}stdin:(\d+):\d+ (\S+) is the name of another one, .* has the id [0-9a-f-]{36}: /gm,
      );
      expect([code, ...[...places].map(([, line, at]) => `${line} ${at}`)]).to.deep.equal([
        1,
        '3 connections[0].name',
        '5 agents[0].name',
      ]);
    }
    expect(actionsOf(await changesOf(file, ['--prune']), 'agents')).to.deep.equal(['create Reader', 'remove Reader']);
  });

  it('refuses an id of another workspace, with its line, on a dry run as well', async () => {
    const connection = `connections:\n  - { id: ${other}, name: erp, type: postgresql, url: "postgres://h/d" }\n`;
    const parts = `${connection}agents:\n${agent(`id: ${reader}, name: Reader`)}`;
    await changesOf(`workspace: acme\n${parts}`);
    for (const args of [['--dry-run'], []]) {
      const { code, err } = await run(`workspace: globex\n${parts}`, args);
      const places = err.matchAll(/^ {2}stdin:(\d+):\d+ (\S+) \S{36} is an id of another workspace$/gm);
      expect([code, ...[...places].map(([, line, at]) => `${line} ${at}`)], err).to.deep.equal([
        1,
        '3 connections[0].id',
        '5 agents[0].id',
      ]);
    }
    expect(actionsOf(await changesOf(`workspace: acme\n${parts}`), 'agents')).to.deep.equal(['keep Reader']);
  });

  it('says of an id that is none, as of everything else, what is wrong with it', async () => {
    const text = `workspace: acme\nagents:\n${agent('id: reader, name: Reader, visible_to: [ada@example.com]')}`;
    for (const args of [['--dry-run'], []]) {
      const { code, err } = await run(text, args);
      expect(code, err).to.equal(1);
      expect(err).to.match(/^ {2}stdin:3:\d+ agents\[0\]\.id must be a UUID/m);
      expect(err).to.match(/^ {2}stdin:3:\d+ agents\[0\]\.visible_to\[0\] /m);
    }
  });

  it('seals anew what a lost key has sealed, where it is told so, and nothing otherwise', async () => {
    const file = `workspace: acme
connections:
  - { name: erp, type: postgresql, url: "postgres://u:hush@127.0.0.1:1/erp" }
agents:
${agent('name: Reader')}webhooks:
  - { url: "https://hooks.example.com/in", events: ["*"], secret: hush-hook }
  - { url: "https://hooks.example.com/in?token=hush", events: ["*"], secret: hush-hook }
sources:
  - { name: mail, agent: Reader, type: imap, url: "imaps://ada:hush@mail.example.com/INBOX" }
`;
    await changesOf(file);
    const young = randomBytes(32).toString('base64');
    const client = new pg.Client({ connectionString: place.settings.DATABASE_URL });
    await client.connect();
    const sealed = async () =>
      (await client.query('select sealed_url, (select sealed_place from sources) from connections')).rows;
    try {
      const before = await sealed();
      const refused = await run(file, [], young);
      expect(refused.code).to.equal(1);
      expect(refused.err).to.match(
        /^portico: A stored secret cannot be opened: .* "portico apply --reseal" seals anew what the file has\.\n$/,
      );
      expect(await sealed()).to.deep.equal(before);
      const changes = await changesOf(file, ['--reseal', '--prune'], young);
      expect(['connections', 'sources'].flatMap((kind) => actionsOf(changes, kind))).to.deep.equal([
        'change erp',
        'change mail',
      ]);
      expect(actionsOf(changes, 'webhooks')).to.deep.equal([
        'change https://hooks.example.com/in',
        'create https://hooks.example.com/in',
        'remove https://hooks.example.com/in',
      ]);
      expect(new Set((await changesOf(file, [], young)).map(({ action }) => action))).to.deep.equal(new Set(['keep']));
    } finally {
      await client.end();
    }
  });
});
