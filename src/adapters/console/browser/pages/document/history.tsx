import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../../client/portico.ts';
import { doors } from '../../../../../domain/access.ts';
import { valueText } from '../../form/form.ts';
import { Disclosure, LoadedList, Time } from '../../parts/basics.tsx';
import { reading } from '../../queries.ts';

type HistoryProps = { readonly document: Schemas['DocumentDetail']; readonly labels: ReadonlyMap<string, string> };

const shown = (value: unknown) => valueText(value) || '–';

const Revisions = ({ document: { id, revision }, labels }: HistoryProps) => {
  const revisions = reading(['revisions', id, revision], (get) =>
    get('/api/v1/documents/{id}/revisions', { params: { path: { id }, query: { limit: 100 } } }),
  );
  const loaded = useQuery(revisions);
  const entry = ({ revision: number, created_at: at, by, changes }: Schemas['Revision']) => (
    <li key={number}>
      <p>
        <strong>{by.name}</strong>{' '}
        <span class="soft">
          {by.via && doors[by.via]} <Time at={at} />
        </span>
      </p>
      {number === 1 && <p class="soft">read it</p>}
      {number > 1 && (
        <ul>
          {changes.map(({ pointer, from, to }) => (
            <li>
              <span class="soft">{labels.get(pointer) ?? pointer}</span> <del>{shown(from)}</del> →{' '}
              <ins>{shown(to)}</ins>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
  return (
    <>
      <LoadedList of={loaded} items={loaded.data?.revisions} look="revisions" entry={entry} />
      {loaded.data?.next && <p class="soft">Older ones: portico documents revisions {id}</p>}
    </>
  );
};

/** Who changed what; it is loaded when it is opened. */
export const History = (props: HistoryProps) => (
  <Disclosure
    class="panel history"
    summary={
      <h2>
        History <span class="soft">revision {props.document.revision}</span>
      </h2>
    }
  >
    {() => <Revisions {...props} />}
  </Disclosure>
);
