import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import { inTime } from '../../../application/shared/async.ts';
import { isMadeUp } from './pooler.ts';

export interface Subscriber {
  message(payload: string): void;
  /** Messages may have been missed: called once listening has begun, whenever it begins again, and now and then where none arrive. */
  gap(): void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** A query this often finds out that a connection has fallen silent. */
const BEAT_MS = 10_000;

/** How often a pooler is asked again whether notifications arrive through it. */
const DEAF_PAUSE_MS = 60_000;
/** While the pooler passes no notifications on, the listener tells its subscribers this often to read the database themselves. */
const DEAF_LOOK_MS = 1_000;
const ECHO = 'portico_echo';
const ECHO_SECONDS = 3;

/** A pooler takes LISTEN, and then gives the session that listens to others; another database has notifications of its own. */
class Deaf extends Error {}

const deaf = (isApart: boolean) =>
  new Deaf(
    isApart
      ? 'notifications do not arrive by DATABASE_LISTEN_URL: it leads to another database than DATABASE_URL, or through a pooler that has pool_mode = transaction'
      : 'notifications do not arrive through a pooler that has pool_mode = transaction',
  );

interface Ways {
  /** The connection on which this process listens. */
  readonly listening: pg.ClientConfig;
  /** The connections by which all others notify; the same one, unless there is an address for listening alone. */
  readonly connection: pg.ClientConfig;
}

/** Where it is not certain, listens for a notification that another connection sends. Rejects with Deaf if it does not arrive. */
const mustHear = async (client: pg.Client, { listening, connection }: Ways): Promise<void> => {
  const isApart = listening !== connection;
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (!isApart && !isMadeUp(client, rows[0]?.pid ?? 0)) return;
  const token = randomUUID();
  const heard = Promise.withResolvers<void>();
  const listen = ({ payload }: pg.Notification) => payload === token && heard.resolve();
  client.on('notification', listen);
  const other = new pg.Client(connection);
  other.on('error', () => {});
  try {
    await client.query(`listen ${ECHO}`);
    await other.connect();
    await other.query('select pg_notify($1, $2)', [ECHO, token]);
    await inTime(() => heard.promise, { seconds: ECHO_SECONDS, late: () => deaf(isApart) });
  } finally {
    client.off('notification', listen);
    await other.end().catch(() => {});
  }
};

/** Whether notifications of this database arrive. */
export const hearsThrough = async (ways: Ways): Promise<boolean> => {
  const client = new pg.Client(ways.listening);
  client.on('error', () => {});
  try {
    await client.connect();
    await mustHear(client, ways);
    return true;
  } catch (error) {
    if (error instanceof Deaf) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
};

export type Listener = ReturnType<typeof openListener>;

/** The one connection of this process on which PostgreSQL's notifications arrive. */
export const openListener = (ways: Ways, log: Log) => {
  const channels = new Map<string, Set<Subscriber>>();
  /** Channels that the current connection listens to. */
  const active = new Set<string>();
  const closing = new AbortController();
  let current: pg.Client | null = null;
  let listening: pg.Client | null = null;
  let running: Promise<void> | null = null;

  const notify = (subscribers: Iterable<Subscriber>, deliver: (subscriber: Subscriber) => void) => {
    for (const subscriber of [...subscribers]) {
      try {
        deliver(subscriber);
      } catch (error) {
        log.error({ reason: String(error) }, 'a subscriber of database notifications failed');
      }
    }
  };

  const begin = async (client: pg.Client, channel: string) => {
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    if (client === current) active.add(channel);
    notify(channels.get(channel) ?? [], (subscriber) => subscriber.gap());
  };

  const beat = async (client: pg.Client, ended: AbortSignal) => {
    while (!ended.aborted) {
      await sleep(BEAT_MS, undefined, { signal: ended, ref: false }).catch(() => {});
      if (ended.aborted) return;
      // The address for listening may come to lead to another server than the other one, as when a standby takes over.
      if (ways.listening !== ways.connection) await mustHear(client, ways);
      else await client.query('select 1');
    }
  };

  /** Lasts as long as its connection. */
  const session = async (onReady: () => void) => {
    const client = new pg.Client({ ...ways.listening, pipeline: true, query_timeout: BEAT_MS });
    const ended = new AbortController();
    const lose = () => {
      current = null;
      active.clear();
      ended.abort();
    };
    client.once('end', lose);
    client.on('error', (error) => {
      log.warn({ reason: error.message }, 'the connection for database notifications broke');
      lose();
    });
    client.on('notification', ({ channel, payload = '' }) => {
      notify(channels.get(channel) ?? [], (subscriber) => subscriber.message(payload));
    });
    try {
      await client.connect();
      await mustHear(client, ways);
      current = client;
      for (const channel of channels.keys()) await begin(client, channel);
      listening = client;
      onReady();
      await beat(client, AbortSignal.any([ended.signal, closing.signal]));
    } finally {
      listening = null;
      lose();
      const goodbye = client.end().catch(() => {});
      // A server that has fallen silent does not answer it, and is not waited for before the next connection.
      if (closing.signal.aborted) await goodbye;
    }
  };

  const rest = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {});

  /** Subscribers look for themselves: the database answers, and only its notifications are missing. */
  const look = () => {
    for (const subscribers of channels.values()) notify(subscribers, (subscriber) => subscriber.gap());
  };

  const restDeaf = async (ms: number) => {
    for (let left = ms; left > 0; left -= DEAF_LOOK_MS) {
      await rest(Math.min(left, DEAF_LOOK_MS));
      if (closing.signal.aborted) return;
      look();
    }
  };

  /** Whether the address for listening alone leads nowhere. Where the database is away too, a look would only end what waits for it. */
  const isAwayAlone = async (): Promise<boolean> => {
    if (ways.listening === ways.connection || closing.signal.aborted) return false;
    const client = new pg.Client(ways.connection);
    client.on('error', () => {});
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    return isThere;
  };

  const keep = async () => {
    let pause = FIRST_PAUSE_MS;
    let isDeaf = false;
    while (!closing.signal.aborted) {
      await session(() => {
        pause = FIRST_PAUSE_MS;
        isDeaf = false;
      }).catch((error: Error) => {
        if (!isDeaf) log.warn({ reason: error.message }, 'database notifications cannot arrive at the moment');
        isDeaf = error instanceof Deaf;
      });
      const part = 0.5 + Math.random() / 2;
      if (isDeaf) await restDeaf(DEAF_PAUSE_MS * part);
      else {
        await rest(pause * part);
        if (await isAwayAlone()) look();
      }
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  };

  return {
    listen(channel: string, subscriber: Subscriber) {
      const subscribers = channels.get(channel) ?? new Set();
      const isNew = subscribers.size === 0 && !channels.has(channel);
      channels.set(channel, subscribers.add(subscriber));
      running ??= keep();
      if (isNew && listening) begin(listening, channel).catch(() => {});
      return () => {
        subscribers.delete(subscriber);
      };
    },
    /** Whether notifications arrive at this moment, as far as can be known; once they do again, subscribers are notified of the gap. */
    isListening: (channel: string) => active.has(channel),
    close: async () => {
      closing.abort();
      await running;
    },
  };
};
