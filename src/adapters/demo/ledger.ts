import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { escapeIdentifier, escapeLiteral } from 'pg';

const schema = path.resolve(import.meta.dirname, '../../../demo/ledger.sql');

/** Makes the ledger's tables and earlier entries; if they are there, nothing changes. */
export const createLedger = async (client: { query(sql: string): Promise<unknown> }): Promise<void> => {
  await client.query(await readFile(schema, 'utf8'));
};

interface Client {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Lets this user read the ledger and enter rows, under a new password; makes the user if there is none. */
export const admitLogin = async (client: Client, user: string) => {
  const password = randomBytes(24).toString('base64url');
  const role = escapeIdentifier(user);
  const { rows } = await client.query('select from pg_catalog.pg_roles where rolname = $1', [user]);
  await client.query(
    `${rows.length === 0 ? 'create' : 'alter'} role ${role} login password ${escapeLiteral(password)}`,
  );
  await client.query(`
    revoke create on schema public from public;
    grant usage on schema demo to ${role};
    grant select, insert on demo.invoices, demo.orders to ${role}`);
  return { user, password };
};

export interface LedgerRow {
  readonly table: 'invoices' | 'orders';
  /** null: it was in the ledger before. */
  readonly document_id: string | null;
  readonly number: string;
  readonly supplier: string;
  readonly date: string;
  readonly currency: string;
  readonly total: string;
}

const listing = `
select 'invoices' as "table", document_id, invoice_number as number, supplier, invoice_date::text as date, currency, total::text from demo.invoices
union all
select 'orders', document_id, order_number, supplier, order_date::text, currency, total::text from demo.orders
order by "table", date, number`;

const clearing = `
with invoices as (delete from demo.invoices where document_id is not null and invoice_number = any($1) returning 1),
     orders as (delete from demo.orders where document_id is not null and order_number = any($1) returning 1)
select 1 from invoices union all select 1 from orders`;

export type Ledger = ReturnType<typeof ledger>;

export const ledger = (client: Client) => ({
  /** Invoices first, then orders, each by date. */
  rows: async () => (await client.query(listing)).rows as readonly LedgerRow[],
  /** Takes out the invoices and orders of these numbers that came as documents; how many. What was entered before stays. */
  clear: async (numbers: readonly string[]) => (await client.query(clearing, [numbers])).rows.length,
});
