/**
 * Who wrote a message, and where words come from that neither a person nor the model wrote. Neither is known of messages from before.
 * No foreign key and no validation of old rows: both would read the whole table and block every write meanwhile.
 */
export const sql = `
alter table messages add column author_id uuid, add column provenance json;
alter table runs drop constraint runs_origin_check;
alter table runs add constraint runs_origin_check check (origin in ('api', 'tool', 'untrusted_tool')) not valid;
`;
