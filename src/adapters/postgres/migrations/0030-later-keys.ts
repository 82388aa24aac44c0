/** By what a document is known again under the key of a version of its agent that is later than its own. */
export const sql = `
alter table documents add column later_key text;
create index documents_by_later_key on documents (agent_id, later_key, id desc) where later_key is not null and status <> 'trashed';
`;
