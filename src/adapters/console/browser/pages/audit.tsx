import type { Schemas } from '../../../../client/portico.ts';
import { type ActionPattern, actionPatterns } from '../../../../domain/audit.ts';
import { to, useAddress } from '../address.ts';
import { Disclosure, Empty, Time } from '../parts/basics.tsx';
import { FilterChip, filterOf, Listing, pageOf, SearchField, SelectField, useListed } from '../parts/lists.tsx';
import { AuditTabs } from '../parts/tabs.tsx';
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

const read = (get: Get, { after, from = '', to: until = '', ...filter }: Filter & { limit: number }) =>
  get('/api/v1/audit', {
    params: {
      query: {
        ...filter,
        ...(DAY.test(from) && { from: `${from}T00:00:00Z` }),
        ...(DAY.test(until) && { to: `${until}T23:59:59.999Z` }),
        ...(after && { after: Number(after) }),
        order: 'newest',
      },
    },
  });

const places: Readonly<Record<string, string>> = {
  document: '/documents',
  run: '/runs',
  agent: '/agents',
  approval: '/approvals',
};

/** These have no name of their own in the log but that of their agent: a file's name could not be erased there. */
const isOfAgent = (type: string) => ['document', 'run', 'thread'].includes(type);

const nameOf = ({ type, name }: Schemas['AuditEntry']['subject']): string =>
  isOfAgent(type) && name ? `${type} of ${name}` : `${type} ${name ?? ''}`.trim();

/** `called`: what its document is called now, if it is there. */
const Entry = ({ of: entry, called }: { readonly of: Schemas['AuditEntry']; readonly called: string | undefined }) => {
  const { at, actor, via, action, subject } = entry;
  const place = places[subject.type];
  const name = called ?? nameOf(subject);
  return (
    <li data-row class="event">
      <div class="what">
        <strong>{actor.name ?? actor.type}</strong> <code>{action}</code>{' '}
        {place ? <a href={to(`${place}/${subject.id}`)}>{name}</a> : name}
        <Disclosure
          summary={
            <>
              {entry.sequence} · {via.kind.replace('_', ' ')}
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
  readonly value: string | undefined;
}) => {
  const { setQuery } = useAddress();
  const change = ({ currentTarget }: Event) =>
    // Each figure of a year that is typed is another day.
    setQuery({ after: null, [name]: (currentTarget as HTMLInputElement).value || null }, true);
  return (
    <label class="soft">
      {label} <input type="date" value={value ?? ''} onChange={change} />
    </label>
  );
};

const none = (
  <Empty title="Nothing was done yet">
    <p>What people and programs do stands here, the newest first.</p>
  </Empty>
);

/** Who did what, for administrators. */
export const Audit = () => {
  const { query, setQuery } = useAddress();
  const filter = filterOf<Filter>(query, ['actor', 'action', 'subject', 'from', 'to', 'after']);
  const loaded = useListed(pageOf('audit', filter, read), []);
  const { data, refetch, isPlaceholderData } = loaded;
  const filters = (
    <>
      <SearchField
        label="Email of a user"
        value={filter.actor ?? ''}
        change={(actor) => setQuery({ actor: actor || null, after: null }, true)}
      />
      <SelectField name="action" label="Action" all="Any action" options={actionPatterns.slice(1)} />
      <DayField name="from" label="From (UTC)" value={filter.from} />
      <DayField name="to" label="until" value={filter.to} />
      <FilterChip name="subject" text="of one thing" />
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
      tabs={<AuditTabs />}
      actions={
        <button type="button" class="plain" onClick={() => void refetch()}>
          Refresh
        </button>
      }
      filters={filters}
    >
      <ul class="entries" aria-busy={isPlaceholderData}>
        {data?.entries.map((entry) => (
          <Entry key={entry.sequence} of={entry} called={data.names[entry.subject.id]} />
        ))}
      </ul>
    </Listing>
  );
};
