import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../../client/portico.ts';
import { to } from '../address.ts';
import { summaryText } from '../form/amounts.ts';
import { useKeys } from '../keys.ts';
import { useMayWrite, useSystems } from '../parts/agents.ts';
import { approvalList, briefOf } from '../parts/approval-list.ts';
import { Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.tsx';
import { type DocumentFilter, documentList, MOST_WAITING, reasonText } from '../parts/document-list.ts';
import { type Columns, rowKeys, Table } from '../parts/lists.tsx';
import { useLive } from '../parts/live.ts';
import { ProcessAll, Processing } from '../parts/process-all.tsx';
import { SendFiles } from '../parts/send-files.tsx';
import { reading } from '../queries.ts';

type Item = Record<'name' | 'status' | 'at' | 'address', string> & {
  readonly more: string | null;
  /** Of a document, in a line. */
  readonly values?: string;
};

const columns: Columns<Item> = [
  'Name',
  ['Values', ({ values }) => values, 'listed wide'],
  ['Status', ({ status }) => <Status of={status} />],
  ['Since', ({ at }) => <Time at={at} />, 'time'],
];

interface SectionProps {
  readonly title: string;
  readonly items: readonly Item[];
  /** Where all of them are; null if these are all. */
  readonly all: string | null;
  readonly children?: ComponentChildren;
}

/** The oldest first, which lists have last: of more than there is room for, the newest are here. */
const Section = ({ title, items, all, children }: SectionProps) =>
  items.length > 0 && (
    <section class="waiting">
      <div class="heading">
        <h2>
          {title}{' '}
          <span class="soft">
            {all && 'the newest '}
            {items.length}
          </span>
        </h2>
        {children}
      </div>
      <Table title={title} items={items.toReversed()} lead={(item: Item) => item} columns={columns} />
      {all && (
        <p class="pager">
          <a href={all}>See all</a>
        </p>
      )}
    </section>
  );

const ofRun = ({ id, agent_name: name, status, error: more, created_at: at }: Schemas['Run']): Item => ({
  name,
  status,
  more,
  at,
  address: to(`/runs/${id}`),
});

/** The documents of a filter, as many as the inbox has room for. */
const useWaiting = (filter: DocumentFilter) => {
  const loaded = useQuery(documentList(filter, MOST_WAITING));
  return { filter, loaded, documents: loaded.data?.documents ?? [] };
};

/** Agents without a system of record are done with what is approved. */
const useApproved = () => {
  const approved = useWaiting({ review: 'approved', status: 'ready' });
  const systems = useSystems([...new Set(approved.documents.map(({ agent_id: id }) => id))].toSorted());
  const isLoading = approved.loaded.data?.documents.length !== 0 && systems.data === undefined;
  return {
    ...approved,
    systems,
    isLoading,
    documents: approved.documents.filter(
      ({ agent_id: id, posting: { next_attempt_at: next } }) => systems.data?.has(id) && next === null,
    ),
  };
};

const failedRuns = reading(['failed runs'], (get) =>
  get('/api/v1/runs', { params: { query: { status: 'failed', limit: MOST_WAITING } } }),
);

const ofApproval = (approval: Schemas['Approval']): Item => ({
  name: approval.tool,
  status: approval.status,
  more: briefOf(approval),
  at: approval.requested_at,
  address: to(`/approvals/${approval.id}`),
});

/** What waits for a person. */
export const Inbox = () => {
  const [pending, approved, errors] = [
    useWaiting({ review: 'pending' }),
    useApproved(),
    useWaiting({ status: 'error' }),
  ];
  const broken = { ...errors, documents: errors.documents.filter(({ review }) => review.status !== 'pending') };
  const failed = useQuery(failedRuns);
  const asked = useQuery(approvalList({}, MOST_WAITING));
  const [waiting, runs, calls] = [[pending, approved, broken], failed.data?.runs ?? [], asked.data?.approvals ?? []];
  const all = [...waiting.map(({ loaded }) => loaded), failed, asked];
  const reload = () => {
    for (const each of all) void each.refetch();
  };
  useKeys(rowKeys);
  useLive(['document.*', 'run.failed', 'approval.*'], reload);
  const mayWrite = useMayWrite();
  const failure = [...all, approved.systems].find(({ error }) => error !== null);
  const isLoading = !failure && (approved.isLoading || all.some(({ data }) => data === undefined));
  const isEmpty = runs.length === 0 && calls.length === 0 && waiting.every(({ documents }) => documents.length === 0);
  const names = new Map(waiting.flatMap(({ documents }) => documents.map(({ id, name }) => [id, name] as const)));
  const section = (
    title: string,
    { filter, loaded, documents }: ReturnType<typeof useWaiting>,
    children?: ComponentChildren,
  ) => {
    const items = documents.map(({ id, name, values, status, created_at: at, error, review }): Item => {
      const [reason] = review.status === 'pending' ? review.reasons : [];
      const more = reason ? reasonText(reason, names) : error;
      return {
        name,
        values: summaryText(values),
        status: filter.review ?? status,
        more,
        at,
        address: to(`/documents/${id}`, { ...filter, from: 'inbox' }),
      };
    });
    return (
      <Section title={title} items={items} all={loaded.data?.next ? to('/documents', { ...filter }) : null}>
        {children}
      </Section>
    );
  };
  return (
    <>
      <Heading title="Inbox" />
      {failure && <Failure error={failure.error} retry={() => void failure.refetch()} />}
      {isLoading && <Skeleton />}
      <Processing />
      {!isLoading && !failure && isEmpty && (
        <Empty title="Nothing waits for you">
          <p>Documents that need a review, and what went wrong, appear here.</p>
          <SendFiles withSamples />
        </Empty>
      )}
      <Section
        title="Calls to approve"
        items={calls.map(ofApproval)}
        all={asked.data?.next ? to('/approvals') : null}
      />
      {section('To review', pending)}
      {section(
        'Approved, not sent yet',
        approved,
        mayWrite && <ProcessAll documents={approved.documents} after={reload} />,
      )}
      {section('Documents with an error', broken)}
      <Section
        title="Failed runs"
        items={runs.map(ofRun)}
        all={failed.data?.next ? to('/runs', { status: 'failed' }) : null}
      />
    </>
  );
};
