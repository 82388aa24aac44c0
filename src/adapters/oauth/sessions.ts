import { randomBytes } from 'node:crypto';
import type Koa from 'koa';
import type { Provider } from 'oidc-provider';
import type { KnownBrowser, SignInMethod } from '../../application/access/accounts.ts';
import type { SignedIn } from '../../application/ports/accounts.ts';
import type { User } from '../../domain/access.ts';
import { visitor } from '../../domain/audit.ts';
import { endConsole } from './console-client.ts';
import type { Cookies, CookieTerms } from './cookies.ts';
import { SESSION_SECONDS } from './provider.ts';
import type { RequestContext } from './request-context.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { subjectOf, userOf } from './subjects.ts';

type CookieJar = Koa.Context['cookies'];
type Session = InstanceType<Provider['Session']>;

export type Sessions = ReturnType<typeof sessions>;

interface Dependencies extends Pick<AuthorizationServerSettings, 'accounts' | 'store'> {
  readonly provider: Provider;
  readonly cookies: Cookies;
  readonly terms: CookieTerms;
}

/** A sign-in at the organisation, which the session names as its class (`acr`), and ends with. */
interface Elsewhere {
  readonly signInId: string;
  readonly at: Date;
}

const BROWSER_PATTERN = /^[\w-]{22}(\.[0-9a-f-]{36}){1,5}$/;
const BROWSER_ID_BYTES = 16;
const MAX_BROWSER_USERS = 5;
/** The longest that browsers keep a cookie. */
const BROWSER_MS = 400 * 86_400_000;

/** Who is signed in with a browser, and who was. The library stores the sessions, but can only begin them within an authorization. */
export const sessions = ({ provider, accounts, store, cookies, terms: { names, long } }: Dependencies) => {
  /** The users who have signed in with this browser: a signed cookie, which outlives their sessions, lists them. */
  const knownBrowser = (jar: CookieJar): KnownBrowser | null => {
    const value = jar.get(names.browser, { signed: true });
    if (value === undefined || !BROWSER_PATTERN.test(value)) return null;
    const [id = '', ...users] = value.split('.');
    return { id, users };
  };

  const sessions = new WeakMap<object, Promise<Session | undefined>>();

  const find = async (context: RequestContext) => {
    const id = cookies(context).get(names.session, { signed: true });
    return id === undefined ? undefined : provider.Session.find<Session>(id);
  };

  /** The session of the request, which is looked up once. */
  const current = (context: RequestContext) => {
    const known = sessions.get(context.req) ?? find(context);
    sessions.set(context.req, known);
    return known;
  };

  const destroy = async (context: RequestContext) => {
    await (await current(context))?.destroy();
    sessions.delete(context.req);
  };

  const rememberUser = (context: RequestContext, userId: string) => {
    const jar = cookies(context);
    const { id, users } = knownBrowser(jar) ?? { id: randomBytes(BROWSER_ID_BYTES).toString('base64url'), users: [] };
    const latest = [userId, ...users.filter((each) => each !== userId)].slice(0, MAX_BROWSER_USERS);
    jar.set(names.browser, [id, ...latest].join('.'), { ...long, maxAge: BROWSER_MS });
  };

  /** Begins a new session for a user who has proved who they are. It never continues an earlier one: another user may have begun that. */
  const begin = async (
    context: RequestContext,
    signedIn: SignedIn,
    method: SignInMethod,
    elsewhere: Elsewhere | null = null,
  ) => {
    await accounts.signedIn(signedIn.user, method, context.ip);
    await destroy(context);
    const session = new provider.Session();
    session.loginAccount({
      accountId: subjectOf(signedIn),
      ...(elsewhere && { acr: elsewhere.signInId, loginTs: Math.floor(elsewhere.at.getTime() / 1000) }),
    });
    await session.save(SESSION_SECONDS);
    cookies(context).set(names.session, session.jti, { ...long, maxAge: SESSION_SECONDS * 1000 });
    rememberUser(context, signedIn.user.id);
  };

  return {
    begin,
    knownBrowser,
    rememberUser,
    /** Which session it is, from its beginning to its end: the id in its cookie changes meanwhile. */
    uid: async (context: RequestContext): Promise<string | null> => (await current(context))?.uid ?? null,

    /** The sign-in at the organisation that the session is of. */
    signInId: async (context: RequestContext): Promise<string | null> => (await current(context))?.acr ?? null,

    user: async (context: RequestContext): Promise<User | null> =>
      userOf(accounts, (await current(context))?.accountId),

    /** Begins a new session, or throws what is wrong. */
    async signIn(context: RequestContext, credentials: { readonly email: string; readonly password: string }) {
      const attempt = {
        ...credentials,
        address: context.client,
        ip: context.ip,
        browser: knownBrowser(cookies(context)),
      };
      await begin(context, await accounts.signIn(attempt), 'password');
    },

    /** Signs the user out, of this browser and of the console. */
    async end(context: RequestContext) {
      const session = await current(context);
      const user = await userOf(accounts, session?.accountId);
      const signIn = session?.acr ?? null;
      // First: windows of the console ask for new tokens by it once their own are refused.
      await destroy(context);
      if (user) await endConsole(store, user, signIn, visitor(user.id, context.ip));
      cookies(context).set(names.session, null, long);
    },
  };
};
