import { isIP } from 'node:net';

/** A Redis server, and the user to connect as. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** The name that the server's certificate must have; null: the host. */
  readonly certifiedName: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly database: number;
}

const DEFAULT_PORT = 6379;

const decoded = (part: string): string | null => (part === '' ? null : decodeURIComponent(part));

const read = (text: string): Address | null => {
  const url = URL.parse(text);
  const database = /^\/?(\d{0,4})$/.exec(url?.pathname ?? 'none')?.[1];
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || database === undefined) return null;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    tls: url.protocol === 'rediss:',
    certifiedName: null,
    username: decoded(url.username),
    password: decoded(url.password),
    database: Number(database),
  };
};

/** The error never repeats the text, which may contain a password. */
export const parseAddress = (text: string): Address => {
  let address: Address | null = null;
  try {
    address = read(text);
  } catch {
    // A percent sign that does not begin an encoded character.
  }
  if (!address)
    throw new Error('REDIS_URL must be an address such as redis://user:password@host:6379/0, or rediss://… with TLS.');
  return address;
};

export const addressText = ({ host, port }: Address): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** The node of a cluster that an error `MOVED <slot> <host>:<port>` names; null for any other error. */
export const movedTo = (error: unknown, from: Address): Address | null => {
  const [, host, port] = /^MOVED \d+ (.*):(\d+)$/.exec(error instanceof Error ? error.message : '') ?? [];
  if (host === undefined) return null;
  const certifiedName = isIP(host) ? (from.certifiedName ?? from.host) : null;
  return host === '' ? { ...from, port: Number(port) } : { ...from, host, port: Number(port), certifiedName };
};
