import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Connection as Session } from 'tedious';
import type { Hop } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ConnectorSettings } from '../settings.ts';
import type { Address } from './address.ts';
import { isLogin, outage, outageCode, reasonOf, rejectionOf } from './errors.ts';
import { ExaminationFailure, type Found, ok, skipped } from './found.ts';
import { addressOf, connect, MOST_CONNECT_SECONDS, openPool, usable } from './pools.ts';
import { mayRead, mayWrite, type Permissions, permissions, sample } from './privileges.ts';
import { type Run, run } from './session.ts';

const ignore = () => {};

/** What went wrong, in the server's words or ours, never in the driver's, which may hold an address with its user. */
const failure = (error: unknown): Found => {
  if (error instanceof ExaminationFailure || error instanceof DomainError) return { status: 'fail', detail: error.message };
  const rejection = rejectionOf(error);
  return { status: 'fail', detail: rejection ? reasonOf(rejection) : `It ${outage(error)} (${outageCode(error)}).` };
};

const resolveName = async ({ server }: Address): Promise<Found> => {
  if (isIP(server) !== 0) return skipped(`${server} is an address already.`);
  const found = await lookup(server, { all: true }).catch((error: unknown) => {
    throw new ExaminationFailure(`The name ${server} has no address (${outageCode(error)}).`);
  });
  return ok(`${server} is ${found.map(({ address }) => address).join(', ')}.`);
};

const reachPort = ({ server, port, instanceName }: Address, signal: AbortSignal): Promise<Found> =>
  new Promise((resolve, reject) => {
    if (port === null) return resolve(skipped(`SQL Server Browser is asked for the port of the instance ${instanceName}.`));
    const socket = connectTcp({ host: server, port, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(ok(`Port ${port} answers.`));
    });
    socket.on('error', reject);
  });

/** What became of the one attempt that TLS and login are tried with: the protocol has no way to try them apart. */
interface Attempt {
  readonly protocol: string | null;
  readonly error: unknown;
}

const tlsFound = ({ trustServerCertificate }: Address, { protocol, error }: Attempt): Found => {
  if (protocol === null && error !== null && !isLogin(error)) throw error;
  if (protocol === null) return skipped('The address asks for no TLS: what is sent can be read on the way.');
  return trustServerCertificate
    ? ok(`The server speaks ${protocol}; its certificate is not checked.`)
    : ok(`The server speaks ${protocol}, and its certificate is trusted.`);
};

const opener = (settings: ConnectorSettings, address: Address) => {
  let secure: TLSSocket | undefined;
  const pool = openPool(settings, address, 1, (session) => {
    session.on('secure', (socket: unknown) => {
      secure = socket as TLSSocket;
    });
  }).on('error', ignore) as ReturnType<typeof openPool>;
  let session: Session | undefined;
  const protocol = () => (address.encrypt === 'strict' ? 'TLS (strict)' : (secure?.getProtocol() ?? (secure ? 'TLS' : null)));
  return {
    async attempt(seconds: number): Promise<Attempt> {
      try {
        await connect(pool, seconds);
        session = await pool.acquire(address);
        return { protocol: protocol(), error: null };
      } catch (error) {
        const secured = address.encrypt !== 'strict' || isLogin(error);
        return { protocol: secured ? protocol() : null, error };
      }
    },
    session(): Session {
      if (!session) throw new Error('There is no session.');
      return session;
    },
    async close() {
      if (session) pool.release(session);
      await pool.close();
    },
  };
};

const abandonable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  work.catch(ignore);
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
};

const names: readonly Hop['name'][] = ['name', 'tcp', 'tls', 'login', 'permissions', 'sample read', 'read only'];

const GRACE_SECONDS = 2;

/** Tries each step for real, with a session of its own; those after the first that fails are not tried. */
export const examination = async (settings: ConnectorSettings, connection: Connection, signal: AbortSignal): Promise<readonly Hop[]> => {
  const seconds = Math.min(settings.timeoutSeconds, MOST_CONNECT_SECONDS);
  const timed = () => AbortSignal.any([signal, AbortSignal.timeout((seconds + GRACE_SECONDS) * 1000)]);
  let open: ReturnType<typeof opener> | undefined;
  let attempt: Attempt = { protocol: null, error: null };
  let granted: Permissions | undefined;
  const to = () => addressOf(settings, connection);
  const query: Run = (statement) => {
    if (!open) throw new Error('There is no session.');
    return run(open.session(), statement, timed());
  };
  const known = () => granted ?? { tables: [], creates: false, administers: false };

  const steps: Readonly<Record<Hop['name'], () => Promise<Found>>> = {
    name: () => resolveName(to()),
    tcp: () => reachPort(to(), timed()),
    tls: async () => {
      open = usable(connection, () => opener(settings, to()));
      attempt = await open.attempt(seconds);
      return tlsFound(to(), attempt);
    },
    login: async () => {
      if (attempt.error !== null) throw attempt.error;
      return ok('The login was accepted.');
    },
    permissions: async () => {
      granted = await permissions(query);
      return mayRead(known());
    },
    'sample read': () => sample(known(), query),
    'read only': async () => mayWrite(known()),
  };

  const tryStep = async (name: Hop['name']) => steps[name]();
  const hops: Hop[] = [];
  let failed = false;
  try {
    for (const name of names) {
      signal.throwIfAborted();
      const found: Found = failed ? skipped('It was not tried.') : await abandonable(tryStep(name), timed()).catch(failure);
      signal.throwIfAborted();
      failed ||= found.status === 'fail';
      hops.push({ name, ...found });
    }
    return hops;
  } finally {
    open?.close().catch(ignore);
  }
};
