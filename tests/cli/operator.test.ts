import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { CreatedKey } from '../../src/application/access/keys.ts';
import type { UnusableTool } from '../../src/application/tools/tools.ts';
import type { WebhookService } from '../../src/application/webhooks/webhooks.ts';
import type { Change } from '../../src/application/workspace/merge.ts';
import { DomainError, invalid } from '../../src/domain/errors.ts';
import type { WorkspaceSpec } from '../../src/domain/workspace-spec.ts';
import { cli, lines } from './run-cli.ts';

const id = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';
const at = new Date('2026-11-20T09:30:00.000Z');

describe('portico apply', () => {
  let folder: string;
  const applied: { spec: WorkspaceSpec; options: object }[] = [];
  let changes: readonly Change[] | DomainError = [];
  const workspaces = {
    apply: async (spec: WorkspaceSpec, options: object) => {
      applied.push({ spec, options });
      if (changes instanceof DomainError) throw changes;
      return changes;
    },
  };
  let leftOut: readonly UnusableTool[] = [];
  const tools = { unusable: async () => leftOut };
  const file = async (text: string) => {
    await writeFile(path.join(folder, 'w.yaml'), text);
    return path.join(folder, 'w.yaml');
  };
  const apply = async (text: string, ...more: string[]) =>
    cli(['apply', '-f', await file(text), ...more], { operator: { workspaces, tools }, env: { NAME: 'Ada' } });
  const good = `workspace: acme\nusers:\n  - { email: ada@example.com, name: "\${NAME}" }\n`;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-cli-'));
    applied.length = 0;
    leftOut = [];
    changes = [
      { action: 'create', kind: 'workspace', name: 'acme', id },
      { action: 'change', kind: 'users', name: 'ada@example.com', id },
      { action: 'keep', kind: 'connections', name: 'erp', id },
      { action: 'missing', kind: 'agents', name: 'Old\u001b[1m', id },
    ];
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('names the agents for which it is open whether their tools may write once they have read what others wrote', async () => {
    const connections =
      'connections:\n  - { name: erp, type: sqlserver, url: "mssql://h/d" }\n  - { name: pg, type: postgresql, url: "postgresql://h/d" }\n';
    const agent = (name: string, ...tools: readonly string[]) =>
      `  - { name: ${name}, workflow_type: assistant, model: offline, instructions: x, tools: [${tools.join(', ')}] }\n`;
    const post = 'http: { name: book, method: POST, url: "https://x.example" }';
    const agents = [
      agent(
        'Open',
        'search_web',
        '{ connection: erp, write: true }',
        '{ connection: pg, write: true }',
        `{ ${post} }`,
        '{ agent: Decided }',
        '{ mcp: { name: lab, url: "https://x.example" } }',
      ),
      agent('Decided', '{ connection: erp, write: true, untrusted: allow }', `{ ${post}, untrusted: refuse }`),
      agent('Reads', '{ connection: erp }', '{ connection: pg }', '{ http: { name: look, url: "https://x.example" } }'),
      agent('Asks', `{ ${post}, requires_approval: true }`),
    ];
    const text = `${good}${connections}agents:\n${agents.join('')}`;
    const { out } = await apply(text);
    const open = lines(out).filter((line) => line.startsWith('To decide'));
    expect(open).to.have.length(1);
    expect(open[0]).to.match(
      /^To decide for the agent Open: it reads what its users did not write \(files, search_web, connection erp, connection pg, mcp lab\)/,
    );
    expect(open[0])
      .to.contain('by connection erp, connection pg, http book, agent Decided, mcp lab. ')
      .and.to.contain('`untrusted: refuse`');
    const { open_decisions: decisions } = JSON.parse((await apply(text, '--json')).out);
    expect(decisions).to.have.length(1);
    expect(decisions[0]).to.include({ agent: 'Open' });
  });

  it('prints what it creates, changes, leaves and misses', async () => {
    const { code, out, err } = await apply(good);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(lines(out)).to.deep.equal([
      `create   workspace   acme  ${id}`,
      `change   user        ada@example.com  ${id}`,
      `keep     connection  erp  ${id}`,
      `missing  agent       Old\\u001b[1m  ${id}`,
      '1 created, 1 changed, 1 left as they are, 1 missing from the file.',
      'What is missing from the file stays; --prune removes it.',
    ]);
    expect(applied[0]?.options).to.deep.equal({ dryRun: false, prune: false, reseal: false });
    expect(applied[0]?.spec.users[0]?.name).to.equal('Ada');
  });

  it('warns of the tools of other servers that cannot be offered, and says why', async () => {
    leftOut = [{ agent: 'Clerk', tool: 'mcp lab odd\u001b[1m', reason: 'cannot be offered: it has no name' }];
    const { code, out } = await apply(good, '--dry-run');
    expect(code).to.equal(0);
    expect(lines(out)).to.include(
      'Left out of the agent Clerk: mcp lab odd\\u001b[1m cannot be offered: it has no name',
    );
    expect(JSON.parse((await apply(good, '--json')).out)).to.deep.include({ left_out: leftOut });
  });

  it('says what it did before it waits for the servers of tools, and also where that is interrupted', async () => {
    const interrupt = new AbortController();
    const unusable = () => {
      interrupt.abort();
      return new Promise<never>(() => {});
    };
    const { code, out } = await cli(['apply', '-f', await file(good)], {
      operator: { workspaces, tools: { unusable } },
      env: { NAME: 'Ada' },
      interrupt: interrupt.signal,
    });
    expect([code, lines(out)[0]]).to.deep.equal([130, `create   workspace   acme  ${id}`]);
  });

  it('names the agents that a budget does not count, because their models have no price', async () => {
    const agent = (name: string, model: string) =>
      `  - { name: ${name}, workflow_type: assistant, model: ${model}, instructions: Help. }\n`;
    const text = `${good}agents:
${agent('Free', 'offline')}${agent('Priced', 'openai/gpt-5')}${agent('Unpriced', 'openai/gpt-6')}
prices: { currency: EUR, models: { openai/gpt-5: { input: "1", output: "2" } } }
budgets:
  - { name: All, period: month, limit: "100.00", action: stop }
  - { name: One, agent: Priced, period: day, limit: "1.00", action: stop }
`;
    const said = lines((await apply(text)).out).filter((line) => line.startsWith('Not counted'));
    expect(said).to.deep.equal([
      'Not counted by the budget All: the agent Unpriced, whose model openai/gpt-6 has no price',
    ]);
  });

  it('names the webhooks whose secrets can be guessed, without what is secret of them', async () => {
    const long = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const text = `${good}webhooks:
  - { url: "https://a.example/services/T0HUSH", events: ["*"], secret: hush }
  - { url: "https://b.example/in", events: ["*"], secret: ${long} }
  - { url: "https://c.example/in", events: ["*"], secret: [${long}, whsec_aHVzaGh1c2g=] }
`;
    const { out } = await apply(text);
    expect(lines(out).filter((line) => line.startsWith('Short'))).to.deep.equal([
      'Short: the secret of the webhook https://a.example/services/… has 4 bytes, and can be guessed; Standard Webhooks asks for 24',
      'Short: the secret of the webhook https://c.example/in has 8 bytes, and can be guessed; Standard Webhooks asks for 24',
    ]);
    expect(out).not.to.match(/hush/i);
  });

  it('only says what it would do', async () => {
    const { out } = await apply(good, '--dry-run', '--prune');
    expect(out).to.include('1 to create, 1 to change').and.include('Nothing was changed.');
    expect(applied[0]?.options).to.deep.equal({ dryRun: true, prune: true, reseal: false });
  });

  it('prints JSON', async () => {
    expect(JSON.parse((await apply(good, '--json')).out)).to.deep.equal({
      workspace: 'acme',
      dry_run: false,
      changes,
      open_decisions: [],
      left_out: [],
    });
  });

  it('reads standard input', async () => {
    expect(
      await cli(['apply', '-f', '-'], {
        operator: { workspaces, tools },
        env: { NAME: 'Ada' },
        stdin: Readable.from([good]),
      }),
    ).to.include({
      code: 0,
    });
  });

  it('lists every error of the file with its place, also where nothing can be opened', async () => {
    const text = 'workspace: acme\nuser:\n  - { email: ada@example.com }\nagents: nothing\n';
    const { code, err } = await cli(['apply', '-f', await file(text)]);
    expect(code).to.equal(1);
    const name = path.join(folder, 'w.yaml');
    expect(lines(err)).to.deep.equal([
      `portico: ${name} has 2 errors; nothing was applied:`,
      `  ${name}:2:1 user is not a field of this file; did you mean users?`,
      `  ${name}:4:1 agents must be a list, not text`,
    ]);
  });

  it('finds the place of an error that was found on applying', async () => {
    changes = invalid({ path: 'users[0].email', message: 'belongs to a user of another workspace' });
    const { code, err } = await apply(good);
    expect(code).to.equal(1);
    expect(lines(err)[1]).to.match(/w\.yaml:3:7 users\[0\]\.email belongs to a user of another workspace$/);
  });

  it('refuses what is not UTF-8, of a file and of standard input, and takes a byte order mark', async () => {
    const name = await file('');
    const latin = Buffer.from(good.replace('acme', 'M\u00fcller'), 'latin1');
    for (const bytes of [latin, Buffer.from(`\ufeff${good}`, 'utf16le')]) {
      await writeFile(name, bytes);
      const given = { operator: { workspaces, tools }, env: { NAME: 'Ada' } };
      expect((await cli(['apply', '-f', name], given)).err).to.equal(
        `portico: ${name} is not UTF-8: save it in this encoding\n`,
      );
      const piped = await cli(['apply', '-f', '-'], { ...given, stdin: Readable.from([bytes]) });
      expect([piped.code, piped.err]).to.deep.equal([1, 'portico: stdin is not UTF-8: save it in this encoding\n']);
    }
    expect(applied).to.deep.equal([]);
    expect((await apply(`\ufeff${good}`)).code).to.equal(0);
  });

  it('says that a file cannot be read', async () => {
    expect(await cli(['apply', '-f', path.join(folder, 'nope.yaml')])).to.include({ code: 1 });
    expect((await cli(['apply', '-f', folder])).err).to.include('cannot be read: EISDIR');
    expect(await cli(['apply'])).to.include({ code: 2 });
  });
});

