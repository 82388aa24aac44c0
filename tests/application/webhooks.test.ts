import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openapi } from '../../src/adapters/http/openapi.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { systemClock } from '../../src/adapters/system/runtime.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import type { Delivery } from '../../src/application/ports/webhooks.ts';
import { webhookDelivery } from '../../src/application/webhooks/webhook-delivery.ts';
import { type WebhookWorker, webhookWorker } from '../../src/application/webhooks/webhook-worker.ts';
import { webhookService } from '../../src/application/webhooks/webhooks.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { shownAddress } from '../../src/domain/web-address.ts';
import { MAX_KEPT_ATTEMPTS, RETRY_SECONDS, retryDelaySeconds } from '../../src/domain/webhook.ts';
import { aNewRun, anId, type Cast, finished } from '../support/builders.ts';
import { webhooksDescribedBy } from '../support/http.ts';
import { usePostgres } from '../support/postgres.ts';
import { receiver, type Seen } from '../support/receiver.ts';
import { only } from '../support/runs.ts';
import { type WebhookStage, webhookStage } from '../support/webhooks.ts';

const urls = { base: 'https://portico.example', auth: 'https://portico.example', egress: null };
const mustBeAsDescribed = webhooksDescribedBy(
  openapi({
    operations,
    urls,
    limits: { requests: 100, windowSeconds: 60, runs: 30, tableReads: 5, console: 1000 },
    contactEmail: 'support@portico.example',
  }),
);
const secret = `whsec_${randomBytes(24).toString('base64')}`;
const TOLERANCE_SECONDS = 300;

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly event_id: string;
  readonly data: Record<string, unknown>;
}

/** What a receiver does by the Standard Webhooks specification; throws where the message is not to be trusted. */
const verified = ({ headers, body }: Seen, key: Buffer): Message => {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new Error('too old');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const fits = String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.split(','))
    .some(([version, signed = '']) => version === 'v1' && timingSafeEqual(Buffer.from(signed, 'base64'), expected));
  if (!fits) throw new Error('not signed by us');
  mustBeAsDescribed(headers, body);
  return JSON.parse(body);
};

const keyOf = (text: string) => Buffer.from(text.slice('whsec_'.length), 'base64');

