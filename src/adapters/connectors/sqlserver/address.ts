import { didYouMean } from '../names.ts';

/** How a session proves who it is: by a login of the server, a Windows account, or Microsoft Entra ID. */
export type Authentication =
  | { readonly kind: 'sql'; readonly user: string; readonly password: string }
  | { readonly kind: 'windows'; readonly user: string; readonly password: string; readonly domain: string }
  | {
      readonly kind: 'service principal';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly tenantId: string;
    }
  /** `clientId` is that of an identity that a user assigned; null for the machine's own. */
  | { readonly kind: 'managed identity' | 'default identity'; readonly clientId: string | null };

/** The parts of a connection's address. */
export interface Address {
  readonly server: string;
  /** Null if SQL Server Browser must be asked for the instance's port. */
  readonly port: number | null;
  readonly instanceName: string | null;
  readonly database: string | null;
  readonly authentication: Authentication;
  readonly encrypt: boolean | 'strict';
  readonly trustServerCertificate: boolean;
  /** The file of the authorities that may sign the server's certificate; null for those that every client knows. */
  readonly caFile: string | null;
  /** The name that the certificate must be for; null for the server's. */
  readonly hostNameInCertificate: string | null;
  readonly readOnlyIntent: boolean;
  readonly multiSubnetFailover: boolean;
}

/** Why an address cannot be used, as words that follow "it" or the name of its place. They repeat nothing but names of options. */
export class AddressError extends Error {}

const error = (words: string) => new AddressError(words);

const FORM = 'mssql://user:password@host:1433/database?option=value';

const names = [
  'encrypt',
  'trustServerCertificate',
  'caFile',
  'hostNameInCertificate',
  'authentication',
  'tenantId',
  'domain',
  'instanceName',
  'applicationIntent',
  'multiSubnetFailover',
] as const;

type Name = (typeof names)[number];

type Options = ReadonlyMap<Name, string>;

/** As in Microsoft's own connection strings, `Trust Server Certificate` and `trustservercertificate` are one option. */
const plain = (name: string) => name.replaceAll(' ', '').toLowerCase();

/** What Microsoft's connection strings have as options, and an address elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  server: 'the server stands before the /',
  datasource: 'the server stands before the /',
  port: 'the port stands behind the host, after a colon',
  database: 'the database stands behind the /',
  databasename: 'the database stands behind the /',
  initialcatalog: 'the database stands behind the /',
  user: 'the user stands before the @',
  uid: 'the user stands before the @',
  userid: 'the user stands before the @',
  username: 'the user stands before the @',
  password: 'the password stands before the @, after a colon',
  pwd: 'the password stands before the @, after a colon',
};

/** A text that is no plain word is not repeated: it may be a piece of a password. */
const shown = (name: string) => (/^[a-z][\w ]{0,40}$/i.test(name) ? ` "${name}"` : '');

const readOptions = (query: URLSearchParams): Options => {
  const options = new Map<Name, string>();
  for (const [written, value] of query) {
    const name = names.find((known) => plain(known) === plain(written));
    const place = elsewhere[plain(written)];
    if (place) throw error(`has an option${shown(written)}: ${place}`);
    if (!name)
      throw error(
        `has an option${shown(written)} that is not known.${didYouMean(written, names)} Known are ${names.join(', ')}`,
      );
    if (options.has(name)) throw error(`has the option "${name}" twice`);
    if (value === '') throw error(`has an option "${name}" without a value`);
    options.set(name, value);
  }
  return options;
};

const oneOf = <T>(options: Options, name: Name, values: readonly (readonly [string, T])[], otherwise: T): T => {
  const written = options.get(name);
  if (written === undefined) return otherwise;
  const option = values.find(([value]) => plain(value) === plain(written));
  if (option) return option[1];
  throw error(`has an option "${name}" that is none of ${values.map(([value]) => value).join(', ')}`);
};

const switches = Object.entries({ true: true, false: false, yes: true, no: false });

const encryptions: readonly (readonly [string, boolean | 'strict'])[] = [
  ...switches,
  ['mandatory', true],
  ['optional', false],
  ['strict', 'strict'],
];

const methods = Object.entries({
  SqlPassword: 'sql',
  ActiveDirectoryServicePrincipal: 'service principal',
  ActiveDirectoryManagedIdentity: 'managed identity',
  ActiveDirectoryMSI: 'managed identity',
  ActiveDirectoryDefault: 'default identity',
} as const);

const intents = Object.entries({ ReadOnly: true, ReadWrite: false });

const decoded = (text: string, what: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw error(`has a % in its ${what} that stands for no character: write a percent sign as %25`);
  }
};

