-- The key that made this one in its own place; null of keys that something else made.
alter table api_keys add column replaces uuid references api_keys;
create index api_keys_replaces on api_keys (replaces) where replaces is not null;
