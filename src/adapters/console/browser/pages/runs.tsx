import type { Schemas } from '../../../../client/portico.ts';
import { to, useAddress } from '../address.ts';
import { useAgents } from '../parts/agents.ts';
import { countText, durationText, Empty, Status, Time } from '../parts/basics.tsx';
import { type Columns, filterOf, Listing, pageOf, SelectField, Table, useListed } from '../parts/lists.tsx';
import { SendFiles } from '../parts/send-files.tsx';

const statuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

type Filter = { readonly agent_id?: string; readonly status?: (typeof statuses)[number]; readonly after?: string };
type Run = Schemas['Run'];

const took = ({ started_at: from, completed_at: until }: Run) =>
  from && until ? durationText(Date.parse(until) - Date.parse(from)) : '–';

const lead = ({ id, agent_name: name, error: more }: Run) => ({ address: to(`/runs/${id}`), name, more });
const columns: Columns<Run> = [
  'Agent',
  ['Status', ({ status }) => <Status of={status} />],
  ['Took', took, 'number wide'],
  ['Used', ({ usage }) => `${countText(usage.input_tokens + usage.output_tokens)} tokens`, 'number wide'],
  ['Began', ({ created_at: at }) => <Time at={at} />, 'time'],
];

const none = (
  <Empty title="No runs yet">
    <p>A run is work that an agent does in the background: it reads the files that you send.</p>
    <SendFiles withSamples />
  </Empty>
);

export const Runs = () => {
  const filter = filterOf<Filter>(useAddress().query, ['agent_id', 'status', 'after']);
  const { agents } = useAgents();
  const page = pageOf('runs', filter, (get, query) => get('/api/v1/runs', { params: { query } }));
  const loaded = useListed(page, ['run.*']);
  const { data, isPlaceholderData } = loaded;
  const filters = (
    <>
      <SelectField name="agent_id" label="Agent" all="All agents" options={agents.map(({ id, name }) => [id, name])} />
      <SelectField name="status" label="Status" all="Any status" options={statuses} />
    </>
  );
  return (
    <Listing
      title="Runs"
      filter={filter}
      loaded={loaded}
      count={data?.runs.length}
      next={data?.next}
      none={none}
      actions={<SendFiles />}
      filters={filters}
    >
      <Table items={data?.runs ?? []} busy={isPlaceholderData} lead={lead} columns={columns} />
    </Listing>
  );
};
