import { ACCOUNT, scopes as descriptions, type Scope, TOOLS } from '../../../domain/access.ts';
import { type Html, html } from '../../../domain/html.ts';
import type { Page } from './page.ts';

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export type RequestedAccess =
  | { readonly kind: 'api'; readonly scopes: readonly string[] }
  | { readonly kind: 'agent'; readonly agent: Agent; readonly scopes: readonly string[] }
  | { readonly kind: 'choice'; readonly agents: readonly Agent[] };

export interface ConsentView {
  readonly token: string;
  readonly client: {
    readonly name: string | null;
    readonly host: string;
    readonly local: boolean;
    readonly documented: boolean;
  };
  readonly email: string;
  readonly requested: RequestedAccess;
  readonly error: string | null;
  readonly formTargets: readonly string[];
}

export const describeScope = (scope: string): string => {
  if (scope === ACCOUNT) return 'Do everything that you may do';
  return Object.hasOwn(descriptions, scope) ? descriptions[scope as Scope] : scope;
};

/** What the scopes of a token for an agent let it do, with the name of the agent behind. */
const toolDescriptions: Readonly<Record<string, readonly [before: string, after: string]>> = {
  [TOOLS]: ['Use all tools of the agent', ', with the rights you have'],
  'runs:read': ['Use the tools of the agent', ' that read: runs, documents, systems and the web'],
  'runs:write': ['Use the tools of the agent', ' that write, send or start something'],
  'documents:review': ['Approve and reject documents of the agent', ''],
};

export const toolsOf = (agent: string, scopes: readonly string[]): Html => {
  const can = scopes.flatMap((scope) => (toolDescriptions[scope] === undefined ? [] : [toolDescriptions[scope]]));
  if (can.length === 0) return html`<p>It may use none of the tools of the agent <strong>${agent}</strong>.</p>`;
  return html`<ul class="can">${can.map(([before, after]) => html`<li>${before} <strong>${agent}</strong>${after}</li>`)}</ul>`;
};

const agentChoice = (
  agents: readonly Agent[],
  error: string | null,
): Html => html`<fieldset${error === null ? null : html` aria-describedby="problem"`}>
<legend>Which agent may it use? It gets all tools of that agent, with the rights you have.</legend>
${agents.map(
  ({ id, name, description }, index) => html`<label class="choice" for="agent-${index}">
<input type="radio" id="agent-${index}" name="agent" value="${id}" required${agents.length === 1 ? html` checked` : null}>
<span><strong>${name}</strong><span class="soft">${description}</span></span></label>
`,
)}</fieldset>`;

const accessOf = ({ requested, error }: ConsentView): Html => {
  if (requested.kind === 'choice') {
    return requested.agents.length === 0
      ? html`<p class="error">It asks for an agent, and there is none that you can see.</p>`
      : agentChoice(requested.agents, error);
  }
  if (requested.kind === 'agent') {
    return html`<h2>It will be able to</h2>
${toolsOf(requested.agent.name, requested.scopes)}
<p class="soft">${requested.agent.description}</p>`;
  }
  return html`<h2>It will be able to</h2>
<ul class="can">${requested.scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>`;
};

/** The name is marked as the client's own words, because it is not verified. */
const clientOf = ({ client }: ConsentView): Html => {
  const name = client.name === null ? null : html` It calls itself “${client.name}”.`;
  if (client.documented)
    return html`<p>The program of <span class="host">${client.host}</span> asks for access.${name}</p>`;
  if (client.local) return html`<p>A program on this computer asks for access.${name}</p>`;
  return html`<p>A program asks for access, and wants to be answered at <span class="host">${client.host}</span>.${name}</p>`;
};

export const consentPage = (view: ConsentView): Page => {
  const { token, client, email, requested, error, formTargets } = view;
  const nothingToAllow = requested.kind === 'choice' && requested.agents.length === 0;
  return {
    title: error === null ? `Allow access: ${client.host}` : 'Error: allow access',
    formTargets,
    body: html`<div class="card">
<h1>Allow ${client.documented || !client.local ? client.host : 'a program on this computer'} to use Portico?</h1>
${clientOf(view)}
${error === null ? null : html`<p class="error" id="problem" role="alert">${error}</p>`}
<form method="post">
<input type="hidden" name="form" value="${token}">
${accessOf(view)}
${client.local ? html`<p class="warning">The answer goes to a program on the computer you are using now. Allow this only if you have just started it from there.</p>` : null}
<div class="actions">
${nothingToAllow ? null : html`<button type="submit" name="action" value="allow">Allow</button>`}
<button class="plain" type="submit" name="action" value="deny" formnovalidate>Do not allow</button>
</div>
<p class="hint">You are signed in as ${email}. <button class="text" type="submit" name="action" value="switch" formnovalidate>Use another account</button></p>
</form>
<p class="hint">You can take this back at any time under <a href="../grants">programs with access</a>.</p>
</div>`,
  };
};
