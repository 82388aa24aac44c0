import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { to } from '../address.ts';
import { summaryText } from '../form/amounts.ts';
import { type Key, useKeys } from '../keys.ts';
import { askReader, dismissRun, isReadAgain, retry, retryRun } from '../parts/again.tsx';
import { useMayWrite, useSchemas } from '../parts/agents.ts';
import { approvalList, briefOf } from '../parts/approval-list.ts';
import { Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.tsx';
import { isToBePosted, remember, useUndoKey, willPost } from '../parts/decided.tsx';
import { type DocumentFilter, documentList, MOST_WAITING, reasonText } from '../parts/document-list.ts';
import { trash } from '../parts/document-requests.ts';
import { allowed, stateOf } from '../parts/document-state.ts';
import { type Columns, rowKeys, Table } from '../parts/lists.tsx';
import { act, RowAction } from '../parts/notice.tsx';
import { SendFiles } from '../parts/send-files.tsx';
import { useLiveRows } from '../parts/steady-rows.ts';
import { reading } from '../queries.ts';

/** What can be done with an item, by a button of its row and by a key while the row has the focus. */
interface Deed {
  readonly key: string;
  readonly text: string;
  readonly does: () => Promise<unknown>;
}

type Item = Record<'id' | 'name' | 'status' | 'at' | 'address', string> & {
  readonly more: string | null;
  /** Of a document, in a line. */
  readonly values?: string;
  readonly deeds?: readonly Deed[];
};

const Deeds = ({ name, deeds }: { readonly name: string; readonly deeds: readonly Deed[] }) => (
  <>
    {deeds.map(({ key, text, does }) => (
      <RowAction key={text} class="plain" data-key={key} aria-label={`${text}: ${name}`} does={does}>
        {text}
      </RowAction>
    ))}
  </>
);

const columns: Columns<Item> = [
  'Name',
  ['Values', ({ values }) => values, 'listed wide'],
  ['Status', ({ status }) => <Status of={status} />],
  ['Since', ({ at }) => <Time at={at} />, 'time'],
];

const failedColumns: Columns<Item> = [
  'Name',
  ['Status', ({ status }) => <Status of={status} />],
  ['What to do', ({ name, deeds = [] }) => <Deeds name={name} deeds={deeds} />, 'deeds'],
  ['Since', ({ at }) => <Time at={at} />, 'time'],
];

/** Presses the button with this key in the row that has the focus. */
const pressing = (key: string, does: string): Key => ({
  key,
  does,
  act: () =>
    document.activeElement?.closest('[data-row]')?.querySelector<HTMLButtonElement>(`[data-key=${key}]`)?.click(),
});

const deedKeys = [
  pressing('t', 'Retry what failed, in the row'),
  pressing('b', 'Choose the agent that reads it again'),
  pressing('d', 'Dismiss what failed'),
];

interface SectionProps {
  readonly title: string;
  readonly items: readonly Item[];
  /** Where all of them are; null if these are all. */
  readonly all: string | null;
  readonly of?: Columns<Item>;
}

/** The oldest first, which lists have last: of more than there is room for, the newest are here. */
const Section = ({ title, items, all, of = columns }: SectionProps) =>
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
      </div>
      <Table title={title} items={items.toReversed()} lead={(item: Item) => item} columns={of} />
      {all && (
        <p class="pager">
          <a href={all}>See all</a>
        </p>
      )}
    </section>
  );

/** The documents of a filter, as many as the inbox has room for. */
const useWaiting = (filter: DocumentFilter) => {
  const loaded = useQuery(documentList(filter, MOST_WAITING));
  return { filter, loaded, documents: loaded.data?.documents ?? [] };
};

const failedRuns = reading(['failed runs'], (get) =>
  get('/api/v1/work/failed-runs', { params: { query: { limit: MOST_WAITING } } }),
);

const ofApproval = (approval: Schemas['Approval']): Item => ({
  id: approval.id,
  name: approval.tool,
  status: approval.status,
  more: briefOf(approval),
  at: approval.requested_at,
  address: to(`/approvals/${approval.id}`),
});

