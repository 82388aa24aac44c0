import type { EventPattern, PorticoEvent } from '../../../../client/portico.ts';
import { eventTypes } from '../../../../domain/event.ts';
import { to, useAddress } from '../address.ts';
import { Disclosure, Empty, Status, Time } from '../parts/basics.tsx';
import { FilterChip, filterOf, Listing, pageOf, SelectField, useListed } from '../parts/lists.tsx';
import { EventTabs } from '../parts/tabs.tsx';
import type { Get } from '../queries.ts';

/** A page of the log may have nothing that is looked for: so many are looked at before a person is asked to go on. */
const MOST_LOOKS = 10;

const choices = [
  ['run.*', 'Runs'],
  ['document.*', 'Documents'],
  ['approval.*', 'Approvals'],
  ['audit.*', 'Audit'],
  ['budget.*', 'Budgets'],
  ['unit.*', 'Steps of units'],
  ...eventTypes,
] as const;

type Filter = { readonly types?: EventPattern; readonly run_id?: string; readonly after?: string };

const read = async (get: Get, filter: Filter & { limit: number }) => {
  const readAfter = (after: string | undefined) =>
    get('/api/v1/events', { params: { query: { ...filter, ...(after && { after }), order: 'newest' } } });
  let page = await readAfter(filter.after);
  for (let looks = 1; page.events.length === 0 && page.has_more && looks < MOST_LOOKS; looks++)
    page = await readAfter(page.next);
  return page;
};

const nameOf = ({ data }: PorticoEvent): string => {
  if ('agent_name' in data) return data.agent_name;
  if ('unit' in data) return `Unit ${data.unit + 1}${data.name ? `: ${data.name}` : ''}`;
  if ('budget' in data) return `Budget ${data.budget}`;
  return 'name' in data ? data.name : `Audit log, entry ${data.sequence}`;
};

const placeOf = ({ type, data, run_id: runId, document_id: documentId }: PorticoEvent) => {
  if (documentId) return `/documents/${documentId}`;
  if (type.startsWith('audit.')) return '/audit';
  if (type.startsWith('budget.')) return '/usage';
  return type.startsWith('approval.') && 'id' in data ? `/approvals/${data.id}` : `/runs/${runId}`;
};

const Entry = ({ of: event }: { readonly of: PorticoEvent }) => {
  const { type, created_at: at } = event;
  return (
    <li data-row class="event">
      <div class="what">
        <a href={to(placeOf(event))}>{nameOf(event)}</a>
        <Disclosure
          summary={
            <>
              <code>{type}</code> <Time at={at} />
            </>
          }
        >
          {() => (
            <pre tabindex={0} aria-label="Data of the event">
              {JSON.stringify(event, null, 2)}
            </pre>
          )}
        </Disclosure>
      </div>
      <Status of={type.slice(type.indexOf('.') + 1)} />
    </li>
  );
};

const none = (
  <Empty title="Nothing has happened yet">
    <p>What happens to runs and documents stands here, the newest first.</p>
  </Empty>
);

/** The log: everything that happens to runs and documents, followed at its head. */
export const Events = () => {
  const filter = filterOf<Filter>(useAddress().query, ['types', 'run_id', 'after']);
  const loaded = useListed(pageOf('events', filter, read), filter.after ? [] : [filter.types ?? '*']);
  const { data, isPlaceholderData } = loaded;
  const filters = (
    <>
      <SelectField name="types" label="Type" all="All but steps" options={choices} />
      <FilterChip name="run_id" text="of one run" />
    </>
  );
  return (
    <Listing
      title="Events"
      filter={filter}
      loaded={loaded}
      count={data?.events.length}
      next={data?.has_more ? data.next : null}
      none={none}
      tabs={<EventTabs />}
      filters={filters}
    >
      <ul class="entries" aria-busy={isPlaceholderData}>
        {data?.events.map((event) => (
          <Entry key={event.id} of={event} />
        ))}
        {data?.events.length === 0 && <li class="soft">Nothing so far back; older events may match.</li>}
      </ul>
    </Listing>
  );
};
