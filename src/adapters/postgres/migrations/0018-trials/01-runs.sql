-- Whether what a run reads is only looked at: its documents go to the trash some time after its end. It is false again once they are there.
alter table runs add column trial boolean not null default false;
create index runs_tried on runs (created_at) where trial;
