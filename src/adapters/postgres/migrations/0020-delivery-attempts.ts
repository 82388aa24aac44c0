/**
 * What each attempt of a delivery came to. The number of an attempt is the fence of its lease, so that it is counted on when the delivery is
 * sent again. A process of the release before records no attempts; what it deletes of the deliveries takes their attempts with it.
 */
export const sql = `
create table webhook_attempts (
  delivery bigint not null references webhook_deliveries on delete cascade,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  status integer,
  error text,
  response text,
  primary key (delivery, number)
);
`;
