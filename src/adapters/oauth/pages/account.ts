import type { GrantSummary } from '../../../application/ports/oauth.ts';
import { type Html, html } from '../../../domain/html.ts';
import { SHORTEST_PASSWORD } from '../../../domain/password.ts';
import { isLocal } from '../clients.ts';
import { describeScope, toolsOf } from './consent.ts';
import type { Page } from './page.ts';

export interface SignInView {
  /** Ties the form to this browser. */
  readonly token: string;
  /** The program that asks for access; null if the user only wants to see their grants. */
  readonly client: { readonly name: string | null; readonly host: string } | 'console' | null;
  readonly email: string;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly formTargets: readonly string[];
  /** The button by which people sign in at their organisation; null: there is none. */
  readonly organisation: { readonly name: string; readonly url: string } | null;
  /** Whether people may sign in with a password. */
  readonly passwords: boolean;
}

const reason = ({ client }: SignInView) => {
  if (client === 'console') return html`<p>Sign in to work with your agents and the documents they read.</p>`;
  if (client === null) return html`<p>Sign in to see which programs you have let in.</p>`;
  const who = isLocal(client.host) ? html`A program on this computer` : html`<span class="host">${client.host}</span>`;
  const name = client.name === null ? '' : `, which calls itself “${client.name}”,`;
  return html`<p>${who}${name} asks to use Portico on your behalf. You decide on the next page.</p>`;
};

const passwordForm = ({ token, email, error }: SignInView) => {
  const invalid = error === null ? null : html` aria-invalid="true" aria-describedby="problem"`;
  const first = email === '';
  return html`<form method="post">
<input type="hidden" name="form" value="${token}">
<label for="email">Email address</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="username" required maxlength="254"${first ? html` autofocus` : null}${invalid}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="256"${first ? null : html` autofocus`}${invalid}>
<div class="actions"><button type="submit" name="action" value="sign-in">Sign in</button></div>
</form>
<p class="hint">No password yet, or forgotten? Ask the operator of this server for an invitation.</p>`;
};

export const signInPage = (view: SignInView): Page => {
  const { error, formTargets, organisation, passwords } = view;
  return {
    title: error === null ? 'Sign in' : 'Error: sign in',
    formTargets,
    body: html`<div class="card">
<h1>Sign in</h1>
${reason(view)}
${error === null ? null : html`<p class="error" id="problem" role="alert">${error}</p>`}
${organisation && html`<div class="actions"><a class="button" href="${organisation.url}">${organisation.name}</a></div>`}
${organisation && passwords ? html`<p class="or">or with a password</p>` : null}
${passwords ? passwordForm(view) : null}
</div>`,
  };
};

/** What a link shows that signs in once. */
export const linkPage = ({ token, name, email }: Omit<InvitationView, 'errors'>): Page => ({
  title: 'Sign in',
  body: html`<div class="card">
<h1>Sign in</h1>
<p>Welcome, ${name}. This link signs you in as <strong>${email}</strong>, once.</p>
<form method="post">
<input type="hidden" name="form" value="${token}">
<div class="actions"><button type="submit" autofocus>Sign in</button></div>
</form>
</div>`,
});

export interface InvitationView {
  readonly token: string;
  readonly name: string;
  readonly email: string;
  /** What is wrong with the password, or with its repetition. */
  readonly errors: { readonly password?: string; readonly again?: string };
}

export const invitationPage = ({ token, name, email, errors }: InvitationView): Page => {
  const problem = (field: 'password' | 'again') =>
    errors[field] === undefined ? null : html`<p class="field-error" id="${field}-problem">Error: ${errors[field]}</p>`;
  const described = (field: 'password' | 'again', hint: string) =>
    errors[field] === undefined
      ? html` aria-describedby="${hint}"`
      : html` aria-invalid="true" aria-describedby="${field}-problem ${hint}" autofocus`;
  const failed = errors.password !== undefined || errors.again !== undefined;
  return {
    title: failed ? 'Error: choose a password' : 'Choose a password',
    body: html`<div class="card">
<h1>Choose a password</h1>
<p>Welcome, ${name}. This sets the password of the account <strong>${email}</strong>.</p>
<form method="post">
<input type="hidden" name="form" value="${token}">
<input type="email" name="email" value="${email}" autocomplete="username" hidden readonly>
<label for="password">New password</label>
<input type="password" id="password" name="password" autocomplete="new-password" required${described('password', 'rules')}>
${problem('password')}
<p class="hint" id="rules">At least ${SHORTEST_PASSWORD} characters. A few words that do not belong together are easy to remember and hard to guess.</p>
<label for="again">The same password again</label>
<input type="password" id="again" name="again" autocomplete="new-password" required${described('again', 'repeat')}>
${problem('again')}
<p class="hint" id="repeat">So that a slip of the finger does not lock you out.</p>
<div class="actions"><button type="submit">Set the password</button></div>
</form>
</div>`,
  };
};

export interface GrantsView {
  readonly tokens: { readonly grant: string; readonly signOut: string };
  readonly email: string;
  readonly grants: readonly GrantSummary[];
  /** The outcome of the form that was just submitted. */
  readonly notice: string | null;
}

const day = (time: Date): Html =>
  html`<time datetime="${time.toISOString()}">${time.toISOString().slice(0, 10)}</time>`;

const accessOf = ({ agentId, agentName, scopes }: GrantSummary): Html =>
  agentId === null
    ? html`<ul class="can">${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>`
    : toolsOf(agentName ?? agentId, scopes);

const entry = (grant: GrantSummary, token: string): Html => {
  const { id, clientHost, clientName, createdAt, usedAt } = grant;
  return html`<li>
<h2 id="grant-${id}">${isLocal(clientHost) ? 'A program on a computer of yours' : clientHost}</h2>
${clientName === null ? null : html`<p class="soft">It calls itself “${clientName}”.</p>`}
${accessOf(grant)}
<p class="soft">Allowed on ${day(createdAt)}${usedAt === null ? null : html`, last renewed on ${day(usedAt)}`}.</p>
<form method="post">
<input type="hidden" name="form" value="${token}">
<input type="hidden" name="grant" value="${id}">
<button class="plain" type="submit" aria-describedby="grant-${id}">Take access away</button>
</form>
</li>
`;
};

export const grantsPage = ({ tokens, email, grants, notice }: GrantsView): Page => ({
  title: 'Programs with access',
  body: html`<h1>Programs with access</h1>
<p>These programs may use Portico on your behalf. You are signed in as ${email}.</p>
${notice === null ? null : html`<p class="warning" role="status">${notice}</p>`}
${grants.length === 0 ? html`<p class="card">There are none at the moment.</p>` : html`<ul class="grants">${grants.map((grant) => entry(grant, tokens.grant))}</ul>`}
<form method="post" action="sign-out">
<input type="hidden" name="form" value="${tokens.signOut}">
<div class="actions"><button class="plain" type="submit">Sign out</button></div>
</form>`,
});
