import { html } from '../../../domain/html.ts';
import { isLocal } from '../clients.ts';
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
}

const reason = ({ client }: SignInView) => {
  if (client === 'console') return html`<p>Sign in to work with your agents and the documents they read.</p>`;
  if (client === null) return html`<p>Sign in to see which programs you have let in.</p>`;
  const who = isLocal(client.host) ? html`A program on this computer` : html`<span class="host">${client.host}</span>`;
  const name = client.name === null ? '' : `, which calls itself “${client.name}”,`;
  return html`<p>${who}${name} asks to use Portico on your behalf. You decide on the next page.</p>`;
};

export const signInPage = (view: SignInView): Page => {
  const { token, email, error, formTargets } = view;
  const invalid = error === null ? null : html` aria-invalid="true" aria-describedby="problem"`;
  const first = email === '';
  return {
    title: error === null ? 'Sign in' : 'Error: sign in',
    formTargets,
    body: html`<div class="card">
<h1>Sign in</h1>
${reason(view)}
${error === null ? null : html`<p class="error" id="problem" role="alert">${error}</p>`}
<form method="post">
<input type="hidden" name="form" value="${token}">
<label for="email">Email address</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="username" required maxlength="254"${first ? html` autofocus` : null}${invalid}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="256"${first ? null : html` autofocus`}${invalid}>
<div class="actions"><button type="submit" name="action" value="sign-in">Sign in</button></div>
</form>
<p class="hint">No password yet, or forgotten? Ask the operator of this server for an invitation.</p>
</div>`,
  };
};
