import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Adapter } from 'oidc-provider';
import { Provider } from '../../src/adapters/oauth/oidc-provider.ts';
import { freePort } from '../support/listen.ts';
import { type Browser, browser, elementsOf, type Visit } from './browser.ts';

export const CLIENT = 'portico';
export const SECRET = 'a secret of at least thirty-two characters';

type Claims = Readonly<Record<string, unknown>>;

interface Answer {
  id_token?: string;
}

/** The server of an organisation, whose people sign in as whoever comes next. */
export interface TheOrganisation {
  readonly issuer: string;
  /** Settings of a server whose people sign in here. */
  readonly env: Readonly<Record<string, string>>;
  /** Who signs in next, and what is said of them. */
  person(subject: string, claims: Claims): void;
  /** What the ID token becomes, from its claims; null: as it is. */
  tamper: ((claims: JWTPayload) => string | Promise<string>) | null;
  /** What UserInfo answers besides; null: as it is. */
  userinfo: Claims | null;
  /** Signs with the key that counts now. */
  sign(claims: Claims, header?: object): Promise<string>;
  /** Signs with another key from now on, and publishes that alone. */
  rotate(): Promise<void>;
  up(): Promise<void>;
  down(): Promise<void>;
  /** Ends the sessions of somebody as the server does by itself. */
  logout(subject: string, sid: string): Promise<void>;
}

/** Named here, so that the library does not warn of it. */
const memory: string = 'oidc-provider/lib/adapters/memory_adapter.js';
const { default: MemoryAdapter } = (await import(memory)) as { readonly default: new (name: string) => Adapter };

const newKey = (): JWK => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
  alg: 'RS256',
  use: 'sig',
});

/** `base`: the address of the server that people come from. */
export const theOrganisation = async (base: string): Promise<TheOrganisation> => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, Claims>();
  let next = '';
  let key = newKey();
  let server: Server | null = null;
  let provider: Provider;

  const build = () => {
    const made = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT,
          client_secret: SECRET,
          redirect_uris: [`${base}/oauth/oidc/callback`],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          backchannel_logout_uri: `${base}/oauth/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      jwks: { keys: [key as never] },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      adapter: class extends MemoryAdapter {},
      // Its own refuses addresses of this machine.
      fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
      ttl: { Interaction: 600, Grant: 3600, Session: 3600, AccessToken: 600, IdToken: 600 },
      cookies: { keys: ['a key of the organisation'] },
      interactions: { url: (_ctx, { uid }) => `${issuer}/interaction/${uid}` },
      findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new made.Grant({ accountId: oidc.session?.accountId ?? '', clientId: CLIENT });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    made.use(async (ctx, go) => {
      await go();
      const body = ctx.body as Answer | undefined;
      if (ctx.path === '/token' && body?.id_token && organisation.tamper) {
        const [, payload = ''] = body.id_token.split('.');
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
        ctx.body = { ...body, id_token: await organisation.tamper(claims) };
      }
      if (ctx.path === '/me' && organisation.userinfo) ctx.body = { ...(ctx.body as object), ...organisation.userinfo };
    });
    made.on('server_error', (_ctx, error) => console.error(error));
    return made;
  };

  const serve = async () => {
    provider = build();
    const callback = provider.callback();
    const serving = createServer((request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
      provider.interactionFinished(request, response, { login: { accountId: next } }).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => serving.listen(port, '127.0.0.1', resolve));
    server = serving;
  };

  const organisation: TheOrganisation = {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT, OIDC_CLIENT_SECRET: SECRET, OIDC_NAME: 'Sign in with ACME' },
    person(subject, claims) {
      next = subject;
      people.set(subject, claims);
    },
    tamper: null,
    userinfo: null,
    sign: async (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '', ...header })
        .sign(await importJWK(key, 'RS256')),
    async rotate() {
      key = newKey();
      await organisation.down();
      await serve();
    },
    up: serve,
    async down() {
      const closing = server;
      server = null;
      closing?.closeAllConnections();
      await new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    },
    async logout(subject, sid) {
      const client = (await provider.Client.find(CLIENT)) as unknown as {
        backchannelLogout(sub: string, sid: string): Promise<void>;
      };
      await client.backchannelLogout(subject, sid);
    },
  };
  return organisation;
};

/** The address of the button of the organisation. */
export const buttonOn = ({ text }: Visit): string | null =>
  elementsOf(text).querySelector('a.button')?.getAttribute('href') ?? null;

/** To the organisation and back, until the answer is there: its address at the server. */
export const awayFrom = async (on: Browser, page: Visit, there: Browser): Promise<URL> => {
  const gone = await on.open(buttonOn(page) ?? '');
  if (!gone.left) throw new Error(`the browser was not sent away: ${gone.status} ${gone.text.slice(-800)}`);
  const back = await there.open(gone.left.href);
  if (!back.left) throw new Error(`the organisation did not send the browser back: ${back.text.slice(-800)}`);
  return back.left;
};

/** A browser at the organisation, without a session there. */
export const browserThere = ({ issuer }: TheOrganisation) => browser(issuer);
