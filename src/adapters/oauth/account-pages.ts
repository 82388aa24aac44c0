import { visitor } from '../../domain/audit.ts';
import { DomainError } from '../../domain/errors.ts';
import { html } from '../../domain/html.ts';
import type { Forms } from './forms.ts';
import { grantsPage, type InvitationView, invitationPage, linkPage } from './pages/account.ts';
import { message } from './pages/page.ts';
import { type RequestContext, redirect, sendJson, sendPage } from './request-context.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { signInForm } from './sign-in.ts';
import { signInLinks } from './sign-in-links.ts';

interface Dependencies
  extends Pick<
    AuthorizationServerSettings,
    'organisation' | 'passwords' | 'issuer' | 'console' | 'accounts' | 'store' | 'sealer' | 'clock'
  > {
  readonly forms: Forms;
  readonly sessions: Sessions;
}

/** The path of the form by which users sign out. */
const SIGN_OUT = '/oauth/sign-out';

const linkOver = () =>
  new DomainError(
    'not_found',
    'This link was used already, or is over. The operator of this server can make another one.',
  );

/** The pages that users open on their own: for their password, and for the grants they have given. */
export const accountPages = (dependencies: Dependencies) => {
  const { issuer, console, forms, sessions, accounts, store } = dependencies;
  const links = signInLinks(dependencies);
  const grantsUrl = `${issuer}/oauth/grants`;
  const signInUrl = `${issuer}/oauth/sign-in`;
  const signIn = signInForm(dependencies);
  const purpose = { client: null, formTargets: [] };

  const tokenOf = ({ path }: RequestContext) => path.slice(path.lastIndexOf('/') + 1);

  const linked = async (context: RequestContext) => {
    const link = await links.find(tokenOf(context));
    const signedIn = link && (await accounts.find(link.userId));
    if (!signedIn) throw linkOver();
    return { signedIn, isUsed: link.isUsed };
  };

  const showInvitation = async (context: RequestContext, errors: InvitationView['errors']) => {
    const { name, email } = await accounts.invited(tokenOf(context));
    sendPage(
      context,
      Object.keys(errors).length === 0 ? 200 : 400,
      invitationPage({ token: await forms.token(context), name, email, errors }),
    );
  };

  const showGrants = async (context: RequestContext, notice: string | null) => {
    const user = await sessions.user(context);
    if (!user) return redirect(context, signInUrl);
    const [grants, token, signOut] = await Promise.all([
      store.listGrants(user.id),
      forms.token(context),
      forms.token(context, SIGN_OUT),
    ]);
    sendPage(context, 200, grantsPage({ tokens: { grant: token, signOut }, email: user.email, grants, notice }));
  };

  return {
    showSignIn: (context: RequestContext) => signIn.show(context, purpose, ''),

    async signIn(context: RequestContext) {
      const fields = await signIn.receive(context);
      if (fields === null || (await signIn.submit(context, purpose, fields))) redirect(context, grantsUrl);
    },

    async signOut(context: RequestContext) {
      const isForm = !forms.isScript(context);
      if (isForm) await forms.read(context);
      await sessions.end(context);
      if (isForm) redirect(context, signInUrl);
      else sendJson(context, 200, {});
    },

    /** Opening the link uses nothing up: chat programs and mail filters open links to preview them. */
    async showLink(context: RequestContext) {
      const { signedIn, isUsed } = await linked(context);
      if (isUsed) throw linkOver();
      const { name, email } = signedIn.user;
      sendPage(context, 200, linkPage({ token: await forms.token(context), name, email }));
    },

    async useLink(context: RequestContext) {
      const form = (await forms.read(context)).get('form') ?? '';
      const { signedIn } = await linked(context);
      const isIn = await links.use(tokenOf(context), form, () => sessions.begin(context, signedIn, 'link'));
      if (!isIn) throw linkOver();
      redirect(context, console);
    },

    showGrants: (context: RequestContext) => showGrants(context, null),

    async removeGrant(context: RequestContext) {
      const fields = await forms.read(context);
      const user = await sessions.user(context);
      if (!user) return redirect(context, signInUrl);
      const removed = await store.removeGrant(fields.get('grant') ?? '', visitor(user.id, context.ip), user.id);
      await showGrants(context, removed ? 'The program has no access any more.' : 'That access had ended already.');
    },

    showInvitation: (context: RequestContext) => showInvitation(context, {}),

    async acceptInvitation(context: RequestContext) {
      const fields = await forms.read(context);
      const password = fields.get('password') ?? '';
      if (password !== (fields.get('again') ?? '')) return showInvitation(context, { again: 'the two do not match.' });
      try {
        const { user } = await accounts.accept(tokenOf(context), password, context.ip);
        sessions.rememberUser(context, user.id);
      } catch (error) {
        const first = error instanceof DomainError && error.kind === 'invalid' ? error.errors[0] : undefined;
        if (!first) throw error;
        return showInvitation(context, { password: `it ${first.message}.` });
      }
      const done = 'Your password is set: sign in with it, here and where programs ask to use Portico on your behalf.';
      const ended =
        'You are signed out in every browser, and programs that had access have to ask you again. API keys go on working.';
      sendPage(
        context,
        200,
        message(
          'The password is set',
          done,
          ended,
          html`<a href="${console}">Sign in to the console</a>`,
          html`<a href="../grants">See which programs have access</a>`,
        ),
      );
    },
  };
};
