import { to, useAddress } from '../address.ts';
import { summaryText } from '../form/amounts.ts';
import { useAgents, useMayWrite } from '../parts/agents.ts';
import { Empty, Time } from '../parts/basics.tsx';
import { Batch } from '../parts/batch.tsx';
import { isToBePosted, useUndoKey } from '../parts/decided.tsx';
import { documentFilter, documentList, type Listed, MOST_WAITING } from '../parts/document-list.ts';
import { type Columns, Listing, SelectField, Table, useListed } from '../parts/lists.tsx';
import { ProcessAll } from '../parts/process-all.tsx';
import { Processing } from '../parts/processing.tsx';
import { useSelection } from '../parts/selection.tsx';

const none = (
  <Empty title="Nothing is ready to post">
    <p>
      Documents that are approved, or need no review, appear here until they are in the system of record. See what{' '}
      <a href={to('/inbox')}>waits for a review</a>.
    </p>
  </Empty>
);

/** What can be posted: approved or in no need of a review, of agents that have a system of record. */
export const Ready = () => {
  const { agent_id, after } = documentFilter(useAddress().query);
  const filter = { ready_to_post: 'true', ...(agent_id && { agent_id }), ...(after && { after }) } as const;
  const loaded = useListed(documentList(filter, MOST_WAITING), ['document.*']);
  const { agents, nameOf } = useAgents();
  const mayWrite = useMayWrite();
  // What is posted in a moment comes back if that is undone, or refused.
  const listed = loaded.data?.documents.filter(({ id }) => !isToBePosted(id)) ?? [];
  // What another filter listed stands there until the answer comes, and nothing is done to it.
  const current = loaded.isPlaceholderData ? [] : listed;
  const selection = useSelection(current);
  useUndoKey();
  const reload = () => void loaded.refetch();
  const columns: Columns<Listed> = [
    'Document',
    ['Agent', ({ agent_id: id }) => nameOf(id), 'wide'],
    ['Approved by', ({ review: { reviewer } }) => reviewer?.name ?? <span class="soft">no review</span>],
    ['Since', ({ updated_at: at }) => <Time at={at} />, 'time'],
  ];
  const { ready_to_post: _, ...chosen } = filter;
  return (
    <>
      <Processing />
      <Listing
        title="Ready to post"
        noun="that is ready"
        filter={chosen}
        loaded={loaded}
        count={loaded.data && listed.length}
        next={loaded.data?.next}
        none={none}
        actions={mayWrite && current.length > 0 && <ProcessAll documents={current} />}
        filters={
          <SelectField
            name="agent_id"
            label="Agent"
            all="All agents"
            options={agents.filter(({ posts }) => posts).map(({ id, name }) => [id, name])}
          />
        }
      >
        <Batch selection={selection} after={reload}>
          <Table
            items={listed}
            busy={loaded.isPlaceholderData}
            lead={({ id, name, values }) => ({
              address: to(`/documents/${id}`, { ...filter, from: 'ready' }),
              name,
              more: summaryText(values),
            })}
            columns={columns}
            selection={mayWrite ? selection : undefined}
          />
        </Batch>
      </Listing>
    </>
  );
};
