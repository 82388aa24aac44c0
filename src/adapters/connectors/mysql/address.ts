import { isIP } from 'node:net';

/** Where a server is, and as whom to log in there. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The schema in which unqualified names of a query are looked for, or null. */
  readonly database: string | null;
  readonly tls: 'DISABLED' | 'REQUIRED' | 'VERIFY_CA' | 'VERIFY_IDENTITY';
  /** A file with the certificates that are trusted; null for those of the system. */
  readonly caFile: string | null;
}

const STANDARD_PORT = 3306;
const modes: readonly Address['tls'][] = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'];
const parameters = new Set(['ssl-mode', 'ssl-ca']);

/** Reads an address; or answers what is wrong with it, as words that follow its place and repeat no part of it. */
export const readAddress = (address: string): Address | string => {
  const url = URL.parse(address);
  if (!url || !/^(?:mysql|mariadb):$/.test(url.protocol)) return 'must be an address that begins with mysql://';
  if (url.hostname === '') return 'must name a host';
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) return `has a parameter that is not known: there are ${[...parameters].join(' and ')}`;
  const mode = (url.searchParams.get('ssl-mode') ?? 'DISABLED').toUpperCase();
  const tls = modes.find((known) => known === mode);
  if (tls === undefined) return `has an ssl-mode that is not known: there are ${modes.join(', ')}`;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // For an address of the network, the driver compares the certificate with the name "localhost".
  if (tls === 'VERIFY_IDENTITY' && isIP(host) !== 0)
    return 'has ssl-mode=VERIFY_IDENTITY, which takes the name of the host, as its certificate has it: with an IP address, VERIFY_CA works';
  const caFile = url.searchParams.get('ssl-ca');
  if (caFile !== null && !tls.startsWith('VERIFY'))
    return 'has an ssl-ca, which takes ssl-mode=VERIFY_CA or VERIFY_IDENTITY';
  try {
    return {
      host,
      port: url.port === '' ? STANDARD_PORT : Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)) || null,
      tls,
      caFile,
    };
  } catch {
    return 'has a % that begins no encoded character';
  }
};

export const addressDefect = (address: string): string | null => {
  const read = readAddress(address);
  return typeof read === 'string' ? read : null;
};
