import { expect } from 'chai';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { documentMaker } from './documents-made.ts';

interface Shown {
  readonly status: string;
  readonly error: string | null;
}

const LIMIT = 'An invoice of 1,000 or more needs a purchase order.';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties: { total: { type: [number, "null"], title: Total with VAT }, supplier: { type: [string, "null"], title: Supplier } }
    system_of_record:
      connection: ledger
      entity: public.bills
      columns: { amount: /total, name: /supplier }
      constraint_messages: { bills_limit: "${LIMIT}" }
`;

describe('a row that the system of record refuses', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ workspace });
    key = await world.key();
    await world.query(`create table public.bills (document_id text unique, name text not null,
      amount numeric constraint bills_limit check (amount < 1000) constraint bills_sign check (amount > 0));
      create function no_nobody() returns trigger language plpgsql as
        $$ begin if new.name = 'Nobody' then raise exception 'Nobody is no supplier'; end if; return new; end $$;
      create trigger no_nobody before insert on public.bills for each row execute function no_nobody()`);
  });
  after(() => world.stop());

  const make = documentMaker(
    () => world,
    () => key,
  );
  const refused = async (data: { total: number | null; supplier: string | null }) => {
    const id = await make('Reader', { data });
    const call = async <T>(path: string) =>
      (await callApi<{ data: T }>(world.baseUrl, key, `/documents/${id}${path}`, { method: 'POST' })).body.data;
    const rehearsed = await call<{ would: string; reason: string }>('/rehearsal');
    const posted = await call<Shown>('');
    expect([rehearsed.would, posted.status, posted.error]).to.deep.equal(['reject', 'error', rehearsed.reason]);
    return rehearsed.reason;
  };

  it('is refused in the words of the workspace for the constraint, with those of the system behind them', async () => {
    const reason = await refused({ total: 1000, supplier: 'Alder' });
    expect(reason).to.match(new RegExp(`^${LIMIT} \\(.*"bills_limit"`));
  });

  it('is refused with the title of the field where the system names its column', async () => {
    expect(await refused({ total: 5, supplier: null })).to.match(/^Supplier: .*"name"/);
  });

  it('is refused in the words of the system where there are no others', async () => {
    expect(await refused({ total: 7, supplier: 'Nobody' })).to.equal('Nobody is no supplier.');
  });

  it('is refused with the titles of the fields that a constraint is about, where the workspace has no words for it', async () => {
    expect(await refused({ total: -1, supplier: 'Alder' })).to.match(/^Total with VAT: new row .*"bills_sign"/);
  });
});