describe('portico for the operator', () => {
  const key: CreatedKey = {
    id,
    key: 'svc-abc',
    name: 'ci',
    user: 'ada@example.com',
    expiresAt: at,
    scopes: ['runs:read'],
  };

  it('creates a key: the key alone is the result', async () => {
    const asked: object[] = [];
    const keys = {
      create: async (terms: object) => {
        asked.push(terms);
        return key;
      },
      list: async () => [],
      revoke: async () => {},
      rotate: async () => key,
    };
    const argv = [
      'keys',
      'create',
      '--user',
      'ada@example.com',
      '--name',
      'ci',
      '--expires',
      '90d',
      '--scopes',
      'runs:read, agents:read',
    ];
    const { code, out, err } = await cli(argv, { operator: { keys } });
    expect({ code, out }).to.deep.equal({ code: 0, out: 'svc-abc\n' });
    expect(err).to.include('It is shown only now');
    expect(asked).to.deep.equal([
      { email: 'ada@example.com', name: 'ci', lifetimeDays: 90, scopes: ['runs:read', 'agents:read'] },
    ]);
    const wire = {
      id,
      key: 'svc-abc',
      name: 'ci',
      user: 'ada@example.com',
      expires_at: at.toISOString(),
      scopes: ['runs:read'],
    };
    expect(JSON.parse((await cli([...argv, '--json'], { operator: { keys } })).out)).to.deep.equal(wire);
    await cli(['keys', 'create', '--user', 'ada@example.com', '--expires', '12h'], { operator: { keys } });
    expect(asked.at(-1)).to.deep.equal({ email: 'ada@example.com', name: 'cli', lifetimeDays: 0.5, scopes: null });
  });

  it('checks the options of a key', async () => {
    for (const more of [
      [],
      ['--user', 'a', '--expires', '90'],
      ['--user', 'a', '--expires', '0d'],
      ['--user', 'a', '--expires', '9999d'],
      ['--user', 'a', '--scopes', 'a,,b'],
    ]) {
      expect(await cli(['keys', 'create', ...more]), more.join(' ')).to.include({ code: 2 });
    }
    for (const name of [' ', '\u200b', 'x'.repeat(101)]) {
      const { code, err } = await cli(['keys', 'create', '--user', 'a', '--name', name]);
      expect([code, err.split(', not')[0]]).to.deep.equal([
        2,
        'portico: the name must be a string of 1 to 100 characters that is not blank, without NUL',
      ]);
    }
  });

  it('lists and revokes keys', async () => {
    const stored = {
      id,
      userId: id,
      email: 'ada@example.com',
      name: 'ci',
      prefix: 'svc-abcd',
      hash: 'hush',
      scopes: null,
      expiresAt: at,
      lastUsedAt: null,
      revokedAt: null,
      madeWith: null,
      replaces: null,
      windowId: null,
      selfIssued: false,
      createdAt: at,
    };
    const revoked: string[] = [];
    const keys = {
      create: async () => key,
      list: async () => [stored],
      revoke: async (given: string) => void revoked.push(given),
      rotate: async () => key,
    };
    const { out } = await cli(['keys', 'list'], { operator: { keys } });
    expect(lines(out)[1]).to.match(
      new RegExp(`^${id} {2}ada@example.com {2}(valid|expired) +2026-11-20 09:30 +- +all +ci$`),
    );
    const json = (await cli(['keys', 'list', '--user', 'ada@example.com', '--json'], { operator: { keys } })).out;
    expect(json).to.not.include('hush');
    expect(await cli(['keys', 'revoke', id], { operator: { keys } })).to.include({
      code: 0,
      out: 'The key is revoked.\n',
    });
    expect(revoked).to.deep.equal([id]);
  });

  it('rotates a key: the new one is the result', async () => {
    const asked: unknown[] = [];
    const rotate = async (...terms: unknown[]) => {
      asked.push(terms);
      return key;
    };
    const keys = { create: async () => key, list: async () => [], revoke: async () => {}, rotate };
    expect(await cli(['keys', 'rotate', id], { operator: { keys } })).to.include({ code: 0, out: 'svc-abc\n' });
    const { out } = await cli(['keys', 'rotate', id, '--overlap', '12h', '--json'], { operator: { keys } });
    expect(JSON.parse(out)).to.include({ key: 'svc-abc', user: 'ada@example.com' });
    expect(asked).to.deep.equal([
      [id, 86_400],
      [id, 43_200],
    ]);
    expect(await cli(['keys', 'rotate', id, '--overlap', 'soon'])).to.include({ code: 2 });
  });

  it('lists users', async () => {
    const user = {
      id,
      workspaceId: id,
      email: 'ada@example.com',
      name: 'Ada',
      role: 'admin' as const,
      createdAt: at,
      workspace: 'acme',
      status: 'active' as const,
      signIn: 'password' as const,
      disabled: true,
      lastSeenAt: null,
    };
    const people = {
      list: async () => [user],
      add: async () => user,
      setDisabled: async () => user,
      link: async () => ({ url: '', expiresAt: at }),
    };
    expect(lines((await cli(['users', 'list'], { operator: { people } })).out)[1]).to.equal(
      'ada@example.com  admin  acme       Ada   password     never      disabled',
    );
    const wire = {
      id,
      email: 'ada@example.com',
      name: 'Ada',
      role: 'admin',
      workspace: 'acme',
      created_at: at.toISOString(),
      disabled: true,
      sign_in: 'password',
      last_seen_at: null,
    };
    expect(JSON.parse((await cli(['users', 'list', '--json'], { operator: { people } })).out)).to.deep.equal({
      users: [wire],
    });
  });

  it('removes what is kept no longer, or counts it', async () => {
    const counted = { workspace: 'acme', files: 3, conversations: 2, documents: 1, runs: 0 };
    const retention = { countAll: async () => [counted], removeAll: async () => [{ ...counted, files: 4 }] };
    const ran = async (...more: string[]) => (await cli(['retention', ...more], { operator: { retention } })).out;
    const shown = lines(await ran('--dry-run'));
    expect(shown[1]?.split(/ +/)).to.deep.equal(['acme', '3', '2', '1', '0']);
    expect(shown.at(-1)).to.equal('So many would be removed now. Nothing was.');
    expect(lines(await ran())[1]?.split(/ +/)).to.deep.equal(['acme', '4', '2', '1', '0']);
    expect(JSON.parse(await ran('--dry-run', '--json'))).to.deep.equal({ dry_run: true, workspaces: [counted] });
    const none = { countAll: async () => [], removeAll: async () => [] };
    expect((await cli(['retention'], { operator: { retention: none } })).out).to.include('everything is kept');
  });

  it('migrates', async () => {
    expect(
      (await cli(['migrate'], { operator: { migrate: async () => ({ applied: ['0001-initial'] }) } })).out,
    ).to.equal('applied 0001-initial\n');
    expect((await cli(['migrate'], { operator: { migrate: async () => ({ applied: [] }) } })).out).to.equal(
      'The database is up to date.\n',
    );
  });

  it('examines everything, and fails where a check does', async () => {
    const checks = (status: 'warn' | 'fail') => async () => [
      { name: 'database', status: 'ok' as const, detail: 'PostgreSQL 18' },
      { name: 'models', status, detail: 'no key' },
    ];
    expect(await cli(['doctor'], { operator: { doctor: checks('warn') } })).to.include({ code: 0 });
    const { code, out } = await cli(['doctor'], { operator: { doctor: checks('fail') } });
    expect(code).to.equal(1);
    expect(out).to.include('fail    models    no key\n1 of 2 checks failed.');
    expect(JSON.parse((await cli(['doctor', '--json'], { operator: { doctor: checks('fail') } })).out))
      .to.have.property('checks')
      .with.length(2);
  });

  it('closes what it opened, also after a failure and at Ctrl-C', async () => {
    let closed = 0;
    const close = async () => {
      closed++;
    };
    const refuse = async () => {
      throw new DomainError('not_found', 'There is no user bob@example.com.');
    };
    const keys = { create: refuse, list: refuse, revoke: refuse, rotate: refuse };
    const argv = ['keys', 'create', '--user', 'bob@example.com'];
    expect(await cli(argv, { operator: { keys, close } })).to.deep.equal({
      code: 1,
      out: '',
      err: 'portico: There is no user bob@example.com.\n',
    });
    const interrupt = new AbortController();
    const migrate = () => {
      interrupt.abort();
      return new Promise<never>(() => {});
    };
    expect(await cli(['migrate'], { operator: { migrate, close }, interrupt: interrupt.signal })).to.deep.equal({
      code: 130,
      out: '',
      err: '',
    });
    expect(closed).to.equal(2);
  });

  it('shows no stack trace, whatever fails', async () => {
    const openOperator = async () => {
      throw new Error('DATABASE_URL cannot be reached\n    at secret (file.ts:1:1)');
    };
    expect(await cli(['migrate'], { openOperator })).to.deep.equal({
      code: 1,
      out: '',
      err: 'portico: DATABASE_URL cannot be reached\n',
    });
  });
});

