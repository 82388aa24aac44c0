import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../../client/portico.ts';
import { CREATED_AT } from '../../../../domain/document-order.ts';
import { to, useAddress } from '../address.ts';
import { api, blobOf } from '../api.ts';
import { listedText, summaryText } from '../form/amounts.ts';
import { columnOf } from '../form/form.ts';
import { useAgents, useDefinition, useMayWrite } from '../parts/agents.ts';
import { Button, Empty, Status, setting, Time } from '../parts/basics.tsx';
import { Batch } from '../parts/batch.tsx';
import { useUndoKey } from '../parts/decided.tsx';
import { asQuery, type DocumentFilter, documentFilter, documentList, type Listed } from '../parts/document-list.ts';
import { restore } from '../parts/document-requests.ts';
import { stateOf } from '../parts/document-state.ts';
import { download } from '../parts/download.ts';
import {
  type Column,
  type Columns,
  FilterChip,
  Listing,
  ORDER,
  SearchField,
  SelectField,
  Table,
  useListed,
} from '../parts/lists.tsx';
import { act, RowAction } from '../parts/notice.tsx';
import { Processing } from '../parts/processing.tsx';
import { useSelection } from '../parts/selection.tsx';
import { SendFiles } from '../parts/send-files.tsx';

const statuses = [
  ['extracting', 'reading'],
  'ready',
  ['processing', 'posting'],
  ['processed', 'posted'],
  ['error', 'failed or refused'],
  ['trashed', 'in the trash'],
] as const;

const reviews = [['pending', 'needs review'], 'approved', 'rejected'] as const;

const Export = ({ filter }: { readonly filter: DocumentFilter }) => {
  const working = useSignal(false);
  const { after: _, order_by: __, order_direction: ___, ...of } = filter;
  const start = (format: 'ndjson' | 'csv') => {
    working.value = true;
    const does = async () => {
      const exported = await api.exchange('get', '/api/v1/documents/export', {
        params: { query: { ...asQuery(of), format } },
      });
      download(await blobOf(exported), `documents.${format}`);
    };
    void act({ does, done: 'The export is in your downloads.', after: setting(working, false) });
  };
  return (
    <details class="drop">
      <summary class="button plain">{working.value ? 'Exporting…' : 'Export'}</summary>
      <div class="menu">
        <Button class="text" off={working.value} onClick={() => start('ndjson')}>
          Lines of JSON
        </Button>
        <Button class="text" off={working.value || !of.agent_id} onClick={() => start('csv')}>
          Table (CSV)
        </Button>
        {!of.agent_id && <p class="soft">For a table, choose an agent: its fields are the columns.</p>}
      </div>
    </details>
  );
};

/** What that does not say: why a person should look at a document, or that one has rejected it. */
const remarksOf = ({ status, coverage, checks, duplicates, review }: Listed): readonly string[] => [
  ...(status !== 'ready' && review.status === 'pending' ? ['needs review'] : []),
  ...(status !== 'ready' && review.status === 'rejected' ? ['rejected'] : []),
  ...(checks.some(({ status }) => status === 'failed') ? ['check failed'] : []),
  ...(duplicates.length > 0 ? ['duplicate'] : []),
  ...(coverage && !coverage.complete ? ['not all was read'] : []),
];

const readAt = ['Read', ({ created_at: at }: Listed) => <Time at={at} />, 'time', CREATED_AT] as const;

/** The values of a list of one agent. */
const valueColumns = ({ list_columns, document_schema }: Schemas['AgentDefinition']): readonly Column<Listed>[] =>
  list_columns.map((pointer) => {
    const { label, isNumber, mayBeAmount } = columnOf(pointer, document_schema ?? {});
    return [
      label,
      ({ values }) => listedText(values, pointer, mayBeAmount),
      isNumber ? 'listed number' : 'listed',
      pointer,
    ];
  });

const columnsFor = (of: readonly Column<Listed>[], isPosted: (document: Listed) => boolean): Columns<Listed> => [
  'Document',
  ...of,
  ['Status', (document) => <Status of={stateOf(document, isPosted(document))} />],
  [
    'Remarks',
    (document) =>
      remarksOf(document).map((remark) => (
        <>
          <span class="flag">{remark}</span>{' '}
        </>
      )),
    'wide flags',
  ],
  readAt,
];

/** What is in the trash cannot be opened: it is brought back first. */
const trashColumnsFor = (agentOf: (id: string) => string, after: () => void): Columns<Listed> => [
  'Document',
  ['Agent', ({ agent_id: id }) => agentOf(id), 'wide'],
  ['Read', ({ created_at: at }) => <Time at={at} />, 'time'],
  [
    'In the trash',
    ({ id, name }) => (
      <RowAction
        key={id}
        class="plain"
        does={() => restore(id)}
        done={`${name} is back.`}
        after={after}
        aria-label={`Restore ${name}`}
      >
        Restore
      </RowAction>
    ),
  ],
];

const none = (
  <Empty title="No documents yet">
    <p>Send files to an agent. What it reads from them stands here, each value with its place in the file.</p>
    <SendFiles withSamples />
  </Empty>
);

export const Documents = () => {
  const { query, setQuery } = useAddress();
  const filter = documentFilter(query);
  const loaded = useListed(documentList(filter), ['document.*', 'run.running']);
  const { data, isPlaceholderData } = loaded;
  const { agents, nameOf } = useAgents();
  const posting = new Set(agents.flatMap(({ id, posts }) => (posts ? [id] : [])));
  const isTrash = filter.status === 'trashed';
  const mayWrite = useMayWrite();
  const definition = useDefinition(filter.agent_id);
  const values: readonly Column<Listed>[] = definition
    ? valueColumns(definition)
    : [['Agent', ({ agent_id: id }) => nameOf(id), 'wide']];
  const columns =
    isTrash && mayWrite
      ? trashColumnsFor(nameOf, () => void loaded.refetch())
      : columnsFor(values, ({ agent_id: id }) => posting.has(id));
  const listed = data?.documents ?? [];
  // What another filter listed stands there until the answer comes, and nothing is done to it.
  const selects = mayWrite && !isTrash;
  const selection = useSelection(isPlaceholderData || !selects ? [] : listed);
  useUndoKey();
  const search = (q: string) => setQuery({ q, after: null }, true);
  const lead = ({ id, name, error, values: read }: Listed) => ({
    address: isTrash ? null : to(`/documents/${id}`, query),
    name,
    more: error ?? (definition === undefined && summaryText(read)),
  });
  const filters = (
    <>
      <SearchField label="Search documents" value={filter.q ?? ''} change={search} />
      <SelectField
        name="agent_id"
        label="Agent"
        all="All agents"
        options={agents.map(({ id, name }) => [id, name])}
        clears={ORDER}
      />
      <SelectField name="status" label="Status" all="Any status" options={statuses} />
      <SelectField name="review" label="Review" all="Any review" options={reviews} />
      <FilterChip name="run_id" text="of one run" />
    </>
  );
  return (
    <Listing
      title="Documents"
      filter={filter}
      loaded={loaded}
      count={data?.documents.length}
      next={data?.next}
      none={none}
      actions={
        <>
          <Export filter={filter} />
          <SendFiles />
        </>
      }
      filters={filters}
    >
      <Processing />
      <Batch selection={selection} after={() => void loaded.refetch()}>
        <Table
          items={listed}
          busy={isPlaceholderData}
          lead={lead}
          columns={columns}
          selection={selects ? selection : undefined}
        />
      </Batch>
    </Listing>
  );
};
