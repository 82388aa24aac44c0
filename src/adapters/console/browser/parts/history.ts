import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { valueText } from '../form/form.ts';
import { useLoaded } from '../loaded.ts';
import { Disclosure, Failure, Skeleton, Time } from './basics.ts';

type HistoryProps = { readonly document: Schemas['Document']; readonly labels: ReadonlyMap<string, string> };

const shown = (value: unknown) => valueText(value) || '–';

const Revisions = ({ document: { id, revision }, labels }: HistoryProps) => {
  const { data, error, reload } = useLoaded(`revisions ${id} ${revision}`, (signal) =>
    api.get('/api/v1/documents/{id}/revisions', { params: { path: { id }, query: { limit: 100 } }, signal }),
  );
  if (error !== null) return html`<${Failure} error=${error} retry=${reload} />`;
  if (data === null) return html`<${Skeleton} lines=${2} />`;
  return html`<ol class="revisions">${data.revisions.map(
    ({ revision: number, created_at: at, by, changes }) =>
      html`<li key=${number}><p><strong>${by.name}</strong> <span class="soft"><${Time} at=${at} /></span></p>
      ${number === 1 && html`<p class="soft">read it from the files</p>`}
      ${number > 1 && html`<ul>${changes.map(({ pointer, from, to }) => html`<li><span class="soft">${labels.get(pointer) ?? pointer}</span> <del>${shown(from)}</del> → <ins>${shown(to)}</ins></li>`)}</ul>`}</li>`,
  )}</ol>`;
};

/** Who changed what; it is loaded when it is opened. */
export const History = (props: HistoryProps) =>
  html`<${Disclosure} class="panel history" summary=${html`<h2>History <span class="soft">revision ${props.document.revision}</span></h2>`}>
    ${() => html`<${Revisions} ...${props} />`}<//>`;
