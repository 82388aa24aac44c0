import type { Schemas } from '../../../../client/portico.ts';
import { to, useAddress } from '../address.ts';
import { approvalFilter, approvalList, briefOf } from '../parts/approval-list.ts';
import { Empty, Status, Time } from '../parts/basics.tsx';
import { type Columns, Listing, SelectField, Table, useListed } from '../parts/lists.tsx';

const statuses = ['approved', 'denied', 'expired', 'cancelled'] as const;

const columns: Columns<Schemas['Approval']> = [
  'Call',
  ['Agent', ({ agent_name: name }) => name],
  ['For', ({ requested_by: { name } }) => name],
  ['Status', ({ status }) => <Status of={status} />],
  ['Asked', ({ requested_at: at }) => <Time at={at} />, 'time'],
  ['Waits until', ({ expires_at: at }) => <Time at={at} />, 'time'],
];

const none = (
  <Empty title="No call waits for you">
    <p>
      Calls of tools that a person has to approve appear here. See those that were{' '}
      <a href={to('/approvals', { status: 'approved' })}>approved</a> or{' '}
      <a href={to('/approvals', { status: 'denied' })}>denied</a>.
    </p>
  </Empty>
);

/** Calls of tools that wait for a person, and those that were decided. */
export const Approvals = () => {
  const filter = approvalFilter(useAddress().query);
  const loaded = useListed(approvalList(filter), ['approval.*']);
  const approvals = loaded.data?.approvals;
  return (
    <Listing
      title="Approvals"
      filter={filter}
      loaded={loaded}
      count={approvals?.length}
      next={loaded.data?.next}
      none={none}
      filters={<SelectField name="status" label="Status" all="Waiting" options={statuses} />}
    >
      <Table
        busy={loaded.isPlaceholderData}
        items={approvals ?? []}
        lead={(approval) => ({
          address: to(`/approvals/${approval.id}`, { ...filter }),
          name: approval.tool,
          more: briefOf(approval),
        })}
        columns={columns}
      />
    </Listing>
  );
};
