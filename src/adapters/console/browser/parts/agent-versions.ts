import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { type JsonValue, resolvePointer } from '../../../../domain/json.ts';
import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { useVersion } from './agents.ts';
import { Disclosure, Failure, Loading, Skeleton, setting, Time } from './basics.ts';

const shown = (definition: Schemas['AgentDefinition'], pointer: string): string | null => {
  const value = resolvePointer(definition as unknown as JsonValue, pointer);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

interface SidesProps {
  readonly pointer: string;
  readonly before: string | null;
  readonly after: string | null;
}

const Change = ({ pointer, before, after }: SidesProps) =>
  html`<div class="change"><h4 class="mono">${pointer}</h4>
    ${before !== null && html`<del><span class="unseen">before: </span>${before}</del>`}
    ${after !== null && html`<ins><span class="unseen">after: </span>${after}</ins>`}
  </div>`;

/** What the version has otherwise than the one before it. */
const Difference = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const [after, before] = [of.version, of.version - 1].map((version) => useVersion(version === 0 ? null : agentId, version));
  const error = after?.error ?? before?.error ?? null;
  if (error !== null) return html`<${Failure} error=${error} retry=${after?.reload} />`;
  if (!after?.data || !before?.data) return html`<${Skeleton} lines=${2} />`;
  const [newer, older] = [after.data.definition, before.data.definition];
  return of.changes.map(
    (pointer) => html`<${Change} key=${pointer} pointer=${pointer} before=${shown(older, pointer)} after=${shown(newer, pointer)} />`,
  );
};

const Version = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const line = html`<span class="name">Version ${of.version} ${of.live && html`<span class="flag">live</span>`}</span>
    <span class="soft"><${Time} at=${of.created_at} />${of.created_by && ` by ${of.created_by.name}`}</span>`;
  if (of.changes.length === 0) return html`<li class="unit"><p class="version">${line}</p></li>`;
  return html`<li class="unit"><${Disclosure} summary=${line}>${() => html`<${Difference} agentId=${agentId} of=${of} />`}<//></li>`;
};

/** The newest versions of an agent, each with what it changed. */
export const Versions = ({ agentId }: { readonly agentId: string }) => {
  const limit = useSignal(10);
  const load = (signal: AbortSignal) =>
    api.get('/api/v1/agents/{agent_id}/versions', { params: { path: { agent_id: agentId }, query: { limit: limit.value } }, signal });
  const loaded = useLoaded(`versions ${agentId} ${limit.value}`, load, { keep: true });
  return html`<section class="panel"><h2>Versions</h2>
    <${Loading} of=${loaded} lines=${2} />
    <ul class="units">${loaded.data?.versions.map((of) => html`<${Version} key=${of.version} agentId=${agentId} of=${of} />`)}</ul>
    ${
      loaded.data?.next &&
      limit.value < 100 &&
      html`<p class="more"><button type="button" class="text" onClick=${setting(limit, 100)}>Show older versions</button></p>`
    }
  </section>`;
};
