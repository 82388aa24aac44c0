/** A webhook whose receiver is gone is disabled; what it does not get is kept with a status of its own. */
export const sql = `
alter table webhooks add column disabled_at timestamptz(3), add column disabled_reason text,
  add check ((disabled_at is null) = (disabled_reason is null));
alter table webhook_deliveries drop constraint webhook_deliveries_status_check,
  add check (status in ('pending', 'delivered', 'failed', 'disabled'));
`;
