import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { to } from '../address.ts';
import { api } from '../api.ts';
import { useMayWrite } from '../parts/agents.ts';
import { countText, Empty, Heading, LoadedList, Status, Time } from '../parts/basics.tsx';
import { Action } from '../parts/notice.tsx';
import { reading } from '../queries.ts';

const LATELY = 10;
/** A page that stays open shows what comes while it is open. */
const AGAIN_MS = 5000;

type Source = Schemas['Source'];
type Item = Schemas['SourceItem'];

const types: Readonly<Record<Source['type'], string>> = { imap: 'mailbox', folder: 'folder', bucket: 'bucket' };

const states: Readonly<Record<Source['state'], string>> = {
  new: 'pending',
  well: 'active',
  waiting: 'waits for its runs',
  failing: 'failed',
  paused: 'paused',
};

const Entry = ({
  of: { name, received_at: at, size_bytes: size, run_id: run, why_not: whyNot },
}: {
  readonly of: Item;
}) => (
  <li data-row>
    <span class="what">
      {run === null ? name : <a href={to(`/runs/${run}`)}>{name}</a>}
      <span class="facts-line soft">
        <Time at={at} />
        {size !== null && ` · ${countText(size)} bytes`}
        {whyNot !== null && ` · ${whyNot}`}
      </span>
    </span>
  </li>
);

const One = ({ of: source, reload }: { readonly of: Source; readonly reload: () => void }) => {
  const { name, type, agent, state, last_checked_at: at, error } = source;
  const query = reading(['intake', name, at], (get) =>
    get('/api/v1/sources/{name}/intake', { params: { path: { name }, query: { limit: LATELY } } }),
  );
  const came = useQuery({ ...query, placeholderData: keepPreviousData });
  const mayWrite = useMayWrite();
  const check = () => api.post('/api/v1/sources/{name}/check', { params: { path: { name } } });
  return (
    <section class="panel" aria-label={name}>
      <div class="heading">
        <h2>{name}</h2>
        {mayWrite && state !== 'paused' && (
          <Action
            class="plain"
            aria-label={`Check now: ${name}`}
            does={check}
            done="It is looked at now."
            after={reload}
          >
            Check now
          </Action>
        )}
      </div>
      <p class="soft">
        <Status of={states[state]} /> · {types[type]}, read by {agent} · last look:{' '}
        {at === null ? 'none yet' : <Time at={at} />}
      </p>
      {error !== null && state !== 'paused' && <p class="failure">{error}</p>}
      {state === 'waiting' && (
        <p class="soft">Many of its runs have not ended. What else has come is read when half of them have.</p>
      )}
      <LoadedList
        of={came}
        items={came.data?.items}
        look="entries"
        none="Nothing has come yet."
        entry={(item: Item) => <Entry key={`${item.key} ${item.received_at}`} of={item} />}
      />
      {came.data?.next && <p class="soft">Older ones: portico sources intake {JSON.stringify(name)}</p>}
    </section>
  );
};

/** Mailboxes, folders and buckets: how the last look at each ended, and what came to it. */
export const Sources = () => {
  const query = reading(['sources'], async (get) => (await get('/api/v1/sources')).sources);
  const loaded = useQuery({ ...query, refetchInterval: AGAIN_MS });
  const { data, refetch } = loaded;
  return (
    <>
      <Heading title="Sources" of={loaded} />
      {data?.length === 0 && (
        <Empty title="No sources yet">
          <p>A workspace file may name mailboxes, folders and buckets. What comes to them is read, and appears here.</p>
        </Empty>
      )}
      {data?.map((source) => (
        <One key={source.name} of={source} reload={() => void refetch()} />
      ))}
    </>
  );
};
