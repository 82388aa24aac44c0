import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type PorticoEvent, portico } from '../../src/client/portico.ts';
import { type EventServer, eventServer } from '../support/event-server.ts';
import { usePostgres } from '../support/postgres.ts';
import { type Handler, receiver } from '../support/receiver.ts';
import { cli, Kept, lines } from './run-cli.ts';

describe('portico listen, to a real server', () => {
  const postgres = usePostgres();
  let dataDir: string;
  let stateDir: string;
  let server: EventServer;
  let apiKey: string;
  let agentId: string;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-listen-'));
    server = await eventServer(postgres.url, dataDir);
    ({ apiKey, agentId } = await server.prepare());
  });
  beforeEach(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), 'portico-listen-state-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));
  after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const env = () => ({ PORTICO_URL: server.url, PORTICO_API_KEY: apiKey, XDG_STATE_HOME: stateDir });
  const runOnce = async () => {
    const options = { params: { path: { agent_id: agentId } }, body: { user_message: 'Hello' } };
    const { id } = await portico({ baseUrl: server.url, apiKey }).post('/api/v1/agents/{agent_id}/run', options);
    await server.finish();
    return id;
  };
  /** Listens in the background. */
  const listening = async (...argv: string[]) => {
    const interrupt = new AbortController();
    const [stdout, stderr] = [new Kept(), new Kept()];
    let code: number | null = null;
    const ended = cli(['listen', ...argv], { env: env(), stdout, stderr, interrupt: interrupt.signal }).then(
      (outcome) => {
        code = outcome.code;
      },
    );
    const printed = () => (stdout.text === '' ? [] : lines(stdout.text));
    const until = async (isEnough: () => boolean) => {
      while (!isEnough()) {
        if (code !== null) throw new Error(`it ended with ${code}: ${stderr.text}`);
        await sleep(5);
      }
    };
    const prints = async (count: number) => {
      await until(() => printed().length >= count);
      return printed();
    };
    const says = (text: string) => until(() => stderr.text.includes(text));
    const stop = async () => {
      interrupt.abort();
      await ended;
      return { code, printed: printed(), err: stderr.text };
    };
    // What happens before the position is known is the past.
    const begun = async () => {
      while ((await stateFiles()).length === 0) await sleep(5);
    };
    await says('Ctrl-C ends it');
    return { prints, says, stop, begun, ended: ended.then(() => ({ code, err: stderr.text })) };
  };
  const stateFolder = () => path.join(stateDir, 'portico/listen');
  const stateFiles = async () => {
    const files = await readdir(stateFolder()).catch(() => []);
    return files.filter((file) => file.endsWith('.json')).map((file) => path.join(stateFolder(), file));
  };
  const typesOf = (printed: readonly string[]) => printed.map((line) => line.slice(21).split(' ')[0]);

  it('prints what happens from now on, an event a line, and goes on where it was stopped', async () => {
    await runOnce();
    const first = await listening();
    await first.begun();
    const id = await runOnce();
    await first.prints(3);
    const { code, printed, err } = await first.stop();
    expect(code).to.equal(0);
    expect(typesOf(printed)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
    expect(printed[0]).to.match(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  run.queued          ${id}  Helper$`),
    );
    expect(lines(err)).to.deep.equal([
      'Listening from now on; Ctrl-C ends it.',
      'Stopped; the next portico listen goes on from here.',
    ]);
    const missed = await runOnce();
    const second = await listening();
    await second.prints(3);
    const outcome = await second.stop();
    expect(typesOf(outcome.printed)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
    expect(outcome.printed.every((line) => line.includes(missed))).to.equal(true);
    expect(outcome.err).to.include('Going on from where it was');
  });

  it('keeps its place in a file for the server and the key, without the key, which others cannot read', async () => {
    const listens = await listening();
    await listens.begun();
    await listens.stop();
    const files = await stateFiles();
    expect(files).to.have.length(1);
    const [file = ''] = files;
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text)).to.include({ server: `${server.url}/` });
    expect(text).not.to.include(apiKey.slice(5, 20));
    await writeFile(file, 'x');
    const { code, err } = await cli(['listen'], { env: env() });
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: `portico: ${file} is not what portico listen wrote: remove it, and it begins anew\n`,
    });
  });

  it('prints the types that are asked for, as JSON of one line, from where it is asked to begin', async () => {
    const id = await runOnce();
    const client = portico({ baseUrl: server.url, apiKey });
    const { events } = await client.get('/api/v1/events', { params: { query: { run_id: id } } });
    const all = await listening('--after', 'start', '--json', '--types', 'run.completed,document.*');
    const [line = ''] = (await all.prints(1)).slice(-1);
    expect(JSON.parse(line)).to.include({ type: 'run.completed' });
    await all.stop();
    const later = await listening('--after', events[0]?.id ?? '', '--json');
    const printed = await later.prints(2);
    expect(printed.map((text) => JSON.parse(text) as PorticoEvent)).to.deep.equal(events.slice(1));
    await later.stop();
  });

  it('says in plain words that the log no longer goes back so far, and what to do', async () => {
    const listens = await listening();
    await listens.begun();
    await listens.stop();
    const [file = ''] = await stateFiles();
    await writeFile(
      file,
      JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), position: 'AAAAAAAB' }),
    );
    const { code, err } = await cli(['listen'], { env: env() });
    expect(code).to.equal(1);
    expect(lines(err).slice(1)).to.deep.equal([
      'portico: the server no longer has all that happened since it was stopped: it keeps events for EVENTS_DAYS days, 30 unless set',
      '  go on with what it has: portico listen --after start',
      '  or with what comes: portico listen --after now',
    ]);
    const again = await listening('--after', 'now');
    expect((await again.stop()).code).to.equal(0);
  });

  describe('with --forward', () => {
    const receiving = async (...answers: readonly (number | 'hang up')[]) => {
      const left = [...answers];
      const handle: Handler = (response) => {
        const answer = left.shift() ?? 204;
        if (answer === 'hang up') response.destroy();
        else response.writeHead(answer).end();
      };
      return receiver(handle);
    };
    const isSigned = (secret: string, { headers, body }: { headers: NodeJS.Dict<string | string[]>; body: string }) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
    };
    const secretIn = (err: string) => /signed with (whsec_\S+)/.exec(err)?.[1] ?? '';

    it('sends what a webhook would be sent, in order, and again what was not taken', async () => {
      const hook = await receiving(500, 'hang up');
      const listens = await listening('--forward', `${hook.url}/hook?token=SECRET`);
      await listens.begun();
      const id = await runOnce();
      const printed = await listens.prints(3);
      const { err } = await listens.stop();
      expect(printed.every((line) => line.endsWith('→ 204'))).to.equal(true);
      expect(err).to.include(`run.queued was not taken by ${hook.url}/hook: it answered 500; trying again in 1 s`);
      expect(err).to.include('the connection was closed before the answer came').and.not.include('SECRET');
      const client = portico({ baseUrl: server.url, apiKey });
      const { events } = await client.get('/api/v1/events', { params: { query: { run_id: id } } });
      const bodies = hook.seen.map(({ body }) => JSON.parse(body) as object);
      const sent = events.map(({ id: event_id, type, created_at: timestamp, sequence, data }) => ({
        type,
        timestamp,
        sequence,
        event_id,
        data,
      }));
      expect(bodies).to.deep.equal([sent[0], sent[0], ...sent]);
      expect(hook.seen.map(({ headers }) => headers['webhook-id'])).to.deep.equal([
        events[0]?.id,
        events[0]?.id,
        ...events.map((event) => event.id),
      ]);
      expect(
        hook.seen.every(
          (seen) => seen.method === 'POST' && seen.url === '/hook?token=SECRET' && isSigned(secretIn(err), seen),
        ),
      ).to.equal(true);
      expect(hook.seen[0]?.headers).to.include({ 'content-type': 'application/json' });
      await hook.close();
    });

    it('gives an event up after five attempts and says so, sends again what Ctrl-C interrupted, and keeps its secret', async () => {
      const hook = await receiving(500, 500, 500, 500, 500);
      const listens = await listening('--forward', hook.url);
      await listens.begun();
      await runOnce();
      const printed = await listens.prints(3);
      expect(printed[0]).to.match(/→ given up after 5 attempts: it answered 500$/);
      expect(hook.seen).to.have.length(7);
      const { err } = await listens.stop();
      await hook.close();

      const silent = await receiver(() => {});
      const interrupted = await listening('--forward', silent.url);
      await runOnce();
      while (silent.seen.length === 0) await sleep(5);
      expect((await interrupted.stop()).code).to.equal(0);
      await silent.close();
      const good = await receiving();
      const again = await listening('--forward', good.url);
      await again.prints(3);
      const second = await again.stop();
      expect(good.seen[0]?.headers['webhook-id']).to.equal(silent.seen[0]?.headers['webhook-id']);
      expect(secretIn(second.err))
        .to.equal(secretIn(err))
        .and.match(/^whsec_.{32}$/);
      await good.close();
    });

    it('ends where the receiver is gone', async () => {
      const hook = await receiving(410);
      const listens = await listening('--forward', hook.url);
      await listens.begun();
      await runOnce();
      const { code, err } = await listens.ended;
      expect(code).to.equal(1);
      expect(err).to.include('answered 410: the receiver is gone');
      await hook.close();
    });
  });

  it('checks its flags', async () => {
    for (const flags of [
      ['--types', 'run.paused'],
      ['--types', ''],
      ['--forward', 'localhost:4000'],
      ['--forward', 'http://ada:secret@localhost'],
      ['--after', 'yesterday'],
    ]) {
      expect(await cli(['listen', ...flags], { env: env() }), flags.join(' ')).to.include({ code: 2 });
    }
  });
});
