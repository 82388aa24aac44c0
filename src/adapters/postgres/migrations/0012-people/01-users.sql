-- People who are no longer let in, and people whom no workspace file names.

alter table users
  -- Since when nothing of the user works; they keep their keys, which work again once they are enabled.
  add column disabled_at timestamptz(3),
  -- When one of their credentials was used last, to the minute.
  add column last_seen_at timestamptz(3),
  -- Whether a workspace file names them, or did: it alone may leave them out again.
  add column from_file boolean not null default true;

-- What processes remember of a user's credentials is dropped when the user is disabled, too.
drop trigger users_changed on users;
create trigger users_changed after update of role, email, removed_at, disabled_at, workspace_id or delete on users
  for each row execute function access_changed();
