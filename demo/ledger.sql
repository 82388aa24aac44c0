-- The ledger of the demo, and what was entered in it before. Sent as one query, so that it is one transaction; sending it again changes nothing.
-- Two servers that start at the same time take turns.
select pg_advisory_xact_lock(7005);

create schema if not exists demo;

create table if not exists demo.invoices (
  id bigint generated always as identity primary key,
  document_id uuid unique,
  supplier text not null,
  invoice_number text not null,
  invoice_date date not null,
  due_date date,
  purchase_order text,
  currency text not null,
  net numeric(12, 2) not null,
  tax numeric(12, 2) not null,
  total numeric(12, 2) not null,
  iban text,
  lines jsonb not null,
  entered_at timestamptz not null default now(),
  constraint each_invoice_once unique (supplier, invoice_number),
  constraint total_is_net_plus_tax check (total = net + tax),
  constraint due_after_invoice_date check (due_date >= invoice_date),
  constraint known_currency check (currency in ('GBP', 'EUR', 'USD', 'CHF'))
);

create table if not exists demo.orders (
  id bigint generated always as identity primary key,
  document_id uuid unique,
  order_number text not null,
  supplier text not null,
  order_date date not null,
  delivery_date date,
  deliver_to text,
  currency text not null,
  total numeric(12, 2) not null,
  lines jsonb not null,
  entered_at timestamptz not null default now(),
  constraint each_order_once unique (order_number),
  constraint delivery_after_order check (delivery_date >= order_date),
  constraint known_currency check (currency in ('GBP', 'EUR', 'USD', 'CHF'))
);

insert into demo.invoices (supplier, invoice_number, invoice_date, due_date, purchase_order, currency, net, tax, total, iban, lines, entered_at)
values
  ('Castle Lane Dairy', 'CL-8841', '2026-09-28', '2026-10-28', 'PO-7702', 'GBP', 1060.80, 0.00, 1060.80, 'GB53 CSTL 4050 6070 8090 10',
   '[{"description": "Whole milk, 10 l pergal", "quantity": 46, "unit_price": 10.9, "amount": 501.4}, {"description": "Double cream, 5 l", "quantity": 12, "unit_price": 18.75, "amount": 225}, {"description": "Unsalted butter, 40 x 250 g", "quantity": 4, "unit_price": 83.6, "amount": 334.4}]',
   '2026-09-30T08:15:00Z'),
  ('Tidewater Linen Services', 'TW-3274', '2026-09-30', '2026-10-14', null, 'GBP', 498.40, 99.68, 598.08, 'GB61 TDWL 2030 4050 6070 80',
   '[{"description": "Laundry and hire, September", "quantity": 1, "unit_price": 498.4, "amount": 498.4}]',
   '2026-10-01T09:02:00Z'),
  ('Harbour Row Paper Ltd', 'HR-20298', '2026-10-01', '2026-10-31', 'PO-7709', 'GBP', 612.00, 122.40, 734.40, 'GB77 HROW 1020 3040 5060 70',
   '[{"description": "Kraft carrier bag, medium, pack of 250", "quantity": 12, "unit_price": 38.95, "amount": 467.4}, {"description": "Soup cup 12 oz, pack of 500", "quantity": 3, "unit_price": 48.2, "amount": 144.6}]',
   '2026-10-02T10:40:00Z')
on conflict on constraint each_invoice_once do nothing;
