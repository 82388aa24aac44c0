import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { to, useAddress } from '../address.ts';
import { api } from '../api.ts';
import { countText, Disclosure, durationText, Empty, LoadedList, Status, Time } from '../parts/basics.tsx';
import { filterOf, Listing, pageOf, SelectField, useListed } from '../parts/lists.tsx';
import { RowAction } from '../parts/notice.tsx';
import { EventTabs } from '../parts/tabs.tsx';
import { reading } from '../queries.ts';

const statuses = ['pending', 'delivered', 'failed', 'disabled'] as const;

type Filter = { readonly status?: (typeof statuses)[number]; readonly after?: string };

const outcomeOf = ({ status, error }: Schemas['DeliveryAttempt']) => error ?? `The receiver took it (${status}).`;

const Attempt = ({ of }: { readonly of: Schemas['RecordedAttempt'] }) => (
  <li>
    <span>
      {of.number}. <span class={of.error === null ? '' : 'why'}>{outcomeOf(of)}</span>
    </span>
    <span class="soft number">
      <Time at={of.started_at} /> · {durationText(of.duration_ms)}
    </span>
    {of.response && (
      <pre tabindex={0} aria-label={`Response to attempt ${of.number}`}>
        {of.response}
      </pre>
    )}
  </li>
);

/** When it was sent, and what came of it each time. */
const Attempts = ({ of: { id, attempts, due_at: due } }: { readonly of: Schemas['Delivery'] }) => {
  const query = reading(['attempts', id, attempts, due], (get) =>
    get('/api/v1/deliveries/{id}/attempts', { params: { path: { id } } }),
  );
  const loaded = useQuery({ ...query, placeholderData: keepPreviousData });
  const entry = (each: Schemas['RecordedAttempt']) => <Attempt key={each.number} of={each} />;
  return (
    <LoadedList
      of={loaded}
      items={loaded.data?.attempts}
      look="attempts"
      none="No attempt is recorded."
      entry={entry}
    />
  );
};

const placeOf = ({ event, run_id: run, document_id: document }: Schemas['Delivery']) => {
  if (document) return `/documents/${document}`;
  if (run) return `/runs/${run}`;
  if (event.startsWith('audit.')) return '/audit';
  return event.startsWith('budget.') ? '/usage' : '/approvals';
};

const Entry = ({ of: delivery, reload }: { readonly of: Schemas['Delivery']; readonly reload: () => void }) => {
  const { id, event, address, status, attempts, last_attempt: last, due_at: due, occurred_at: at } = delivery;
  const resend = () => api.post('/api/v1/deliveries/{id}/redeliver', { params: { path: { id } } });
  return (
    <li data-row class="event">
      <div class="what">
        <a href={to(placeOf(delivery))}>{event}</a>{' '}
        <span class="soft brief" title={address}>
          {address}
        </span>
        <span class="facts-line">
          <Status of={status} /> ·{' '}
          <span class="soft">
            happened: <Time at={at} /> · {countText(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
            {due && (
              <>
                {' '}
                · next: <Time at={due} />
              </>
            )}
          </span>
        </span>
        {last && (
          <Disclosure summary={<span class="brief">{outcomeOf(last)}</span>}>
            {() => <Attempts of={delivery} />}
          </Disclosure>
        )}
      </div>
      <RowAction
        class="plain"
        aria-label={`Send again: ${event} to ${address}`}
        does={resend}
        done="The event is sent again."
        after={reload}
      >
        Send again
      </RowAction>
    </li>
  );
};

/** The webhooks that are sent nothing, with the reason. */
const Disabled = ({ of }: { readonly of: readonly Schemas['Webhook'][] }) => (
  <section class="panel" aria-label="Disabled webhooks">
    <ul class="remarks">
      {of.map(({ id, address, disabled_at: at, disabled_reason: reason }) => (
        <li key={id} class="warn">
          {address} is disabled since {at && <Time at={at} />}: {reason} Apply the workspace file to enable it.
        </li>
      ))}
    </ul>
  </section>
);

const none = (
  <Empty title="No deliveries yet">
    <p>What happens is sent to the webhooks of the workspace file. What was sent, and what came of it, appears here.</p>
  </Empty>
);

/** What was sent to webhooks, and what waits to be sent. */
export const Deliveries = () => {
  const filter = filterOf<Filter>(useAddress().query, ['status', 'after']);
  const page = pageOf('deliveries', filter, (get, query) => get('/api/v1/deliveries', { params: { query } }));
  const loaded = useListed(page, []);
  const { data, refetch } = loaded;
  const webhooks = useQuery(reading(['webhooks'], async (get) => (await get('/api/v1/webhooks')).webhooks));
  const disabled = webhooks.data?.filter((each) => each.disabled_at !== null) ?? [];
  const refresh = () => Promise.all([refetch(), webhooks.refetch()]);
  const filters = <SelectField name="status" label="Status" all="Any status" options={statuses} />;
  return (
    <Listing
      title="Webhook deliveries"
      noun="deliveries"
      filter={filter}
      loaded={loaded}
      count={data?.deliveries.length}
      next={data?.next}
      none={none}
      tabs={<EventTabs />}
      actions={
        <button type="button" class="plain" onClick={() => void refresh()}>
          Refresh
        </button>
      }
      filters={filters}
    >
      {disabled.length > 0 && <Disabled of={disabled} />}
      <ul class="entries">
        {data?.deliveries.map((each) => (
          <Entry key={each.id} of={each} reload={refetch} />
        ))}
      </ul>
    </Listing>
  );
};
