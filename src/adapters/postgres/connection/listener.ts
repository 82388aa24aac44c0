import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import { inTime } from '../../../application/shared/async.ts';
import type { Database } from './database.ts';
import { isMadeUp } from './pooler.ts';

export interface Subscriber {
  message(payload: string): void;
  /** Messages may have been missed: called once listening has begun, and whenever it begins again. */
  gap(): void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** A query this often finds out that a connection has fallen silent. */
const BEAT_MS = 10_000;

/** How often a pooler is asked again whether notifications arrive through it. */
const DEAF_PAUSE_MS = 60_000;
const ECHO = 'portico_echo';
const ECHO_SECONDS = 3;

/** A pooler takes LISTEN, and then gives the session that listens to others. */
class Deaf extends Error {
  constructor() {
    super('notifications do not arrive through a pooler that has pool_mode = transaction');
  }
}

/** Behind a pooler, listens for a notification that another connection sends. Rejects with Deaf if it does not arrive. */
const mustHear = async (client: pg.Client, connection: pg.ClientConfig): Promise<void> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (!isMadeUp(client, rows[0]?.pid ?? 0)) return;
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
    await inTime(() => heard.promise, { seconds: ECHO_SECONDS, late: () => new Deaf() });
  } finally {
    client.off('notification', listen);
    await other.end().catch(() => {});
  }
};

/** Whether notifications arrive on connections of this database. */
export const hearsThrough = async ({ connection }: Pick<Database, 'connection'>): Promise<boolean> => {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
    await mustHear(client, connection);
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
export const openListener = (connection: pg.ClientConfig, log: Log) => {
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
      if (!ended.aborted) await client.query('select 1');
    }
  };

  /** Lasts as long as its connection. */
  const session = async (onReady: () => void) => {
    const client = new pg.Client({ ...connection, pipeline: true, query_timeout: BEAT_MS });
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
      await mustHear(client, connection);
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
      const next = isDeaf ? DEAF_PAUSE_MS : pause;
      await sleep(next * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => {});
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
