-- The newest refresh token that the provider of a mailbox gave, with the one of the address that it stands in for; sealed.
alter table sources add column sealed_token text;
