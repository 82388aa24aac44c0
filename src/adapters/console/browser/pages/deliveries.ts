import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { countText, Empty, Status, Time } from '../parts/basics.ts';
import { EventTabs } from '../parts/event-tabs.ts';
import { filterOf, Listing, rowKeys, SelectField } from '../parts/lists.ts';
import { act } from '../parts/notice.ts';
import { query, setQuery, to } from '../router.ts';

const PAGE = 25;
const statuses = ['pending', 'delivered', 'failed'] as const;

type Filter = { readonly status?: (typeof statuses)[number]; readonly after?: string };

const attemptsOf = ({ attempts, due_at: due }: Schemas['Delivery']) =>
  html`${countText(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}${due && html` · next: <${Time} at=${due} />`}`;

const Entry = ({ of: delivery, reload }: { readonly of: Schemas['Delivery']; readonly reload: () => void }) => {
  const { id, event, address, status, last_attempt: last, run_id: runId, document_id: documentId, occurred_at: at } = delivery;
  const resend = async () => {
    const params = { path: { id } };
    await act(() => api.post('/api/v1/deliveries/{id}/redeliver', { params }), 'The event is sent again.');
    reload();
  };
  return html`<li data-row><div class="what"><a href=${to(documentId ? `/documents/${documentId}` : `/runs/${runId}`)}>${event}</a> <span class="soft">${address}</span>
      <span class="facts-line"><${Status} of=${status} /> · <span class="soft">happened: <${Time} at=${at} /> · ${attemptsOf(delivery)}</span></span>
      ${last?.error && html`<span class="soft">${last.error}${last.response && html` <code>${last.response.slice(0, 200)}</code>`}</span>`}</div>
    <button type="button" class="plain" aria-label=${`Send again: ${event} to ${address}`} onClick=${() => void resend()}>Send again</button></li>`;
};

const none = () =>
  html`<${Empty} title="No deliveries yet"><p>What happens is sent to the webhooks of the workspace file. What was sent, and what came of it, appears here.</p><//>`;

/** What was sent to webhooks, and what waits to be sent. */
export const Deliveries = () => {
  const filter = filterOf<Filter>(query.value, ['status', 'after']);
  const load = (signal: AbortSignal) => api.get('/api/v1/deliveries', { params: { query: { ...filter, limit: PAGE } }, signal });
  const loaded = useLoaded(`deliveries ${JSON.stringify(filter)}`, load, { keep: true });
  const { data, reload } = loaded;
  useKeys(rowKeys);
  const filters = html`<${SelectField} label="Status" value=${filter.status ?? ''} all="Any status" options=${statuses.map((status) => [status, status])} change=${(status: string) => setQuery({ status, after: null })} />`;
  return html`<${Listing} title="Webhook deliveries" noun="deliveries" filter=${filter} loaded=${loaded} count=${data?.deliveries.length} next=${data?.next} none=${none}
    tabs=${html`<${EventTabs} />`} actions=${html`<button type="button" class="plain" onClick=${reload}>Refresh</button>`} filters=${filters}>
    <ul class="entries">${data?.deliveries.map((each) => html`<${Entry} key=${each.id} of=${each} reload=${reload} />`)}</ul><//>`;
};
