-- Whether a person has ever opened the review of the document again: then it waits for them, also where nothing of it is doubtful any more.
alter table documents add column reopened boolean not null default false;