describe('webhook signatures', () => {
  it('are those of the specification', () => {
    // The example of the Standard Webhooks libraries.
    const body = '{"test": 2432232314}';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body };
    expect(standardSignatures.sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).to.equal(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('take any other text as a key as it stands', () => {
    const body = '{}';
    const expected = createHmac('sha256', 'püre text').update(`a.1.${body}`).digest('base64');
    expect(standardSignatures.sign('püre text', { id: 'a', timestamp: 1, body })).to.equal(`v1,${expected}`);
  });

  it('know which secrets cannot be used, and do not repeat them', () => {
    for (const good of ['x', secret, 'whsec_QQ==', 'whsec_QQ', 'whsec-x'])
      expect(standardSignatures.defect(good), good).to.equal(null);
    for (const bad of ['whsec_', 'whsec_!', 'whsec_a-b_', 'whsec_A', ''])
      expect(standardSignatures.defect(bad), bad).to.be.a('string');
    expect(standardSignatures.defect('whsec_hush!')).to.not.include('hush');
  });
});

describe('webhook retries', () => {
  it('wait longer and longer, about three days in all, and not all for the same time', () => {
    const delays = Array.from({ length: 14 }, (_, index) => retryDelaySeconds(index + 1, 0.5));
    expect(delays.slice(0, 5)).to.deep.equal([5, 15, 45, 135, 405]);
    expect(Math.max(...delays)).to.equal(12 * 3600);
    const total = delays.reduce((sum, delay) => sum + delay, 0);
    expect(total).to.be.within(RETRY_SECONDS * 0.8, RETRY_SECONDS * 1.2);
    expect([retryDelaySeconds(1, 0), retryDelaySeconds(1, 1)]).to.deep.equal([4, 6]);
  });

  it('leave room for the attempts of three rounds in what is kept of a delivery', () => {
    let attempts = 1;
    for (let seconds = retryDelaySeconds(1, 0); seconds <= RETRY_SECONDS; seconds += retryDelaySeconds(attempts, 0))
      attempts++;
    expect(3 * attempts).to.be.within(30, MAX_KEPT_ATTEMPTS);
  });
});

describe('a shown address', () => {
  it('holds the origin and the first word of the path: more of it may be a secret', () => {
    expect(shownAddress('https://hooks.example.com/services/T0HUSH/B0HUSH/hush')).to.equal(
      'https://hooks.example.com/services/…',
    );
    expect(shownAddress('https://u:hush@example.com:8080/a/hush?token=hush#hush')).to.equal(
      'https://example.com:8080/a/…',
    );
    expect(shownAddress('https://example.com/hook?token=hush')).to.equal('https://example.com/hook');
    expect(shownAddress('https://example.com\\hook\\hush')).to.equal('https://example.com/hook/…');
    for (const secret of ['8a7sd6f87asd6f87a6sdf', anId(), 'hushhushhushhushhushhush', '%68ush'])
      expect(shownAddress(`https://example.com/${secret}`), secret).to.equal('https://example.com/…');
    for (const url of [
      'https://example.com',
      'https://example.com/',
      'https://example.com?hush',
      'https://example.com/#hush',
    ])
      expect(shownAddress(url)).to.equal('https://example.com');
  });
});

describe('webhooks', () => {
  const postgres = usePostgres();
  const sealer = aesSealer(randomBytes(32));
  let stage: WebhookStage;
  let cast: Cast;
  const workers: WebhookWorker[] = [];
  const receivers: (() => Promise<void>)[] = [];
  const lines: object[] = [];
  const noted = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log = { debug: noted, info: noted, warn: noted, error: noted };

  beforeEach(async () => {
    stage = webhookStage(postgres);
    await stage.clear();
    cast = await stage.cast();
    lines.length = 0;
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
    await Promise.all(receivers.splice(0).map((close) => close()));
    await stage.close();
  });

  const settings = {
    timeoutSeconds: 5,
    firstRetrySeconds: 0.02,
    concurrency: 16,
    perWebhook: 4,
    leaseSeconds: 30,
    pollMs: 20,
  };
  const work = (over: Partial<typeof settings> = {}, allowedHosts: readonly string[] = ['127.0.0.1']) => {
    const all = { ...settings, ...over };
    const outbound = safeOutbound({ allowedHosts });
    const queue = stage.webhooks;
    const deliver = webhookDelivery({
      queue,
      outbound,
      signatures: standardSignatures,
      sealer,
      clock: systemClock,
      log,
      settings: all,
    });
    const worker = webhookWorker({ queue, wakeups: stage.wakeups, deliver, log, settings: all });
    workers.push(worker);
    worker.start();
    return worker;
  };
  /** A webhook whose receiver answers each message by what `answer` says. */
  const listen = async (
    answer: (response: ServerResponse, seen: Seen) => void,
    over: { events?: string[]; path?: string; secret?: string } = {},
  ) => {
    const server = await receiver(answer);
    receivers.push(server.close);
    const url = `${server.url}${over.path ?? '/'}`;
    const webhook = await stage.addWebhook({
      workspaceId: cast.agent.workspaceId,
      address: shownAddress(url),
      events: over.events ?? ['run.*'],
      sealedUrl: sealer.seal(url),
      sealedSecret: sealer.seal(over.secret ?? secret),
    });
    return { server, webhook };
  };
  const ok = (response: ServerResponse) => response.writeHead(204).end();
  const create = async () => {
    const run = aNewRun(cast.agent, cast.user);
    await stage.runs.create(run, null);
    return run;
  };
  const complete = async () => {
    const run = await create();
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    const documentId = anId();
    await stage.queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId, documentName: 'a.txt' });
    await stage.queue.finishUnit(lease, 0, { status: 'completed', document: finished() });
    await stage.queue.finish(lease, { event: 'complete' });
    return { run, documentId };
  };
  const recorded = async () => {
    await stage.webhooks.collect();
    return stage.repository.deliveries({ webhookId: null, status: null, limit: 1000 });
  };
  const until = async (isSo: (deliveries: readonly Delivery[]) => boolean) => {
    for (;;) {
      const deliveries = await recorded();
      if (isSo(deliveries)) return deliveries;
      await sleep(10);
    }
  };
  /** At least so many: an event is read once every transaction that began before it is over. */
  const allAre = (status: Delivery['status'], least = 1) =>
    until((list) => list.length >= least && list.every((each) => each.status === status));
  const types = (seen: readonly Seen[]) => seen.map(({ body }) => JSON.parse(body).type);

  it('tell a receiver what happens, signed and in order, as the API shows it', async () => {
    const { server } = await listen(ok, { events: ['*'] });
    work();
    const { run, documentId } = await complete();
    await allAre('delivered', 4);
    const messages = server.seen.map((seen) => verified(seen, keyOf(secret)));
    expect(messages.map(({ type }) => type)).to.deep.equal([
      'run.queued',
      'run.running',
      'document.ready',
      'run.completed',
    ]);
    const fields = [
      'id',
      'workflow_type',
      'agent_id',
      'agent_name',
      'status',
      'trace_id',
      'error',
      'created_at',
      'started_at',
      'completed_at',
    ];
    expect(messages[0]?.data).to.have.all.keys(
      ...fields,
      'process_together',
      'attempt',
      'status_reason',
      'usage',
      'cost',
      'waiting_for',
      'agent_version',
      'model',
      'source',
    );
    expect(messages[0]?.data).to.include({
      id: run.id,
      status: 'queued',
      started_at: null,
      completed_at: null,
      agent_name: cast.agent.name,
    });
    expect(messages[0]?.data.usage).to.deep.equal({ input_tokens: 0, output_tokens: 0 });
    expect(messages[2]?.data).to.have.all.keys(
      'id',
      'run_id',
      'agent_id',
      'conversation_id',
      'name',
      'status',
      'evidence',
      'einvoice',
      'error',
      'external_reference',
      'created_at',
      'updated_at',
      'processed_at',
      'agent_version',
      'model',
      'revision',
      'coverage',
      'review',
      'posting',
      'checks',
    );
    expect(messages[2]?.data).to.include({ id: documentId, run_id: run.id, status: 'ready' });
    for (const { timestamp } of messages) expect(timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(new Set(server.seen.map(({ headers }) => headers['webhook-id']))).to.have.property('size', 4);
    const numbers = messages.map(({ sequence }) => sequence);
    expect(numbers).to.deep.equal(numbers.toSorted((one, other) => one - other));
    expect(new Set(messages.map(({ event_id }) => event_id))).to.have.property('size', 4);
    for (const { method, headers } of server.seen) {
      expect({ method, type: headers['content-type'] }).to.deep.equal({ method: 'POST', type: 'application/json' });
    }
  });

  it('are not to be forged: another secret, body, id or time does not verify', async () => {
    const { server } = await listen(ok, { events: ['run.queued'] });
    work();
    await create();
    await allAre('delivered');
    const seen = only(server.seen);
    verified(seen, keyOf(secret));
    const changed = (name: string, value: string): Seen => ({ ...seen, headers: { ...seen.headers, [name]: value } });
    for (const forged of [
      { ...seen, body: seen.body.replace('queued', 'failed') },
      changed('webhook-id', 'x'),
      changed('webhook-timestamp', '1'),
    ]) {
      expect(() => verified(forged, keyOf(secret))).to.throw();
    }
    expect(() => verified(seen, randomBytes(24))).to.throw();
  });

  it('are signed with both of two secrets, so that a receiver may change from one to the other', async () => {
    const next = `whsec_${randomBytes(24).toString('base64')}`;
    const { server } = await listen(ok, { events: ['run.queued'], secret: `${next}\n${secret}` });
    work();
    await create();
    await allAre('delivered');
    const seen = only(server.seen);
    expect(String(seen.headers['webhook-signature'])).to.match(/^v1,\S+ v1,\S+$/);
    for (const each of [next, secret]) verified(seen, keyOf(each));
    expect(() => verified(seen, randomBytes(24))).to.throw();
  });

  it('try again until the receiver takes it, under the same id, and keep the order meanwhile', async () => {
    let failures = 3;
    const { server } = await listen((response) =>
      failures-- > 0 ? response.writeHead(503).end('not now') : ok(response),
    );
    work();
    await complete();
    const deliveries = await allAre('delivered', 3);
    expect(types(server.seen)).to.deep.equal([
      'run.queued',
      'run.queued',
      'run.queued',
      'run.queued',
      'run.running',
      'run.completed',
    ]);
    const ids = server.seen.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 4))).to.have.property('size', 1);
    expect(new Set(server.seen.slice(0, 4).map(({ body }) => body))).to.have.property('size', 1);
    expect(deliveries.find(({ event }) => event === 'run.queued')).to.include({ attempts: 4, id: ids[0] });
    const attempts = (await stage.repository.attempts(String(ids[0]))) ?? [];
    const [, ...refused] = attempts.map(({ number, status, error, response }) => [number, status, error, response]);
    expect(attempts[0]).to.include({ number: 4, status: 204, error: null, response: '' });
    expect(refused).to.deep.equal([3, 2, 1].map((number) => [number, 503, 'The receiver answered 503.', 'not now']));
    const ended = attempts.map(({ startedAt, durationMs }) => startedAt.getTime() + durationMs);
    expect(ended, 'newest first').to.deep.equal(ended.toSorted((one, other) => other - one));
    for (const seen of server.seen) verified(seen, keyOf(secret));
  });

  it('let the later events of a run go where one is refused again and again', async () => {
    const { server } = await listen((response, { body }) =>
      body.includes('run.queued') ? response.writeHead(400).end('no') : ok(response),
    );
    work();
    await complete();
    const deliveries = await until((list) => list.filter(({ status }) => status === 'delivered').length === 2);
    expect(types(server.seen).filter((type) => type !== 'run.queued')).to.deep.equal(['run.running', 'run.completed']);
    expect(types(server.seen).indexOf('run.running')).to.equal(5);
    const stuck = deliveries.find(({ event }) => event === 'run.queued');
    expect(stuck)
      .to.include({ status: 'pending' })
      .and.have.deep.property('lastAttempt', { status: 400, error: 'The receiver answered 400.', response: 'no' });
  });

  it('wait as long as a receiver asks them to', async () => {
    const { server } = await listen((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    work();
    await create();
    const [delivery] = await until(([first]) => first !== undefined && first.lastAttempt !== null);
    expect((delivery?.dueAt?.getTime() ?? 0) - Date.now()).to.be.within(3_500_000, 3_600_000);
    expect(server.seen).to.have.length(1);
  });

  it('take a redirect for a failure: an event goes where it was meant to go', async () => {
    const elsewhere = await listen(ok, { events: ['run.failed'] });
    const { server } = await listen((response) => response.writeHead(307, { location: elsewhere.server.url }).end());
    work();
    await create();
    await until(([first]) => first?.lastAttempt?.status === 307);
    expect(elsewhere.server.seen).to.deep.equal([]);
    expect(server.seen.length).to.be.above(0);
  });

  it('keep a little of the answer, whatever it is', async () => {
    const { server } = await listen((response) =>
      response.writeHead(500).end(Buffer.concat([Buffer.from([0, 0xff]), Buffer.alloc(100_000, 'a')])),
    );
    work();
    await create();
    const [delivery] = await until(([first]) => first?.lastAttempt?.status === 500);
    expect(delivery?.lastAttempt?.response).to.equal(`\uFFFD\uFFFD${'a'.repeat(1022)}`);
    expect((await stage.repository.attempts(delivery?.id ?? ''))?.at(-1)).to.include({
      number: 1,
      response: delivery?.lastAttempt?.response,
    });
    expect(server.seen.length).to.be.above(0);
  });

  it('keep what the receiver answered without the secret parts of the address that it repeats', async () => {
    const path = '/services/T0HUSH/hush%C3%BChush/hush/sesame?key=s3cret%2Fvalue&v=1';
    const repeat = (response: ServerResponse, { url }: Seen) =>
      response
        .writeHead(404)
        .end(`Cannot POST ${url} or ${decodeURI(url)}: no T0HUSH in hushühush, no sesame, key s3cret/value, v 1`);
    const { webhook } = await listen(repeat, { path });
    work({ firstRetrySeconds: 3600 });
    await create();
    const [delivery] = await until(([first]) => first?.lastAttempt?.status === 404);
    const rows = await Promise.all(
      ['webhooks', 'webhook_deliveries', 'webhook_attempts'].map((table) =>
        postgres.database.pool.query(`select * from ${table}`),
      ),
    );
    while (!lines.some((line) => 'address' in line)) await sleep(5);
    expect(lines.find((line) => 'address' in line)).to.include({
      webhook_id: webhook.id,
      reason: 'The receiver answered 404.',
    });
    const kept = JSON.stringify([
      delivery,
      await stage.repository.attempts(delivery?.id ?? ''),
      rows.map(({ rows }) => rows),
      lines,
    ]);
    expect(kept).to.not.match(/hush|s3cret|sesame/i);
    expect(delivery?.lastAttempt?.response).to.equal(
      'Cannot POST /services/… or /services/…: no … in …, no …, key …, v 1',
    );
    expect(delivery?.address).to.match(/^http:\/\/127\.0\.0\.1:\d+\/services\/…$/);
  });

  for (const [where, repeated] of [
    ['at the end of what is kept', (url: string) => `${'.'.repeat(1024 - '/services/sesame_open'.length)}${url}`],
    ['again and again', (url: string) => `${url} again `.repeat(100)],
    ['and again', (url: string) => `${url} and `.repeat(100)],
  ] as const)
    it(`keep no beginning of a secret that the receiver repeats ${where}`, async () => {
      const path = '/services/sesame_open_the_door';
      await listen((response, { url }) => response.writeHead(404).end(repeated(url)), { path });
      work({ firstRetrySeconds: 3600 });
      await create();
      const [delivery] = await until(([first]) => first?.lastAttempt?.status === 404);
      expect(delivery?.lastAttempt?.response).to.include('/services/').and.not.include('ses');
    });

  it('are sent to no private place that is not allowed', async () => {
    const { server } = await listen(ok);
    work({ firstRetrySeconds: 3600 }, []);
    await create();
    const [delivery] = await until(([first]) => first !== undefined && first.lastAttempt !== null);
    expect(delivery?.lastAttempt)
      .to.deep.include({ status: null, response: null })
      .and.have.property('error')
      .that.includes('loopback');
    expect(server.seen).to.deep.equal([]);
  });

  it('disable the webhook of a receiver that is gone: it gets nothing more, and what it misses is kept as such', async () => {
    const { server, webhook } = await listen((response) => response.writeHead(410).end('Gone for good.'));
    const { server: other } = await listen(ok);
    await complete();
    work();
    const of = (all: readonly Delivery[]) => all.filter(({ webhookId }) => webhookId === webhook.id);
    const isOver = (all: readonly Delivery[], least: number) =>
      all.length >= 2 * least && all.every(({ status }) => status !== 'pending') && of(all).length >= least;
    const missed = of(await until((all) => isOver(all, 3)));
    expect(
      missed.map(({ status, attempts, lastAttempt }) => [status, attempts, lastAttempt?.status ?? null]),
    ).to.deep.equal([
      ['disabled', 0, null],
      ['disabled', 0, null],
      ['failed', 1, 410],
    ]);
    for (const { dueAt, endedAt } of missed)
      expect([dueAt, endedAt]).to.satisfy(() => dueAt === null && endedAt instanceof Date);
    await complete();
    const all = await until((list) => isOver(list, 6));
    expect(of(all).map(({ status }) => status)).to.deep.equal([...Array(5).fill('disabled'), 'failed']);
    expect([server.seen.length, other.seen.length]).to.deep.equal([1, 6]);
    const listed = (await stage.repository.list()).find(({ id }) => id === webhook.id);
    expect(listed).to.include({
      disabledReason: 'The receiver answered that it is gone (410).',
      pending: 0,
      failed: 1,
    });
    expect(listed?.disabledAt).to.be.instanceOf(Date);
    const warnings = lines.filter(
      (line) => 'disabled' in line || /disabled/.test((line as { message: string }).message),
    );
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ webhook_id: webhook.id, address: webhook.address, ended: 2 });
    expect(await stage.repository.redeliver(missed[0]?.id ?? '')).to.equal('webhook_disabled');
  });

  it('are not held up by another receiver that does not answer', async () => {
    const held: ServerResponse[] = [];
    await listen((response) => void held.push(response), { events: ['run.queued'] });
    const { server } = await listen(ok, { events: ['run.queued'] });
    work({ concurrency: 6 });
    for (let runs = 0; runs < 20; runs++) await create();
    while (server.seen.length < 20) await sleep(10);
    expect(held.length).to.be.at.most(settings.perWebhook);
    for (const response of held) response.end();
  });

  it('are sent by two workers without one event being under way twice', async () => {
    const underWay = new Set<string>();
    const twice: string[] = [];
    const { server } = await listen((response, { headers }) => {
      const id = String(headers['webhook-id']);
      if (underWay.has(id)) twice.push(id);
      underWay.add(id);
      setTimeout(() => {
        underWay.delete(id);
        ok(response);
      }, 5);
    });
    work();
    work();
    for (let runs = 0; runs < 20; runs++) await complete();
    await until((list) => list.length === 60 && list.every(({ status }) => status === 'delivered'));
    expect(twice).to.deep.equal([]);
    expect(new Set(server.seen.map(({ headers }) => headers['webhook-id']))).to.have.property('size', 60);
    const byRun = Map.groupBy(server.seen, ({ body }) => JSON.parse(body).data.id as string);
    for (const seen of byRun.values())
      expect(types(seen)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
  });

  it('are sent again, under the same id, when the one who sent them never said what came of it', async () => {
    const { server } = await listen(ok, { events: ['run.queued'] });
    await create();
    await stage.webhooks.collect();
    const [lost] = await stage.webhooks.lease(1, 1, 30);
    const deliver = webhookDelivery({
      outbound: safeOutbound({ allowedHosts: ['127.0.0.1'] }),
      signatures: standardSignatures,
      sealer,
      clock: systemClock,
      log,
      settings,
      queue: { ...stage.webhooks, succeed: () => Promise.reject(new Error('killed')) },
    });
    if (!lost) throw new Error('There is nothing to send.');
    await deliver(lost, new AbortController().signal).catch(() => {});
    work();
    await sleep(100);
    expect(server.seen).to.have.length(1);
    await stage.age(31);
    await allAre('delivered');
    expect(server.seen.map(({ headers }) => headers['webhook-id'])).to.deep.equal([lost.lease.id, lost.lease.id]);
    for (const seen of server.seen) verified(seen, keyOf(secret));
  });

  it('are handed back by a worker that stops, once its grace is over', async () => {
    const held: ServerResponse[] = [];
    const { server } = await listen((response) => void held.push(response), { events: ['run.queued'] });
    const worker = work();
    await create();
    while (server.seen.length === 0) await sleep(5);
    await worker.stop(50);
    expect(only(await recorded())).to.include({ status: 'pending', attempts: 0 });
    await stage.webhooks.collect();
    expect(await stage.webhooks.lease(1, 1, 30)).to.have.length(1);
  });

  it('are answered for by a worker that stops, within its grace', async () => {
    const { server } = await listen((response) => void setTimeout(() => ok(response), 100), { events: ['run.queued'] });
    const worker = work();
    await create();
    while (server.seen.length === 0) await sleep(5);
    await worker.stop(10_000);
    expect(only(await recorded())).to.include({ status: 'delivered' });
  });

  it('go on after the database could not be asked', async () => {
    const { server } = await listen(ok, { events: ['run.queued'] });
    const queue = stage.webhooks;
    let refusals = 3;
    const failing = {
      ...queue,
      lease: (...terms: Parameters<typeof queue.lease>) =>
        refusals-- > 0 ? Promise.reject(new Error('down')) : queue.lease(...terms),
    };
    stage = { ...stage, webhooks: failing };
    work();
    await create();
    await allAre('delivered');
    expect(server.seen).to.have.length(1);
    expect(refusals).to.be.below(0);
  });

  it('show no secret anywhere: not in the log, not to the operator', async () => {
    const hush = 'hush-hush-hush';
    const { webhook } = await listen((response) => response.writeHead(500).end(), {
      path: `/in?token=${hush}`,
      secret: hush,
    });
    await listen(ok, { path: `/in?token=${hush}`, secret: hush, events: ['run.queued'] });
    await stage.addWebhook({ workspaceId: cast.agent.workspaceId, sealedSecret: 'cannot be opened' });
    work();
    await create();
    await until((list) => list.length > 0 && list.every(({ lastAttempt }) => lastAttempt !== null));
    expect(JSON.stringify(await recorded()), 'why one was not sent').to.include(
      'The secrets of the webhook cannot be opened',
    );
    const service = webhookService({ webhooks: stage.repository });
    const listed = await service.list();
    const shown = JSON.stringify([lines, listed, await recorded()], (_, value) =>
      value instanceof Error ? `${value.stack}` : value,
    );
    expect(shown).to.not.include(hush);
    expect(listed.find(({ id }) => id === webhook.id)?.address).to.match(/^http:\/\/127\.0\.0\.1:\d+\/in$/);
  });

  it('are sent once more when the operator says so', async () => {
    const { server } = await listen(ok, { events: ['run.queued'] });
    const service = webhookService({ webhooks: stage.repository });
    work();
    await create();
    const { id } = only(await allAre('delivered'));
    await service.redeliver(id);
    await until(() => server.seen.length === 2);
    expect(server.seen.map(({ headers }) => headers['webhook-id'])).to.deep.equal([id, id]);
    const unknown = await service.redeliver(anId()).catch((error: unknown) => error);
    expect(unknown).to.be.instanceOf(DomainError).and.include({ kind: 'not_found' });
  });
});
