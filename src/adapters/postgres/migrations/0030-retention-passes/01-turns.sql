-- When such work was done to its end last; before that, when it was begun first.
alter table upkeep_turns add column ended_at timestamptz(3) not null default now();