const authentication = (url: URL, options: Options): Authentication => {
  const user = decoded(url.username, 'user');
  const password = decoded(url.password, 'password');
  const kind = oneOf<Authentication['kind']>(options, 'authentication', methods, 'sql');
  const domain = options.get('domain');
  const tenantId = options.get('tenantId');
  if (tenantId !== undefined && kind !== 'service principal')
    throw error('has a "tenantId", which belongs to ActiveDirectoryServicePrincipal');
  if (domain !== undefined && options.has('authentication'))
    throw error('has both a "domain" and an "authentication": one of them says how to log in');
  if (kind === 'managed identity' || kind === 'default identity') {
    if (password !== '') throw error('has a password, but a managed identity needs none');
    return { kind, clientId: user === '' ? null : user };
  }
  if (user === '') throw error('names no user: it is user:password before the @');
  if (kind !== 'service principal')
    return domain === undefined ? { kind: 'sql', user, password } : { kind: 'windows', user, password, domain };
  if (tenantId === undefined) throw error('has no "tenantId", which ActiveDirectoryServicePrincipal needs');
  if (password === '') throw error('has no secret of the service principal: it stands where the password does');
  return { kind, clientId: user, clientSecret: password, tenantId };
};

type Encryption = Pick<Address, 'encrypt' | 'trustServerCertificate' | 'caFile' | 'hostNameInCertificate'>;

/** Two options that contradict each other are refused, because it cannot be known which one is right. */
const encryption = (options: Options, { kind }: Authentication): Encryption => {
  const encrypt = oneOf(options, 'encrypt', encryptions, true);
  const trustServerCertificate = oneOf(options, 'trustServerCertificate', switches, false);
  const caFile = options.get('caFile') ?? null;
  const hostNameInCertificate = options.get('hostNameInCertificate') ?? null;
  const checks = (['caFile', 'hostNameInCertificate'] as const).find((name) => options.has(name));
  if (checks && encrypt === false) throw error(`has "${checks}", though encrypt=false leaves no certificate to check`);
  if (checks && trustServerCertificate)
    throw error(`has "${checks}", though trustServerCertificate=true takes any certificate`);
  if (encrypt === 'strict' && trustServerCertificate)
    throw error('has trustServerCertificate=true, though encrypt=strict checks every certificate');
  if (encrypt === false && kind !== 'sql' && kind !== 'windows')
    throw error('has encrypt=false, which would send tokens of Microsoft Entra ID unencrypted');
  return { encrypt, trustServerCertificate, caFile, hostNameInCertificate };
};

const parsed = (text: string): URL => {
  if (/^\s*jdbc:/i.test(text)) throw error(`is written as for JDBC: write ${FORM}`);
  if (/^[\w ]+=/.test(text)) throw error(`is written as for ADO.NET or ODBC: write ${FORM}`);
  const authority = /^(?:mssql|sqlserver):\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) throw error('must be an address that begins with mssql://');
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.includes(';')) throw error(`has options behind semicolons, as for JDBC: write ${FORM}`);
  const url = URL.parse(text);
  if (
    url?.hash ||
    (url?.username === '' && url.href.includes('@')) ||
    (!url && !authority.includes('@') && text.includes('@'))
  )
    throw error('has a /, ? or # in its user or password: write / as %2F, ? as %3F, # as %23');
  if (!url) throw error(`has an invalid host or port: write ${FORM}`);
  if (/%(?![0-9a-f]{2})/i.test(url.search))
    throw error('has a % in its options that stands for no character: write a percent sign as %25');
  return url;
};

const DEFAULT_PORT = 1433;

/** `host`, `host%5Cinstance` or `[::1]`. */
const hostOf = (hostname: string): readonly [string, string | null] => {
  const [host = '', instance] = decoded(hostname, 'host')
    .replace(/^\[(.*)\]$/, '$1')
    .split('\\');
  if (host === '') throw error(`has no host: write ${FORM}`);
  return [host, instance ?? null];
};

const databaseOf = ({ pathname }: URL): string | null => {
  const name = pathname.slice(1);
  if (name.includes('/')) throw error('has a / in the name of its database: write it %2F');
  return decoded(name, 'database') || null;
};

/** null: the name of the instance leads to its port. */
const portOf = (port: string, instanceName: string | null): number | null => {
  if (port !== '') return Number(port);
  return instanceName === null ? DEFAULT_PORT : null;
};

/** Reads `mssql://user:password@host:1433/database?encrypt=true`; docs/sql-server.md has every option. Throws an AddressError. */
export const readAddress = (text: string): Address => {
  const url = parsed(text);
  const options = readOptions(url.searchParams);
  const [server, instance] = hostOf(url.hostname);
  const instanceName = options.get('instanceName') ?? instance;
  if (url.port === '0') throw error('has the port 0');
  const login = authentication(url, options);
  return {
    server,
    port: portOf(url.port, instanceName),
    instanceName,
    database: databaseOf(url),
    authentication: login,
    ...encryption(options, login),
    readOnlyIntent: oneOf(options, 'applicationIntent', intents, false),
    multiSubnetFailover: oneOf(options, 'multiSubnetFailover', switches, false),
  };
};

/** What is wrong with an address, or null. */
export const addressDefect = (text: string): string | null => {
  try {
    readAddress(text);
    return null;
  } catch (error) {
    if (error instanceof AddressError) return error.message;
    throw error;
  }
};
