import { html } from '../../../domain/html.ts';
import { SHORTEST_PASSWORD } from '../../../domain/password.ts';
import type { Page } from './page.ts';

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
