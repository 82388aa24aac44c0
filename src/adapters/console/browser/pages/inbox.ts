import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.ts';
import { documentList } from '../parts/document-list.ts';
import { rowKeys } from '../parts/lists.ts';
import { useLive } from '../parts/live.ts';
import { SendFiles } from '../parts/send-files.ts';
import { to } from '../router.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly why: string | null;
  readonly at: string;
  readonly address: string;
}

const ofDocument =
  (filter: Readonly<Record<string, string>>, status: string | null) =>
  (document: Schemas['ListedDocument']): Item => ({
    ...{ id: document.id, name: document.name, status: status ?? document.status, at: document.created_at },
    ...{
      why: document.review.reasons[0]?.message ?? document.error,
      address: to(`/documents/${document.id}`, { ...filter, from: 'inbox' }),
    },
  });

const ofRun = (run: Schemas['Run']): Item => ({
  ...{ id: run.id, name: run.agent_name, status: run.status, why: run.error, at: run.created_at, address: to(`/runs/${run.id}`) },
});

interface SectionProps {
  readonly title: string;
  /** null while they are loaded. */
  readonly items: readonly Item[] | null;
  /** Where all of them are; null if these are all. */
  readonly more: string | null;
}

const Section = ({ title, items, more }: SectionProps) =>
  items !== null &&
  items.length > 0 &&
  html`<section class="waiting"><h2>${title} <span class="soft">${items.length}${more && '+'}</span></h2>
    <table class="list"><tbody>${items.map(
      ({ id, name, status, why, at, address }) => html`<tr key=${id} data-row>
        <td class="name"><a href=${address}>${name}</a>${why && html`<span class="soft cut">${why}</span>`}</td>
        <td><${Status} of=${status} /></td><td class="time"><${Time} at=${at} /></td></tr>`,
    )}</tbody></table>
    ${more && html`<p class="pager"><a href=${more}>See all</a></p>`}
  </section>`;

const oldestFirst = (items: readonly Item[] | undefined): readonly Item[] | null =>
  items?.toSorted((one, other) => (one.at < other.at ? -1 : 1)) ?? null;

/** What waits for a person. */
export const Inbox = () => {
  const pending = useLoaded(...documentList({ review: 'pending' }));
  const errors = useLoaded(...documentList({ status: 'error' }));
  const failed = useLoaded('failed runs', (signal) =>
    api.get('/api/v1/runs', { params: { query: { status: 'failed', limit: 25 } }, signal }),
  );
  const all = [pending, errors, failed];
  useKeys(rowKeys);
  useLive(['document.*', 'run.failed'], () => {
    for (const { reload } of all) reload();
  });
  const failure = all.find(({ error }) => error !== null);
  const isLoading = all.some(({ data, error }) => data === null && error === null);
  const count = (pending.data?.documents.length ?? 0) + (errors.data?.documents.length ?? 0) + (failed.data?.runs.length ?? 0);
  const reviews = oldestFirst(pending.data?.documents.map(ofDocument({ review: 'pending' }, 'pending')));
  const broken = oldestFirst(
    errors.data?.documents.filter(({ review }) => review.status !== 'pending').map(ofDocument({ status: 'error' }, null)),
  );
  return html`<${Heading} title="Inbox" />
    ${failure && html`<${Failure} error=${failure.error} retry=${failure.reload} />`}
    ${isLoading && html`<${Skeleton} />`}
    ${!isLoading && !failure && count === 0 && html`<${Empty} title="Nothing waits for you"><p>Documents that need a review, and what went wrong, appear here.</p><${SendFiles} withSamples /><//>`}
    <${Section} title="To review" items=${reviews} more=${pending.data?.next ? to('/documents', { review: 'pending' }) : null} />
    <${Section} title="Documents with an error" items=${broken} more=${errors.data?.next ? to('/documents', { status: 'error' }) : null} />
    <${Section} title="Failed runs" items=${oldestFirst(failed.data?.runs.map(ofRun))} more=${failed.data?.next ? to('/runs', { status: 'failed' }) : null} />`;
};