describe('portico webhooks list', () => {
  const webhook = {
    id,
    workspaceId: 'w',
    workspace: 'acme',
    address: 'https://hooks.example.com/services/…',
    events: ['run.*'],
    pending: 2,
    failed: 1,
    createdAt: at,
    updatedAt: at,
    disabledAt: null,
    disabledReason: null,
  };
  const gone = {
    ...webhook,
    workspace: 'other',
    pending: 0,
    disabledAt: at,
    disabledReason: 'The receiver answered that it is gone (410).',
  };
  const run = (...argv: string[]) =>
    cli(['webhooks', 'list', ...argv], {
      operator: { webhooks: { list: async () => [webhook, gone] } as unknown as WebhookService },
    });

  it('prints which are disabled since when, and why', async () => {
    const { code, out, err } = await run();
    expect([code, ...lines(out).map((line) => line.trimEnd().split(/ {2,}/))]).to.deep.equal([
      0,
      ['ID', 'WORKSPACE', 'PENDING', 'FAILED', 'DISABLED (UTC)', 'EVENTS', 'URL'],
      [id, 'acme', '2', '1', '-', 'run.*', 'https://hooks.example.com/services/…'],
      [id, 'other', '0', '1', '2026-11-20 09:30:00', 'run.*', 'https://hooks.example.com/services/…'],
    ]);
    expect(err).to.equal(
      `${id} is disabled: The receiver answered that it is gone (410). Apply the workspace file to enable it.\n`,
    );
  });

  it('prints JSON', async () => {
    const [one, other] = JSON.parse((await run('--json')).out).webhooks;
    expect(one).to.include({ url: webhook.address, disabled_at: null, disabled_reason: null });
    expect(other).to.include({ disabled_at: at.toISOString(), disabled_reason: gone.disabledReason });
  });
});

