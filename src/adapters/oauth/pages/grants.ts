import type { GrantSummary } from '../../../application/ports/oauth.ts';
import { type Html, html } from '../../../domain/html.ts';
import { isLocal } from '../clients.ts';
import { describeScope, toolsOf } from './consent.ts';
import type { Page } from './page.ts';

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
