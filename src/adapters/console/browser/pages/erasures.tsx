import type { Schemas } from '../../../../client/portico.ts';
import { useAddress } from '../address.ts';
import { countText, Disclosure, Empty, Time } from '../parts/basics.tsx';
import { filterOf, Listing, pageOf, useListed } from '../parts/lists.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { AuditTabs } from '../parts/tabs.tsx';

type Receipt = Schemas['Erasure'];

const subjectOf = ({ document_id: document, run_id: run, thread_id: thread }: Receipt) => {
  if (document) return `Document ${document}`;
  return run ? `Run ${run}` : `Conversation ${thread}`;
};

const storeNames: Readonly<Record<Receipt['stores'][number]['store'], string>> = {
  database: 'Database',
  files: 'Files',
  events: 'Events',
  webhooks: 'Deliveries',
  system_of_record: 'System of record',
  audit: 'Audit log',
};

const Stores = ({ of }: { readonly of: Receipt['stores'] }) => (
  <PlainTable
    head={['Where', 'Removed', 'Kept', 'Why']}
    rows={of.map(({ store, removed, kept, why }) => [storeNames[store], countText(removed), countText(kept), why])}
  />
);

const Entry = ({ of: receipt }: { readonly of: Receipt }) => (
  <li>
    <div>
      <Disclosure
        summary={
          <>
            <strong>{subjectOf(receipt)}</strong> {receipt.completed_at === null && <span class="flag">goes on</span>}{' '}
            {receipt.reason} · <Time at={receipt.requested_at} />
          </>
        }
      >
        {() => <Stores of={receipt.stores} />}
      </Disclosure>
    </div>
  </li>
);

const none = (
  <Empty title="Nothing was erased">
    <p>What an administrator erases has a receipt here: what went, and what stayed and why.</p>
  </Empty>
);

/** The receipts of what was erased, for administrators. */
export const Erasures = () => {
  const { query } = useAddress();
  const filter = filterOf<{ readonly after?: string }>(query, ['after']);
  const loaded = useListed(
    pageOf('erasures', filter, (get, query) => get('/api/v1/erasures', { params: { query } })),
    [],
  );
  const { data, isPlaceholderData } = loaded;
  return (
    <Listing
      title="Erased"
      noun="erasures"
      filter={filter}
      loaded={loaded}
      count={data?.erasures.length}
      next={data?.next ?? null}
      none={none}
      tabs={<AuditTabs />}
      filters={null}
    >
      <ul class="entries" aria-busy={isPlaceholderData}>
        {data?.erasures.map((receipt) => (
          <Entry key={receipt.id} of={receipt} />
        ))}
      </ul>
    </Listing>
  );
};