/** What waits for a person. */
export const Inbox = () => {
  const pending = useWaiting({ review: 'pending' });
  const errors = useWaiting({ status: 'error' });
  const broken = errors.documents.filter(({ review }) => !['pending', 'rejected'].includes(review.status));
  const failed = useQuery(failedRuns);
  const approvals = useQuery(approvalList({}, MOST_WAITING));
  const runs = failed.data?.runs ?? [];
  const calls = approvals.data?.approvals ?? [];
  const all = [pending.loaded, errors.loaded, failed, approvals];
  const reload = () => {
    for (const query of all) void query.refetch();
  };
  const mayWrite = useMayWrite();
  useKeys(mayWrite ? [...rowKeys, ...deedKeys] : rowKeys);
  useUndoKey();
  useLiveRows(['document.*', 'run.failed', 'approval.*'], reload);
  const failure = all.find(({ error }) => error !== null);
  const isLoading = !failure && all.some(({ data }) => data === undefined);
  const isEmpty = [runs, calls, pending.documents, broken].every(({ length }) => length === 0);
  const isAtValue = ({ review }: Schemas['ListedDocument']) => review.reasons.some(({ pointer }) => pointer !== null);
  const schemaOf = useSchemas(pending.documents.filter(isAtValue));
  const names = new Map([...pending.documents, ...broken].map(({ id, name }) => [id, name] as const));

  const dismiss = async (document: Schemas['ListedDocument']) => {
    if ((await act({ does: () => trash(document.id), after: reload })) === null) return;
    remember([document], { did: 'moved to the trash' });
  };
  const ofDocument =
    (filter: DocumentFilter) =>
    (document: Schemas['ListedDocument']): Item => {
      const { id, name, values, created_at: at, error, review } = document;
      const [reason] = review.status === 'pending' ? review.reasons : [];
      const can = allowed(document);
      const deeds = [
        ...(can.reread
          ? [
              { key: 't', text: 'Retry', does: () => retry(document) },
              { key: 'b', text: 'Read again by…', does: async () => askReader(document) },
            ]
          : [{ key: 't', text: 'Retry', does: async () => willPost([document]) }]),
        { key: 'd', text: 'Dismiss', does: () => dismiss(document) },
      ];
      const isUnderWay = isReadAgain(id) || isToBePosted(id);
      return {
        id,
        name,
        values: summaryText(values),
        status: isReadAgain(id) ? 'Reading' : stateOf(document, undefined),
        more: reason ? reasonText(reason, { names, schema: schemaOf(document) }) : error,
        at,
        address: to(`/documents/${id}`, { ...filter, from: 'inbox' }),
        deeds: mayWrite && (can.reread || can.process) && !isUnderWay ? deeds : [],
      };
    };
  const ofRun = (run: Schemas['Run']): Item => {
    const { id, agent_id, agent_name: name, error: more, created_at: at } = run;
    const deeds = [
      { key: 't', text: 'Retry', does: () => retryRun({ id, name, agent_id }).then(reload) },
      { key: 'd', text: 'Dismiss', does: () => dismissRun({ id, name }).then(reload) },
    ];
    return { id, name, status: 'Failed', more, at, address: to(`/runs/${id}`), deeds: mayWrite ? deeds : [] };
  };
  const allOf = ({ filter, loaded }: ReturnType<typeof useWaiting>) =>
    loaded.data?.next ? to('/documents', { ...filter }) : null;
  return (
    <>
      <Heading title="Inbox" />
      {failure && <Failure error={failure.error} retry={() => void failure.refetch()} />}
      {isLoading && <Skeleton />}
      {!isLoading && !failure && isEmpty && (
        <Empty title="Nothing waits for you">
          <p>Documents that need a review, and what went wrong, appear here.</p>
          <SendFiles withSamples />
        </Empty>
      )}
      {/* One that comes later would move the others. */}
      {!isLoading && (
        <>
          <Section
            title="Calls to approve"
            items={calls.map(ofApproval)}
            all={approvals.data?.next ? to('/approvals') : null}
          />
          <Section title="To review" items={pending.documents.map(ofDocument(pending.filter))} all={allOf(pending)} />
          <Section
            title="Documents with an error"
            items={broken.map(ofDocument(errors.filter))}
            all={allOf(errors)}
            of={failedColumns}
          />
          <Section
            title="Failed runs"
            items={runs.map(ofRun)}
            all={runs.length === MOST_WAITING ? to('/runs', { status: 'failed' }) : null}
            of={failedColumns}
          />
        </>
      )}
    </>
  );
};
