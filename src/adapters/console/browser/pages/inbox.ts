import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { useMayWrite, useSystems } from '../parts/agents.ts';
import { Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.ts';
import { type DocumentFilter, documentList, MOST_WAITING, reasonText } from '../parts/document-list.ts';
import { rowKeys } from '../parts/lists.ts';
import { useLive } from '../parts/live.ts';
import { ProcessAll, Processing } from '../parts/process-all.ts';
import { SendFiles } from '../parts/send-files.ts';
import { to } from '../router.ts';

type Item = Record<'id' | 'name' | 'status' | 'at' | 'address', string> & { readonly why: string | null };

interface SectionProps {
  readonly title: string;
  readonly items: readonly Item[];
  /** Where all of them are; null if these are all. */
  readonly more: string | null;
  readonly children?: ComponentChildren;
}

/** The oldest first, which lists have last: of more than there is room for, the newest are here. */
const Section = ({ title, items, more, children }: SectionProps) =>
  items.length > 0 &&
  html`<section class="waiting"><div class="heading"><h2>${title} <span class="soft">${more && 'the newest '}${items.length}</span></h2>${children}</div>
    <table class="list" aria-label=${title}><tbody>${items.toReversed().map(
      ({ id, name, status, why, at, address }) => html`<tr key=${id} data-row>
        <td class="name"><a href=${address}>${name}</a>${why && html`<span class="soft cut">${why}</span>`}</td>
        <td><${Status} of=${status} /></td><td class="time"><${Time} at=${at} /></td></tr>`,
    )}</tbody></table>
    ${more && html`<p class="pager"><a href=${more}>See all</a></p>`}
  </section>`;

const ofRun = (run: Schemas['Run']): Item => ({
  ...{ id: run.id, name: run.agent_name, status: run.status, why: run.error, at: run.created_at, address: to(`/runs/${run.id}`) },
});

/** The documents of a filter, as many as the inbox has room for. */
const useWaiting = (filter: DocumentFilter) => {
  const loaded = useLoaded(...documentList(filter, MOST_WAITING));
  return { filter, loaded, documents: loaded.data?.documents ?? [] };
};

/** What is approved and can be processed: agents without a system of record are done with it. */
const useApproved = () => {
  const approved = useWaiting({ review: 'approved', status: 'ready' });
  const systems = useSystems([...new Set(approved.documents.map(({ agent_id: id }) => id))].toSorted());
  return { ...approved, systems, documents: approved.documents.filter(({ agent_id: id }) => systems.data?.has(id)) };
};

interface DocumentsProps extends Pick<SectionProps, 'title' | 'children'> {
  readonly of: ReturnType<typeof useWaiting>;
  /** Of the documents by their ids, as far as they are here. */
  readonly names: ReadonlyMap<string, string>;
}

const Documents = ({ title, of: { filter, loaded, documents }, names, children }: DocumentsProps) => {
  const items = documents.map(({ id, name, status, created_at: at, error, review }): Item => {
    const [reason] = review.status === 'pending' ? review.reasons : [];
    const why = reason ? reasonText(reason, names) : error;
    return { id, name, status: filter.review ?? status, why, at, address: to(`/documents/${id}`, { ...filter, from: 'inbox' }) };
  });
  return html`<${Section} title=${title} items=${items} more=${loaded.data?.next ? to('/documents', { ...filter }) : null}>${children}<//>`;
};

/** What waits for a person. */
export const Inbox = () => {
  const [pending, approved, errors] = [useWaiting({ review: 'pending' }), useApproved(), useWaiting({ status: 'error' })];
  const failed = useLoaded('failed runs', (signal) =>
    api.get('/api/v1/runs', { params: { query: { status: 'failed', limit: MOST_WAITING } }, signal }),
  );
  const broken = { ...errors, documents: errors.documents.filter(({ review }) => review.status !== 'pending') };
  const [waiting, runs] = [[pending, approved, broken], failed.data?.runs ?? []];
  const all = [...waiting.map(({ loaded }) => loaded), failed];
  const reload = () => {
    for (const each of all) each.reload();
  };
  useKeys(rowKeys);
  useLive(['document.*', 'run.failed'], reload);
  const failure = [...all, approved.systems].find(({ error }) => error !== null);
  const isDeciding = approved.loaded.data?.documents.length !== 0 && approved.systems.data === null;
  const isLoading = !failure && (isDeciding || all.some(({ data }) => data === null));
  const isEmpty = runs.length === 0 && waiting.every(({ documents }) => documents.length === 0);
  const names = new Map(waiting.flatMap(({ documents }) => documents.map(({ id, name }) => [id, name] as const)));
  const mayWrite = useMayWrite();
  return html`<${Heading} title="Inbox" />
    ${failure && html`<${Failure} error=${failure.error} retry=${failure.reload} />`}
    ${isLoading && html`<${Skeleton} />`}
    <${Processing} />
    ${!isLoading && !failure && isEmpty && html`<${Empty} title="Nothing waits for you"><p>Documents that need a review, and what went wrong, appear here.</p><${SendFiles} withSamples /><//>`}
    <${Documents} title="To review" of=${pending} names=${names} />
    <${Documents} title="Approved, not sent yet" of=${approved} names=${names}>${mayWrite && html`<${ProcessAll} documents=${approved.documents} after=${reload} />`}<//>
    <${Documents} title="Documents with an error" of=${broken} names=${names} />
    <${Section} title="Failed runs" items=${runs.map(ofRun)} more=${failed.data?.next ? to('/runs', { status: 'failed' }) : null} />`;
};
