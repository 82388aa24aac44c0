const PORTS = { 'imaps:': 993, 'imap:': 143 } as const;

/** Where Microsoft and Google hand out access tokens, and for what they are asked. */
const providers = {
  microsoft: {
    tokenUrl: (tenant: string) => `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    scope: 'https://outlook.office365.com/IMAP.AccessAsUser.All offline_access',
    /** Of an application that an administrator let into the mailbox, without anybody who signed in. */
    ownScope: 'https://outlook.office365.com/.default',
  },
  google: { tokenUrl: () => 'https://oauth2.googleapis.com/token', scope: null },
} as const;

const options = ['oauth', 'tenant', 'client_id', 'client_secret', 'refresh_token'];

/** By what access tokens are asked for (RFC 6749 sections 4.4 and 6). */
export interface TokenGrant {
  readonly tokenUrl: string;
  readonly scope: string | null;
  readonly clientId: string;
  /** null: the client has none, as a program on somebody's machine. */
  readonly clientSecret: string | null;
  /** null: the application asks for itself. */
  readonly refreshToken: string | null;
}

export interface MailboxAddress {
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the connection; else it begins with STARTTLS, before anything is sent that is secret. */
  readonly isImplicitTls: boolean;
  readonly user: string;
  readonly credential: { readonly password: string } | TokenGrant;
  readonly mailbox: string;
}

/** What is wrong with an address, in words that do not repeat it: it holds a password. */
export class BadAddress extends Error {}

const decoded = (text: string, what: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadAddress(`has a % in its ${what} that does not encode a character: % itself is written %25`);
  }
};

const grantOf = (of: (name: string) => string | null): TokenGrant => {
  const [provider, clientId, clientSecret, refreshToken] = ['oauth', 'client_id', 'client_secret', 'refresh_token'].map(
    of,
  );
  if (!provider || !clientId) throw new BadAddress('needs oauth and client_id where it has no password');
  const common = { clientId, clientSecret: clientSecret ?? null };
  if (provider === 'microsoft') {
    const { tokenUrl, scope, ownScope } = providers.microsoft;
    const tenant = of('tenant');
    if (refreshToken) return { tokenUrl: tokenUrl(tenant ?? 'organizations'), scope, ...common, refreshToken };
    if (!tenant || !clientSecret)
      throw new BadAddress('needs a refresh_token, or both tenant and client_secret of an application');
    return { tokenUrl: tokenUrl(tenant), scope: ownScope, ...common, refreshToken: null };
  }
  if (of('tenant') !== null) throw new BadAddress('has a tenant, which only oauth=microsoft takes');
  if (!refreshToken) throw new BadAddress('needs a refresh_token');
  if (provider === 'google') return { tokenUrl: providers.google.tokenUrl(), scope: null, ...common, refreshToken };
  if (URL.parse(provider)?.protocol !== 'https:')
    throw new BadAddress('has an oauth that is not microsoft, google or the https:// address of a token endpoint');
  return { tokenUrl: provider, scope: null, ...common, refreshToken };
};

const credentialOf = (url: URL): MailboxAddress['credential'] => {
  // A + in a secret is a +, and no space as in the data of a form.
  const parameters = new URLSearchParams(url.search.replaceAll('+', '%2B'));
  if ([...parameters.keys()].some((name) => !options.includes(name)))
    throw new BadAddress(`has an option that is not one of ${options.join(', ')}`);
  const password = decoded(url.password, 'password');
  if (parameters.size === 0 && password === '') throw new BadAddress('needs a password, or oauth instead');
  if (parameters.size === 0) return { password };
  if (password !== '') throw new BadAddress('has both a password and oauth, of which one is enough');
  return grantOf((name) => parameters.get(name) || null);
};

/** `imaps://user:password@host/INBOX`, or `imaps://user@host/INBOX?oauth=…`, which is opened by an access token. Throws `BadAddress`. */
export const parseMailbox = (text: string): MailboxAddress => {
  const url = URL.parse(text);
  if (!url || !(url.protocol in PORTS) || url.hostname === '')
    throw new BadAddress('is not an address such as imaps://user:password@mail.example.com/INBOX');
  if (url.hash !== '') throw new BadAddress('has a #: in a password it is written %23');
  const user = decoded(url.username, 'user');
  if (user === '') throw new BadAddress('needs a user');
  const mailbox = decoded(url.pathname.replace(/^\//, ''), 'mailbox') || 'INBOX';
  const credential = credentialOf(url);
  const secrets = 'password' in credential ? [credential.password] : [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end a line of the protocol
  if ([user, mailbox, ...secrets].some((each) => /[\u0000-\u001f\u007f]/.test(each)))
    throw new BadAddress('has a control character in it');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || PORTS[url.protocol as keyof typeof PORTS],
    isImplicitTls: url.protocol === 'imaps:',
    user,
    credential,
    mailbox,
  };
};
