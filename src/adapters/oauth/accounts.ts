import type { AccountService } from '../../application/access/accounts.ts';
import type { OAuthStore } from '../../application/ports/oauth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Browsers } from './browsers.ts';
import { type Exchange, redirect, sendPage } from './exchange.ts';
import type { Cookies, Forms } from './forms.ts';
import { grantsPage } from './pages/grants.ts';
import { html } from './pages/html.ts';
import { type InvitationView, invitationPage } from './pages/invitation.ts';
import { message } from './pages/page.ts';
import { signInPage } from './pages/sign-in.ts';
import type { Sessions } from './sessions.ts';

interface Dependencies {
  readonly issuer: string;
  readonly forms: Forms;
  readonly sessions: Sessions;
  readonly browsers: Browsers;
  readonly cookies: Cookies;
  readonly accounts: AccountService;
  readonly store: Pick<OAuthStore, 'listGrants' | 'removeGrant'>;
}

/** The pages that people come to on their own: their password, and what they have allowed. */
export const accountPages = ({ issuer, forms, sessions, browsers, cookies, accounts, store }: Dependencies) => {
  const grantsUrl = `${issuer}/oauth/grants`;
  const signInUrl = `${issuer}/oauth/sign-in`;

  const showSignIn = (exchange: Exchange, email: string, error: DomainError | null) => {
    const status = error === null ? 200 : error.kind === 'rate_limited' ? 429 : 400;
    if (error?.retryAfterSeconds) exchange.res.setHeader('Retry-After', error.retryAfterSeconds);
    const view = { token: forms.token(exchange), client: null, email, error: error?.message ?? null, formTargets: [] };
    sendPage(exchange, status, signInPage(view));
  };

  const tokenOf = ({ path }: Exchange) => path.slice(path.lastIndexOf('/') + 1);

  const showInvitation = async (exchange: Exchange, errors: InvitationView['errors']) => {
    const { name, email } = await accounts.invited(tokenOf(exchange));
    sendPage(exchange, Object.keys(errors).length === 0 ? 200 : 400, invitationPage({ token: forms.token(exchange), name, email, errors }));
  };

  const showGrants = async (exchange: Exchange, notice: string | null) => {
    const user = await sessions.user(exchange);
    if (!user) return redirect(exchange, signInUrl);
    const grants = await store.listGrants(user.id);
    sendPage(exchange, 200, grantsPage({ token: forms.token(exchange), email: user.email, grants, notice }));
  };

  return {
    showSignIn: (exchange: Exchange) => showSignIn(exchange, '', null),

    async signIn(exchange: Exchange) {
      const fields = await forms.read(exchange);
      const email = fields.get('email') ?? '';
      try {
        await sessions.signIn(exchange, { email, password: fields.get('password') ?? '' });
      } catch (error) {
        if (error instanceof DomainError) return showSignIn(exchange, email, error);
        throw error;
      }
      redirect(exchange, grantsUrl);
    },

    async signOut(exchange: Exchange) {
      await forms.read(exchange);
      await sessions.end(exchange);
      redirect(exchange, signInUrl);
    },

    showGrants: (exchange: Exchange) => showGrants(exchange, null),

    async removeGrant(exchange: Exchange) {
      const fields = await forms.read(exchange);
      const user = await sessions.user(exchange);
      if (!user) return redirect(exchange, signInUrl);
      const removed = await store.removeGrant(fields.get('grant') ?? '', user.id);
      await showGrants(exchange, removed ? 'The program has no access any more.' : 'That access had ended already.');
    },

    showInvitation: (exchange: Exchange) => showInvitation(exchange, {}),

    async acceptInvitation(exchange: Exchange) {
      const fields = await forms.read(exchange);
      const password = fields.get('password') ?? '';
      if (password !== (fields.get('again') ?? '')) return showInvitation(exchange, { again: 'the two do not match.' });
      try {
        const { user } = await accounts.accept(tokenOf(exchange), password);
        browsers.remember(cookies(exchange), user.id);
      } catch (error) {
        const first = error instanceof DomainError && error.kind === 'invalid' ? error.errors[0] : undefined;
        if (!first) throw error;
        return showInvitation(exchange, { password: `it ${first.message}.` });
      }
      const done = 'Your password is set. Programs that want to use Portico on your behalf send you here to sign in with it.';
      const ended = 'You are signed out in every browser, and programs that had access have to ask you again. API keys go on working.';
      sendPage(exchange, 200, message('The password is set', done, ended, html`<a href="../grants">See which programs have access</a>`));
    },
  };
};
