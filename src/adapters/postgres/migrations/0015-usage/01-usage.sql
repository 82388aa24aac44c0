-- What work has cost. Each step, document and run is an entry, written with what it is about; upkeep adds the entries up by day.

alter table workspaces add prices json;
-- What the run has cost by the prices of the time; null as long as nothing of it had a price.
alter table runs add cost numeric;

create table usage_entries (
  number bigint generated always as identity primary key,
  workspace_id uuid not null,
  day date not null default (clock_timestamp() at time zone 'utc')::date,
  agent_id uuid not null,
  agent_version integer not null,
  user_id uuid not null,
  model text collate "C" not null,
  runs integer not null default 0,
  documents integer not null default 0,
  pages bigint not null default 0,
  pages_ocr bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric
);

create table usage_days (
  workspace_id uuid not null,
  day date not null,
  agent_id uuid not null,
  agent_version integer not null,
  user_id uuid not null,
  model text collate "C" not null,
  runs bigint not null,
  documents bigint not null,
  pages bigint not null,
  pages_ocr bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric,
  primary key (workspace_id, day, agent_id, agent_version, user_id, model)
);

-- Exact: multiplied by a millionth, because a division rounds. null without a price of the model.
create function cost_of_tokens(prices json, model text, input bigint, output bigint) returns numeric
language sql immutable parallel safe
return trim_scale(0.000001 * (
  (prices #>> array['models', model, 'input'])::numeric * input + (prices #>> array['models', model, 'output'])::numeric * output
));

create function cost_of_pages(prices json, pages_ocr bigint) returns numeric
language sql immutable parallel safe
return trim_scale((prices ->> 'ocrPage')::numeric * nullif(pages_ocr, 0));
