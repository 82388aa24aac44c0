import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type pg from 'pg';

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof modes)[number];

export interface Address {
  readonly url: string;
  /** null: the `sslmode` of the URL, else `verify-full` with a CA and `disable` without. */
  readonly sslMode?: SslMode | null;
  /** A file of certificates; null: the `sslrootcert` of the URL, else those that Node trusts. */
  readonly sslCa?: string | null;
}

type Files = Record<'ca' | 'cert' | 'key', string | null>;

/** Parameters of a URL that the driver reads in another way than libpq, or synchronously. */
const parameters = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/** The message names the variable and nothing of the address, which may contain a password. */
const error = (variable: string, what: string) => new Error(`${variable}: ${what}.`);

/** What `ssl` means, which the driver knows and libpq does not. */
const modeOfSsl = (ssl: string | null): SslMode | null => {
  if (ssl === null) return null;
  return /^(true|1)$/.test(ssl) ? 'verify-full' : 'disable';
};

const modeIn = (query: URLSearchParams): SslMode | null => {
  const value = query.get('sslmode') ?? modeOfSsl(query.get('ssl'));
  if (value === null) return null;
  const mode = value === 'no-verify' ? 'require' : modes.find((each) => each === value);
  if (!mode) throw error('DATABASE_URL', `its sslmode must be one of ${modes.join(', ')}`);
  return mode;
};

const contentOf = async (variable: string, file: string | null): Promise<string | null> => {
  if (file === null) return null;
  return readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw error(variable, `the file ${file} cannot be read (${code})`);
  });
};

const filesOf = async (query: URLSearchParams, sslCa: string | null): Promise<Files> => {
  const root = query.get('sslrootcert');
  const variable = sslCa === null ? 'DATABASE_URL' : 'DATABASE_SSL_CA';
  const [ca, cert, key] = await Promise.all([
    contentOf(variable, sslCa ?? (root === 'system' ? null : root)),
    contentOf('DATABASE_URL', query.get('sslcert')),
    contentOf('DATABASE_URL', query.get('sslkey')),
  ]);
  if (ca !== null && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw error(variable, 'the file of the CA holds no certificate in PEM form');
  return { ca, cert, key };
};

/** Like libpq: `require` encrypts, and checks the signature of the certificate only if there is a CA. */
const optionsOf = (mode: Exclude<SslMode, 'disable'>, { ca, cert, key }: Files, host: string): ConnectionOptions => {
  const certificates = { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
  if (mode === 'require' && ca === null) return { ...certificates, rejectUnauthorized: false };
  if (mode !== 'verify-full') return { ...certificates, checkServerIdentity: () => undefined };
  // The driver passes the host to TLS only if it is a name.
  return isIP(host) === 0
    ? certificates
    : { ...certificates, checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate) };
};

/** The address and the TLS options for the driver. */
export const driverAddress = async ({
  url: text,
  sslMode = null,
  sslCa = null,
}: Address): Promise<Pick<pg.ClientConfig, 'connectionString' | 'ssl'>> => {
  const url = new URL(text);
  const { searchParams: query } = url;
  const host = (query.get('host') ?? url.hostname).replace(/^\[(.*)\]$/, '$1');
  const files = await filesOf(query, sslCa);
  const mode = sslMode ?? modeIn(query) ?? (files.ca === null ? 'disable' : 'verify-full');
  if (mode === 'verify-ca' && files.ca === null)
    throw error('DATABASE_SSL_CA', 'verify-ca needs the certificates of the CA');
  for (const name of parameters) query.delete(name);
  return { connectionString: url.href, ssl: mode === 'disable' ? false : optionsOf(mode, files, host) };
};
