-- The trash is listed like the rest: a page of it costs the same among any number of documents.
create index documents_of_agent_in_trash on documents (agent_id, created_at desc, id desc) where status = 'trashed';
create index documents_of_workspace_in_trash on documents (workspace_id, created_at desc, id desc) include (agent_id) where status = 'trashed';