describe('portico webhooks attempts', () => {
  const attempt = {
    number: 4,
    startedAt: at,
    durationMs: 42,
    status: 503,
    error: 'The receiver answered 503.',
    response: 'Down\n\u001b[1m',
  };
  const silence = {
    ...attempt,
    number: 3,
    durationMs: 15_000,
    status: null,
    error: 'It did not answer.',
    response: null,
  };
  const attempts = async (asked: string) => {
    if (asked !== id) throw new DomainError('not_found', 'There is no such delivery.');
    return [attempt, silence];
  };
  const run = (...argv: string[]) =>
    cli(['webhooks', 'attempts', ...argv], { operator: { webhooks: { attempts } as unknown as WebhookService } });

  it('prints what came of each, and nothing that a terminal obeys', async () => {
    const { code, out } = await run(id);
    expect([code, ...lines(out).map((line) => line.trimEnd().split(/ {2,}/))]).to.deep.equal([
      0,
      ['NUMBER', 'STARTED (UTC)', 'TOOK', 'STATUS', 'ERROR', 'RESPONSE'],
      ['4', '2026-11-20 09:30:00', '42 ms', '503', 'The receiver answered 503.', 'Down\\n\\u001b[1m'],
      ['3', '2026-11-20 09:30:00', '15000 ms', '-', 'It did not answer.'],
    ]);
  });

  it('prints JSON with the names of the API', async () => {
    const [first] = JSON.parse((await run(id, '--json')).out).attempts;
    const { startedAt, durationMs, ...rest } = attempt;
    expect(first).to.deep.equal({ ...rest, started_at: at.toISOString(), duration_ms: durationMs });
  });

  it('says that a delivery is not there', async () => {
    expect(await run('0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e02')).to.include({
      code: 1,
      err: 'portico: There is no such delivery.\n',
    });
  });
});
