import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { useAgents } from '../parts/agents.ts';
import { Empty, Status, Time } from '../parts/basics.ts';
import { type DocumentFilter, documentFilter, documentList } from '../parts/document-list.ts';
import { Listing, RunChip, rowKeys, SearchField, SelectField } from '../parts/lists.ts';
import { useLive } from '../parts/live.ts';
import { act } from '../parts/notice.ts';
import { SendFiles } from '../parts/send-files.ts';
import { query, setQuery, to } from '../router.ts';

const statuses = ['extracting', 'ready', 'processing', 'processed', 'error'];

const reviews = [['pending', 'needs review'], 'approved', 'rejected'];

const save = (text: Blob, name: string) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(text);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

const Export = ({ filter }: { readonly filter: DocumentFilter }) => {
  const working = useSignal(false);
  const { after: _, ...of } = filter;
  const start = async (format: 'ndjson' | 'csv') => {
    working.value = true;
    const download = async () => {
      const { response } = await api.exchange('get', '/api/v1/documents/export', { params: { query: { ...of, format } } });
      save(await response.blob(), `documents.${format}`);
    };
    await act(download, 'The export is in your downloads.');
    working.value = false;
  };
  return html`<details class="drop"><summary class="button plain">${working.value ? 'Exporting…' : 'Export'}</summary>
    <div class="menu">
      <button type="button" class="text" disabled=${working.value} onClick=${() => void start('ndjson')}>Lines of JSON</button>
      <button type="button" class="text" disabled=${working.value || !of.agent_id} onClick=${() => void start('csv')}>Table (CSV)</button>
      ${!of.agent_id && html`<p class="soft">For a table, choose an agent: its fields are the columns.</p>`}
    </div></details>`;
};

interface TableProps {
  readonly documents: readonly Schemas['ListedDocument'][];
  readonly nameOf: (agentId: string) => string;
  readonly busy: boolean;
}

interface FilterProps {
  readonly filter: DocumentFilter;
  readonly agents: readonly Schemas['Agent'][];
  readonly field: RefObject<HTMLInputElement>;
}

/** Why a person should look at a document, in a word or two. */
const remarksOf = ({ coverage, checks, duplicates, review }: Schemas['ListedDocument']): readonly string[] => [
  ...(review.status === 'pending' ? ['needs review'] : []),
  ...(checks.some(({ status }) => status === 'failed') ? ['check failed'] : []),
  ...(duplicates.length > 0 ? ['duplicate'] : []),
  ...(coverage && !coverage.complete ? ['not all was read'] : []),
];

const Row = ({ document, agent }: { readonly document: Schemas['ListedDocument']; readonly agent: string }) =>
  html`<tr data-row>
    <td class="name"><a href=${to(`/documents/${document.id}`, Object.fromEntries(query.value))}>${document.name}</a>
      ${document.error && html`<span class="soft cut">${document.error}</span>`}</td>
    <td><${Status} of=${document.status} /></td>
    <td class="wide">${agent}</td>
    <td class="wide flags">${remarksOf(document).map((remark) => html`<span class="flag">${remark}</span> `)}</td>
    <td class="time"><${Time} at=${document.created_at} /></td>
  </tr>`;

const none = () =>
  html`<${Empty} title="No documents yet"><p>Send files to an agent. What it reads from them stands here, each value with its place in the file.</p><${SendFiles} withSamples /><//>`;

const Table = ({ documents, nameOf, busy }: TableProps) =>
  html`<table class="list" aria-busy=${busy}>
    <thead><tr><th scope="col">Document</th><th scope="col">Status</th><th scope="col" class="wide">Agent</th><th scope="col" class="wide">Remarks</th><th scope="col" class="time">Read</th></tr></thead>
    <tbody>${documents.map((document) => html`<${Row} key=${document.id} document=${document} agent=${nameOf(document.agent_id)} />`)}</tbody>
  </table>`;

const Filters = ({ filter, agents, field }: FilterProps) =>
  html`<${SearchField} field=${field} label="Search documents" value=${filter.q ?? ''} change=${(q: string) => setQuery({ q, after: null }, { replace: true })} />
    <${SelectField} name="agent_id" label="Agent" all="All agents" options=${agents.map(({ id, name }) => [id, name])} />
    <${SelectField} name="status" label="Status" all="Any status" options=${statuses} />
    <${SelectField} name="review" label="Review" all="Any review" options=${reviews} />
    <${RunChip} run=${filter.run_id} />`;

export const Documents = () => {
  const filter = documentFilter(query.value);
  const loaded = useLoaded(...documentList(filter), { keep: true });
  const { data, isOld, reload } = loaded;
  const { agents, nameOf } = useAgents();
  const search = useRef<HTMLInputElement>(null);
  useKeys([...rowKeys, { key: '/', does: 'Search', act: () => search.current?.focus() }]);
  useLive(['document.*', 'run.running'], reload);
  return html`<${Listing} title="Documents" noun="documents" filter=${filter} loaded=${loaded} count=${data?.documents.length} next=${data?.next} none=${none}
    actions=${html`<${Export} filter=${filter} /><${SendFiles} />`} filters=${html`<${Filters} filter=${filter} agents=${agents} field=${search} />`}>
    ${data && html`<${Table} documents=${data.documents} nameOf=${nameOf} busy=${isOld} />`}<//>`;
};
