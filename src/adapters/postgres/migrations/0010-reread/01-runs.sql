-- The document whose files a run reads again, and whose place the new document takes.
alter table runs add column reread_of uuid;
alter table documents add column reread_of uuid;
