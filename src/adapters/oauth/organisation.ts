import { randomBytes } from 'node:crypto';
import { type EndedSessions, IdentityFailure, type PendingSignIn } from '../../application/ports/identity-provider.ts';
import { DomainError } from '../../domain/errors.ts';
import { html } from '../../domain/html.ts';
import { readBody } from './body.ts';
import type { Cookies, CookieTerms } from './cookies.ts';
import { message } from './pages/page.ts';
import { type RequestContext, redirect, sendJson, sendPage } from './request-context.ts';
import { sha256 } from './secrets.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationServerSettings, Organisation } from './settings.ts';

/** Where the button leads. */
export const BEGIN = '/oauth/oidc';

interface Dependencies extends Pick<AuthorizationServerSettings, 'issuer' | 'store' | 'sealer' | 'clock' | 'log'> {
  readonly organisation: Organisation;
  readonly sessions: Pick<Sessions, 'begin'>;
  readonly cookies: Cookies;
  readonly terms: CookieTerms;
}

const PENDING = 'OrganisationSignIn';
const LOGOUT = 'LogoutToken';
const PENDING_MS = 15 * 60_000;
const MAX_TOKEN_BYTES = 16 * 1024;
const BROWSER = /^[\w-]{22}$/;
const INTERACTION = /^interaction\/[\w-]{1,64}$/;

/** What is kept, sealed, while the browser is away. */
interface Pending extends PendingSignIn {
  /** SHA-256 of the cookie of the browser that began: nobody can be signed in with another one's answer. */
  readonly browser: string;
  /** Where it goes on, below `/oauth/`. */
  readonly to: string;
}

const queryOf = ({ req }: RequestContext) => new URLSearchParams(req.url?.split('?').slice(1).join('?') ?? '');

/** The sign-in at the organisation: there, back, and its end. */
export const organisationRoutes = (dependencies: Dependencies) => {
  const { organisation, issuer, store, sealer, clock, log, sessions, cookies, terms } = dependencies;
  const { provider, service, maxAgeSeconds } = organisation;
  const again = html`<a href="${issuer}/oauth/sign-in">Try again</a>`;

  const fail = (context: RequestContext, status: number, title: string, ...why: string[]) =>
    sendPage(context, status, message(title, ...why, again));

  const failed = (context: RequestContext, error: unknown) => {
    if (error instanceof DomainError)
      return fail(
        context,
        error.kind === 'conflict' ? 409 : 403,
        'You cannot come in',
        error.code === 'last_admin' ? `${error.message} Nothing was changed (last_admin).` : error.message,
      );
    if (!(error instanceof IdentityFailure)) throw error;
    log.warn({ reason: error.reason, detail: error.message }, 'a sign-in at the organisation failed');
    return error.reason === 'unreachable'
      ? fail(
          context,
          503,
          'Your organisation’s sign-in is away',
          'Its server cannot be reached at the moment. Everything else here works on: try again in a while.',
        )
      : fail(
          context,
          400,
          'The sign-in did not work',
          'What came back from your organisation’s sign-in could not be verified.',
        );
  };

  /** The same for all sign-ins that this browser begins. */
  const browserOf = (context: RequestContext): string => {
    const jar = cookies(context);
    const known = jar.get(terms.names.organisation, { signed: true });
    const browser = known !== undefined && BROWSER.test(known) ? known : randomBytes(16).toString('base64url');
    jar.set(terms.names.organisation, browser, { ...terms.long, maxAge: PENDING_MS });
    return browser;
  };

  const keep = (pending: Pending) =>
    store.save({
      kind: PENDING,
      hash: sha256(pending.state),
      otherHash: null,
      sealed: sealer.seal(JSON.stringify(pending)),
      grantId: null,
      userId: null,
      scopes: null,
      signedInAt: null,
      expiresAt: new Date(clock.now().getTime() + PENDING_MS),
    });

  /** What this browser began; null if it did not, or has come back already. */
  const takeBack = async (context: RequestContext, state: string): Promise<Pending | null> => {
    const hash = sha256(state);
    const record = await store.find(PENDING, hash);
    if (!record) return null;
    const pending = JSON.parse(sealer.open(record.sealed)) as Pending;
    const browser = cookies(context).get(terms.names.organisation, { signed: true }) ?? '';
    if (sha256(browser) !== pending.browser || !(await store.consume(PENDING, hash))) return null;
    return pending;
  };

  /** A logout token counts once, however many processes get it at the same moment; where it could not be obeyed, it counts when it is sent again. */
  const obey = async (ended: EndedSessions): Promise<boolean> => {
    const { issuer: from, messageId, expiresAt } = ended;
    const hash = sha256(JSON.stringify([from, messageId]));
    await store.save({
      kind: LOGOUT,
      hash,
      otherHash: null,
      sealed: '',
      grantId: null,
      userId: null,
      scopes: null,
      signedInAt: null,
      expiresAt,
    });
    if ((await store.find(LOGOUT, hash))?.consumedAt) return false;
    await service.end(ended);
    return store.consume(LOGOUT, hash);
  };

  return {
    async begin(context: RequestContext) {
      const target = queryOf(context).get('to') ?? '';
      const to = INTERACTION.test(target) ? `${target}?signed-in` : 'grants';
      try {
        const { url, pending } = await provider.begin(maxAgeSeconds);
        await keep({ ...pending, browser: sha256(browserOf(context)), to });
        redirect(context, url);
      } catch (error) {
        failed(context, error);
      }
    },

    async callback(context: RequestContext) {
      const query = queryOf(context);
      const pending = await takeBack(context, query.get('state') ?? '');
      if (!pending)
        return fail(
          context,
          400,
          'This sign-in is over',
          'It took too long, was used already, or began in another browser.',
        );
      try {
        const { at, signInId, ...signedIn } = await service.enter(await provider.finish(query, pending), context.ip);
        await sessions.begin(context, signedIn, 'organisation', { at, signInId });
      } catch (error) {
        return failed(context, error);
      }
      redirect(context, `${issuer}/oauth/${pending.to}`);
    },

    /** OpenID Connect Back-Channel Logout 1.0: 200 where the sessions are over, 400 for what is not believed. */
    async logout(context: RequestContext) {
      context.res.setHeader('Cache-Control', 'no-store');
      const form = new URLSearchParams(await readBody(context.req, MAX_TOKEN_BYTES));
      const refuse = (status: number, detail: string) =>
        sendJson(context, status, { error: 'invalid_request', error_description: detail });
      try {
        const ended = await provider.ended(form.get('logout_token') ?? '');
        if (!(await obey(ended))) return refuse(400, 'This logout token was used already.');
        sendJson(context, 200, {});
      } catch (error) {
        if (!(error instanceof IdentityFailure)) throw error;
        log.warn({ reason: error.reason, detail: error.message }, 'a logout token was refused');
        refuse(error.reason === 'unreachable' ? 503 : 400, 'The logout token could not be verified.');
      }
    },
  };
};
