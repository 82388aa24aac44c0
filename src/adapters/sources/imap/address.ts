const PORTS = { 'imaps:': 993, 'imap:': 143 } as const;

/** Where Microsoft and Google hand out access tokens, and for what they are asked. */
const providers = {
  microsoft: {
    tokenUrl: (tenant: string) => `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    scope: 'https://outlook.office365.com/IMAP.AccessAsUser.All offline_access',
  },
  google: { tokenUrl: () => 'https://oauth2.googleapis.com/token', scope: null },
} as const;

const options = ['oauth', 'tenant', 'client_id', 'client_secret', 'refresh_token'];

/** By what access tokens are asked for (RFC 6749 section 6). */
export interface RefreshGrant {
  readonly tokenUrl: string;
  readonly scope: string | null;
  readonly clientId: string;
  /** null: the client has none, as a program on somebody's machine. */
  readonly clientSecret: string | null;
  readonly refreshToken: string;
}

export interface MailboxAddress {
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the connection; else it begins with STARTTLS, before anything is sent that is secret. */
  readonly isImplicitTls: boolean;
  readonly user: string;
  readonly credential: { readonly password: string } | RefreshGrant;
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

const grantOf = (of: (name: string) => string | null): RefreshGrant => {
  const [provider, clientId, refreshToken] = ['oauth', 'client_id', 'refresh_token'].map((name) => of(name) ?? '');
  if (!provider || !clientId || !refreshToken)
    throw new BadAddress('needs oauth, client_id and refresh_token where it has one of them');
  const common = { clientId, clientSecret: of('client_secret'), refreshToken };
  if (provider === 'microsoft') {
    const { tokenUrl, scope } = providers.microsoft;
    return { tokenUrl: tokenUrl(of('tenant') ?? 'organizations'), scope, ...common };
  }
  if (of('tenant') !== null) throw new BadAddress('has a tenant, which only oauth=microsoft takes');
  if (provider === 'google') return { tokenUrl: providers.google.tokenUrl(), scope: null, ...common };
  if (URL.parse(provider)?.protocol !== 'https:')
    throw new BadAddress('has an oauth that is not microsoft, google or the https:// address of a token endpoint');
  return { tokenUrl: provider, scope: null, ...common };
};

const credentialOf = (url: URL): MailboxAddress['credential'] => {
  // A + in a secret is a +, and no space as in the data of a form.
  const given = new URLSearchParams(url.search.replaceAll('+', '%2B'));
  if ([...given.keys()].some((name) => !options.includes(name)))
    throw new BadAddress(`has an option that is not one of ${options.join(', ')}`);
  const password = decoded(url.password, 'password');
  if (given.size === 0 && password === '') throw new BadAddress('needs a password, or oauth instead');
  if (given.size === 0) return { password };
  if (password !== '') throw new BadAddress('has both a password and oauth, of which one is enough');
  return grantOf((name) => given.get(name) || null);
};

/** `imaps://user:password@host/INBOX`, or `imaps://user@host/INBOX?oauth=…` with a refresh token. Throws `BadAddress`. */
export const parseMailbox = (text: string): MailboxAddress => {
  const url = URL.parse(text);
  if (!url || !(url.protocol in PORTS) || url.hostname === '')
    throw new BadAddress('is not an address such as imaps://user:password@mail.example.com/INBOX');
  if (url.hash !== '') throw new BadAddress('has a #: in a password it is written %23');
  const user = decoded(url.username, 'user');
  if (user === '') throw new BadAddress('needs a user');
  const mailbox = decoded(url.pathname.replace(/^\//, ''), 'mailbox') || 'INBOX';
  const credential = credentialOf(url);
  const secrets = 'password' in credential ? [credential.password] : [credential.refreshToken];
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
