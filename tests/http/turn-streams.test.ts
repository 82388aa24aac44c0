import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { httpApp } from '../../src/adapters/http/app.ts';
import { turnStream } from '../../src/adapters/http/turn-stream.ts';
import type { Exchange, TurnObserver } from '../../src/application/conversations/exchange.ts';
import { conversationBusy } from '../../src/domain/conversation.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { exampleReply, exampleThread } from '../../src/wire/thread.ts';
import { anId } from '../support/builders.ts';
import { eventSource, type Source } from '../support/event-source.ts';
import { listen } from '../support/listen.ts';
import { settingsOf, world } from './stand-in.ts';

interface Data {
  readonly id?: string;
  readonly text?: string;
  readonly content?: string;
  readonly role?: string;
  readonly conversation_id?: string;
  readonly error?: string | null;
}

/** A turn that a test performs. */
interface Performed extends TurnObserver {
  end(exchange?: Partial<Exchange>): void;
  fail(error: unknown): void;
}

const KEEP_ALIVE_MS = 25;
const [message] = exampleReply.messages;
if (!message) throw new Error('the example has no message');

describe('a turn as a stream', () => {
  const its = world();
  const errors: unknown[] = [];
  const turns: Performed[] = [];
  let begun = Promise.withResolvers<Performed>();
  let server: Awaited<ReturnType<typeof listen>>;
  let key: string;
  const open: Source<Data>[] = [];

  /** What is done at once instead of a turn. */
  let instead: (() => Promise<Exchange>) | null = null;
  const send = (_: unknown, __: string, ___: string, observer?: TurnObserver | null): Promise<Exchange> => {
    if (instead) return instead();
    if (!observer) return Promise.resolve(exampleReply);
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    const performed = {
      ...observer,
      end: (over: Partial<Exchange> = {}) => resolve({ ...exampleReply, ...over }),
      fail: reject,
    };
    turns.push(performed);
    begun.resolve(performed);
    return promise;
  };

  before(async () => {
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (fields: { err?: unknown }) => void errors.push(fields.err),
    };
    const silent = async function* () {
      await new Promise(() => {});
    };
    const events = { ...its.use.events, follow: silent as typeof its.use.events.follow };
    const use = { ...its.use, events, conversations: { ...its.use.conversations, send } };
    server = await listen(
      httpApp(
        settingsOf(its, {
          use,
          log,
          streams: { keepAliveMs: KEEP_ALIVE_MS, perCredential: 2, checkMs: KEEP_ALIVE_MS },
        }),
      ).callback(),
    );
  });
  beforeEach(() => {
    key = its.newKey();
    instead = null;
    errors.length = 0;
    turns.length = 0;
    begun = Promise.withResolvers();
  });
  afterEach(async () => {
    for (const source of open.splice(0)) {
      source.close();
      await source.ended;
    }
  });
  after(() => server.stop());

  const follow = async (headers: Readonly<Record<string, string>> = {}) => {
    const url = `${server.baseUrl}/api/v1/threads/${exampleThread.id}/messages`;
    const source = await eventSource<Data>(url, { 'x-api-key': key, ...headers }, { message: 'Hello' });
    open.push(source);
    return source;
  };
  /** A stream whose first event is there. */
  const following = async () => {
    const following = follow();
    const performed = await begun.promise;
    performed.onDelta({ id: message.id, text: 'It' });
    return { source: await following, performed };
  };
  const kinds = (source: Source<Data>) => source.frames.map(({ event }) => event);

  it('has deltas, messages and an end, and the headers of a stream', async () => {
    const { source, performed } = await following();
    expect(source.status).to.equal(200);
    expect(source.headers).to.include({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(source.headers).to.include.keys('ratelimit-remaining', 'x-request-id');
    await source.until((frames) => frames.length === 1);
    performed.onDelta({ id: message.id, text: ' is' });
    await source.until((frames) => frames.length === 2);
    performed.onMessage(message);
    performed.end();
    expect(await source.ended).to.equal(true);
    expect(source.frames.map(({ event, id }) => [event, id])).to.deep.equal([
      ['message.delta', undefined],
      ['message.delta', undefined],
      ['message', undefined],
      ['done', undefined],
    ]);
    expect(source.frames[1]?.data).to.deep.equal({ id: message.id, text: ' is' });
    expect(source.frames[2]?.data).to.include({ id: message.id, role: 'assistant', tool_call_id: null });
    expect(source.frames[3]?.data).to.deep.equal({ conversation_id: exampleThread.id, error: null });
  });

  it('tells why there is no answer', async () => {
    const { source, performed } = await following();
    performed.end({ error: 'The model refused to answer.' });
    expect(await source.ended).to.equal(true);
    expect(source.frames.at(-1)?.data).to.deep.equal({
      conversation_id: exampleThread.id,
      error: 'The model refused to answer.',
    });
  });

  it('is not one where the client can take JSON', async () => {
    for (const accept of [
      'application/json',
      '*/*',
      'application/json, text/event-stream',
      'text/event-stream;q=0.5, application/json',
    ]) {
      const source = await follow({ accept });
      expect(source.headers['content-type'], accept).to.equal('application/json');
      expect(await source.ended).to.equal(true);
      expect(JSON.parse(source.text())).to.have.nested.property('data.messages');
    }
  });

  it('is an ordinary error where it fails before its first event', async () => {
    const failing = async (error: unknown) => {
      instead = () => Promise.reject(error);
      const source = await follow();
      await source.ended;
      expect(source.headers['content-type']).to.equal('application/json');
      return [source.status, (JSON.parse(source.text()) as { code: string }).code];
    };
    expect(await failing(conversationBusy(exampleThread.id, 2))).to.deep.equal([409, 'conversation_busy']);
    expect(await failing(new DomainError('not_found', 'There is no such conversation.'))).to.deep.equal([
      404,
      'not_found',
    ]);
    expect(errors).to.deep.equal([]);
    const unexpected = new Error('the pool is empty');
    expect(await failing(unexpected)).to.deep.equal([500, 'internal']);
    expect(errors).to.deep.equal([unexpected]);
  });

  it('ends with an error where it fails later, which the log has too', async () => {
    const { source, performed } = await following();
    const unexpected = new Error('10.0.0.7 is gone');
    performed.fail(unexpected);
    expect(await source.ended).to.equal(true);
    const error = 'Something went wrong on our side. Please try again.';
    expect(source.frames.at(-1)).to.deep.include({ event: 'done', data: { conversation_id: exampleThread.id, error } });
    expect(errors).to.deep.equal([unexpected]);
  });

  it('is refused like any other request', async () => {
    for (const [headers, expected] of [
      [{ 'x-api-key': 'svc-none' }, 401],
      [{ 'x-api-key': its.newKey({ scopes: ['runs:read'] }) }, 403],
      [{ 'x-api-key': its.newKey({ role: 'viewer' }) }, 403],
    ] as const)
      expect((await follow(headers)).status).to.equal(expected);
    expect(turns).to.deep.equal([]);
  });

  it('has comments while nothing happens, and ends once the credential may no longer read', async () => {
    const { source } = await following();
    while (source.text().split(': keepalive').length < 3) await sleep(5);
    its.keys.delete(key);
    expect(await source.ended).to.equal(true);
    expect(kinds(source)).to.deep.equal(['message.delta']);
  });

  it('ends once the credential may no longer read, although events come without end', async () => {
    const { source, performed } = await following();
    const { id } = message;
    const timer = setInterval(() => performed.onDelta({ id, text: 'word ' }), 2);
    try {
      await source.until((frames) => frames.length > 5);
      its.keys.delete(key);
      expect(await source.ended).to.equal(true);
    } finally {
      clearInterval(timer);
    }
  });

  it('ends as the stream of a run does, although nothing happens there', async () => {
    const source = await eventSource(`${server.baseUrl}/api/v1/runs/${its.newRun().id}/events`, { 'x-api-key': key });
    expect(source.status).to.equal(200);
    its.keys.delete(key);
    expect(await source.ended).to.equal(true);
    expect(source.frames).to.deep.equal([]);
  });

  it('begins before its first event if that takes long', async () => {
    const { promise, reject } = Promise.withResolvers<Exchange>();
    const id = anId();
    const { frames } = await turnStream(id, () => promise, new AbortController().signal, 1);
    reject(new DomainError('unavailable', 'The database is away.'));
    const seen: unknown[] = [];
    for await (const frame of frames ?? []) seen.push(frame);
    expect(seen).to.deep.equal([
      { id: null, type: 'done', data: { conversation_id: id, error: 'The database is away.' } },
    ]);
  });

  it('does not count among the streams of a credential', async () => {
    const sources: Source<Data>[] = [];
    for (let count = 0; count < 4; count++) {
      begun = Promise.withResolvers();
      sources.push((await following()).source);
    }
    expect(sources.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
  });

  describe('for a slow client', () => {
    const MB = 1024 * 1024;

    it('has the beginning of a message and all of it, and no more waits for it than that', async () => {
      const { source, performed } = await following();
      await source.until((frames) => frames.length === 1);
      source.pause();
      const content = `It${'x'.repeat(4 * MB)}`;
      for (let at = 2; at < content.length; at += 1000)
        performed.onDelta({ id: message.id, text: content.slice(at, at + 1000) });
      performed.onMessage({ ...message, content });
      // Other messages in the meantime are all there.
      for (let count = 0; count < 1000; count++) performed.onMessage({ ...message, content: String(count) });
      performed.end();
      await sleep(50);
      source.resume();
      expect(await source.ended).to.equal(true);
      const deltas = source.frames.filter(({ event }) => event === 'message.delta').map(({ data }) => data.text);
      expect(content.startsWith(deltas.join(''))).to.equal(true);
      expect(deltas.join('').length).to.be.lessThan(MB);
      const messages = source.frames.filter(({ event }) => event === 'message').map(({ data }) => data.content);
      expect(messages).to.deep.equal([content, ...Array.from({ length: 1000 }, (_, count) => String(count))]);
      expect(kinds(source).at(-1)).to.equal('done');
    });

    it('joins what it did not take, and leaves out what was begun again', async () => {
      const following = follow();
      const performed = await begun.promise;
      const other = anId();
      // All of it before the stream is read for the first time.
      performed.onDelta({ id: other, text: 'Lost' });
      performed.onDelta({ id: other, text: ' words' });
      performed.onDelta({ id: message.id, text: 'Kept' });
      performed.onDelta({ id: message.id, text: ' words' });
      const source = await following;
      await source.until((frames) => frames.length > 0);
      expect(source.frames.map(({ data }) => data)).to.deep.equal([{ id: message.id, text: 'Kept words' }]);
      performed.end();
      await source.ended;
    });
  });

  it('keeps nothing for a client that hung up, and the turn goes on', async () => {
    const { source, performed } = await following();
    source.close();
    await source.ended;
    performed.onDelta({ id: message.id, text: ' goes on' });
    performed.onMessage(message);
    const unexpected = new Error('too late');
    performed.fail(unexpected);
    while (errors.length === 0) await sleep(5);
    expect(errors).to.deep.equal([unexpected]);
  });
});
