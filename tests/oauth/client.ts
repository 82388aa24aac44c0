import { createHash, randomBytes } from 'node:crypto';
import { type Browser, browser, type Visit } from './browser.ts';
import { PASSWORD } from './world.ts';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope?: string;
}

export interface Reply<T = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Registered {
  readonly id: string;
  readonly secret: string | null;
  readonly redirectUri: string;
}

export const REDIRECT = 'http://127.0.0.1:7777/callback';

/** An OAuth client written by hand, as one would from the RFCs. */
export const oauthClient = (base: string, host: () => string = () => base) => {
  const post = async <T>(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(host() + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as T };
  };

  const register = async (metadata: object) => {
    const body = JSON.stringify(metadata);
    const response = await fetch(`${host()}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Readonly<Record<string, unknown>>,
    };
  };

  const registered = async (metadata: object = {}): Promise<Registered> => {
    const about = {
      client_name: 'Test client',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      ...metadata,
    };
    const { body } = await register(about);
    const [redirectUri = ''] = body.redirect_uris as string[];
    return { id: String(body.client_id), secret: (body.client_secret as string | undefined) ?? null, redirectUri };
  };

  const authorization = (client: Registered, params: Readonly<Record<string, string | null>> = {}) => {
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL(`${base}/oauth/authorize`);
    const usual = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      state: 'st4te',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries({ ...usual, ...params }))
      if (value !== null) url.searchParams.set(name, value);
    return { url: url.href, verifier };
  };

  const credentials = ({ id, secret }: Registered): Readonly<Record<string, string>> =>
    secret === null
      ? {}
      : { authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${secret}`).toString('base64')}` };

  const tokens = <T = Tokens>(client: Registered, fields: Readonly<Record<string, string>>): Promise<Reply<T>> =>
    post('/oauth/token', { ...(client.secret === null && { client_id: client.id }), ...fields }, credentials(client));

  const exchange = <T = Tokens>(
    client: Registered,
    code: string,
    verifier: string,
    more: Readonly<Record<string, string>> = {},
  ) =>
    tokens<T>(client, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: client.redirectUri,
      ...more,
    });

  const refresh = <T = Tokens>(client: Registered, refreshToken: string, more: Readonly<Record<string, string>> = {}) =>
    tokens<T>(client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });

  const revoke = (client: Registered, token: string) =>
    post('/oauth/revoke', { ...(client.secret === null && { client_id: client.id }), token }, credentials(client));

  const open = () => browser(base, host);
  const shared = new Map<string, Browser>();
  /** The browser in which this user stays signed in. */
  const of = (email: string): Browser => {
    const known = shared.get(email) ?? open();
    shared.set(email, known);
    return known;
  };
  type Params = Readonly<Record<string, string | null>>;

  /** Signs in where that is asked for. */
  const signedIn = async (on: Browser, visit: Visit, email: string): Promise<Visit> =>
    visit.text.includes('<h1>Sign in</h1>') ? on.press(visit, 'Sign in', { email, password: PASSWORD }) : visit;

  /** From the request to the consent page. */
  const asked = async (client: Registered, params: Params, email = 'ada@example.com', on = of(email)) => {
    const { url, verifier } = authorization(client, params);
    return { visit: await signedIn(on, await on.open(url), email), verifier, on };
  };

  /** From the request to the code. */
  const code = async (client: Registered, params: Params, email = 'ada@example.com', on = of(email)) => {
    const { visit, verifier } = await asked(client, params, email, on);
    const { left } = await on.press(visit, 'Allow');
    if (!left) throw new Error('the answer did not come back to the client');
    return { code: left.searchParams.get('code') ?? '', verifier, answer: left };
  };

  /** From the request to the tokens. */
  const granted = async (client: Registered, params: Params, email = 'ada@example.com', on = of(email)) => {
    const got = await code(client, params, email, on);
    const { status, body } = await exchange(client, got.code, got.verifier);
    if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
    return body;
  };

  /** A token of the console, of the session that the browser has, or begins. */
  const consoleToken = async (email: string, on = of(email)) => {
    const client = { id: 'portico-console', secret: null, redirectUri: `${base}/console/signed-in` };
    const { url, verifier } = authorization(client);
    const visit = await signedIn(on, await on.open(url), email);
    return (await exchange(client, visit.url.searchParams.get('code') ?? '', verifier)).body.access_token;
  };

  const call = async (path: string, token: string, init: RequestInit = {}) => {
    const response = await fetch(host() + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Readonly<Record<string, unknown>>,
    };
  };

  return {
    register,
    registered,
    authorization,
    tokens,
    exchange,
    refresh,
    revoke,
    open,
    of,
    signedIn,
    asked,
    code,
    granted,
    consoleToken,
    call,
  };
};

export type OAuthClient = ReturnType<typeof oauthClient>;
