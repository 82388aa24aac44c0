import type { Schemas } from '../../../../client/portico.ts';
import { type ActionPattern, actionPatterns } from '../../../../domain/audit.ts';
import { to, useAddress } from '../address.ts';
import { Disclosure, Empty, Time } from '../parts/basics.tsx';
import { EventTabs, filterOf, Listing, pageOf, SearchField, SelectField, useListed } from '../parts/lists.tsx';
import type { Get } from '../queries.ts';

interface Filter {
  readonly actor?: string;
  readonly action?: ActionPattern;
  readonly subject?: string;
  /** Days, in UTC. */
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAYS_SHOWN = 7;
const DAY_MS = 86_400_000;

/** The log is ascending: what happened lately is looked for, unless the address says from when. */
const firstDay = () => new Date(Date.now() - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);

const daysOf = ({ from, to: until }: Filter) => ({ from: from ?? (until ? '' : firstDay()), to: until ?? '' });

const timesOf = ({ from, to: until }: ReturnType<typeof daysOf>) => ({
  ...(DAY.test(from) && { from: `${from}T00:00:00Z` }),
  ...(DAY.test(until) && { to: `${until}T23:59:59.999Z` }),
});

const read = (get: Get, { after, from: _, to: __, ...filter }: Filter & { limit: number }, times: object) =>
  get('/api/v1/audit', { params: { query: { ...filter, ...times, ...(after && { after: Number(after) }) } } });

const places: Readonly<Record<string, string>> = {
  document: '/documents',
  run: '/runs',
  agent: '/agents',
  approval: '/approvals',
};

/** A document has no name in the log but its agent's: a file's name could not be erased there. */
const isOfAgent = (type: string) => ['document', 'run', 'thread'].includes(type);

const nameOf = ({ type, name }: Schemas['AuditEntry']['subject']): string =>
  isOfAgent(type) && name ? `${type} of ${name}` : `${type} ${name ?? ''}`.trim();

const Entry = ({ of: entry }: { readonly of: Schemas['AuditEntry'] }) => {
  const { at, actor, via, action, subject } = entry;
  const place = places[subject.type];
  const name = nameOf(subject);
  return (
    <li data-row class="event">
      <div class="what">
        <strong>{actor.name ?? actor.type}</strong> <code>{action}</code>{' '}
        {place ? <a href={to(`${place}/${subject.id}`)}>{name}</a> : name}
        <Disclosure
          summary={
            <>
              {entry.sequence} · {via.kind}
              {via.address && ` from ${via.address}`} · <Time at={at} />
            </>
          }
        >
          {() => (
            <pre tabindex={0} aria-label={`Entry ${entry.sequence}`}>
              {JSON.stringify(entry, null, 2)}
            </pre>
          )}
        </Disclosure>
      </div>
    </li>
  );
};

const DayField = ({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}) => {
  const { setQuery } = useAddress();
  const change = ({ currentTarget }: Event) =>
    setQuery({ after: null, [name]: (currentTarget as HTMLInputElement).value || null });
  return <input type="date" aria-label={label} value={value} onChange={change} />;
};

const SubjectChip = ({ subject }: { readonly subject: string | undefined }) => {
  const { setQuery } = useAddress();
  if (!subject) return null;
  return (
    <button type="button" class="chip" onClick={() => setQuery({ subject: null, after: null })}>
      of one thing <span aria-label="remove">×</span>
    </button>
  );
};

const none = (
  <Empty title="Nothing was done in the last days">
    <p>What people and programs do stands here. Choose an earlier day to see more.</p>
  </Empty>
);

/** Who did what, for administrators. */
export const Audit = () => {
  const { query, setQuery } = useAddress();
  const filter = filterOf<Filter>(query, ['actor', 'action', 'subject', 'from', 'to', 'after']);
  const days = daysOf(filter);
  const times = timesOf(days);
  const loaded = useListed(
    pageOf('audit', filter, (get, asked) => read(get, asked, times)),
    [],
  );
  const { data, refetch, isPlaceholderData } = loaded;
  const filters = (
    <>
      <SearchField
        label="Email of a user"
        value={filter.actor ?? ''}
        change={(actor) => setQuery({ actor: actor || null, after: null })}
      />
      <SelectField name="action" label="Action" all="Any action" options={actionPatterns.slice(1)} />
      <DayField name="from" label="From this day (UTC)" value={days.from} />
      <DayField name="to" label="Until this day (UTC)" value={days.to} />
      <SubjectChip subject={filter.subject} />
    </>
  );
  return (
    <Listing
      title="Audit"
      noun="entries"
      filter={filter}
      loaded={loaded}
      count={data?.entries.length}
      next={data?.next == null ? null : String(data.next)}
      none={none}
      tabs={<EventTabs />}
      actions={
        <button type="button" class="plain" onClick={() => void refetch()}>
          Refresh
        </button>
      }
      filters={filters}
    >
      <ul class="entries" aria-busy={isPlaceholderData}>
        {data?.entries.map((entry) => (
          <Entry key={entry.sequence} of={entry} />
        ))}
      </ul>
    </Listing>
  );
};
