import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { useAgents } from '../parts/agents.ts';
import { countText, durationText, Empty, Status, Time } from '../parts/basics.ts';
import { filterOf, Listing, rowKeys, SelectField } from '../parts/lists.ts';
import { useLive } from '../parts/live.ts';
import { SendFiles } from '../parts/send-files.ts';
import { query, to } from '../router.ts';

const PAGE = 25;
const statuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

type Filter = { readonly agent_id?: string; readonly status?: (typeof statuses)[number]; readonly after?: string };

const took = ({ started_at: from, completed_at: until }: Schemas['Run']) =>
  from && until ? durationText(Date.parse(until) - Date.parse(from)) : '–';

const Row = ({ run }: { readonly run: Schemas['Run'] }) =>
  html`<tr data-row>
    <td class="name"><a href=${to(`/runs/${run.id}`)}>${run.agent_name}</a>${run.error && html`<span class="soft cut">${run.error}</span>`}</td>
    <td><${Status} of=${run.status} /></td>
    <td class="number wide">${took(run)}</td>
    <td class="number wide">${countText(run.usage.input_tokens + run.usage.output_tokens)} tokens</td>
    <td class="time"><${Time} at=${run.created_at} /></td>
  </tr>`;

const Table = ({ runs, busy }: { readonly runs: readonly Schemas['Run'][]; readonly busy: boolean }) =>
  html`<table class="list" aria-busy=${busy}>
    <thead><tr><th scope="col">Agent</th><th scope="col">Status</th><th scope="col" class="number wide">Took</th><th scope="col" class="number wide">Used</th><th scope="col" class="time">Began</th></tr></thead>
    <tbody>${runs.map((run) => html`<${Row} key=${run.id} run=${run} />`)}</tbody>
  </table>`;

const none = () =>
  html`<${Empty} title="No runs yet"><p>A run is work that an agent does in the background: it reads the files that you send.</p><${SendFiles} withSamples /><//>`;

export const Runs = () => {
  const filter = filterOf<Filter>(query.value, ['agent_id', 'status', 'after']);
  const { agents } = useAgents();
  const load = (signal: AbortSignal) => api.get('/api/v1/runs', { params: { query: { ...filter, limit: PAGE } }, signal });
  const loaded = useLoaded(`runs ${JSON.stringify(filter)}`, load, { keep: true });
  const { data, isOld, reload } = loaded;
  useKeys(rowKeys);
  useLive(['run.*'], reload);
  const filters = html`<${SelectField} name="agent_id" label="Agent" all="All agents" options=${agents.map(({ id, name }) => [id, name])} />
    <${SelectField} name="status" label="Status" all="Any status" options=${statuses} />`;
  return html`<${Listing} title="Runs" noun="runs" filter=${filter} loaded=${loaded} count=${data?.runs.length} next=${data?.next} none=${none} actions=${html`<${SendFiles} />`} filters=${filters}>
    ${data && html`<${Table} runs=${data.runs} busy=${isOld} />`}<//>`;
};
