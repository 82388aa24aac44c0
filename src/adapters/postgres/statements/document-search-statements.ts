import { LONGEST, list, listInOrder, listOfWorkspace, type Terms } from './document-list-statements.ts';

/** How many documents the search looks at. Why so: docs/decisions/finding-documents.md. */
export const sizes = {
  /** Of the newest, where no index knows the condition; at least as many of each agent as a page has. */
  scanned: 2000,
  /** Of the newest, for words that some of the sample have; for each document of a page. */
  scannedForWords: 200,
  /** Of the newest, to learn how common the words are. */
  sampled: 128,
  /** Words that no more documents have are rare. */
  rare: 500,
  /** Of the newest, for each document of a page, among which words are looked for that are not rare. */
  windows: [800, 3200],
};
export type Sizes = typeof sizes;

/** Sizes for a page that is to be found faster: it may be shorter, and goes on where these end. */
export const partOf = ({ scanned, scannedForWords, sampled, rare, windows }: Sizes, part: number): Sizes => {
  const fewer = (size: number) => Math.max(1, Math.floor(size / part));
  return {
    sampled: fewer(sampled),
    scanned: fewer(scanned),
    scannedForWords: fewer(scannedForWords),
    rare: fewer(rare),
    windows: windows.map(fewer),
  };
};

/** Among how many agents a scan is shared, and how many documents a sample has of each: agents that have fewer than their share leave it to the others. */
const sharing = ({ newest }: Terms, { scanned, sampled }: Sizes) => `sharing as materialized (
  select greatest(count(*), 1) as agents, ${sampled} / greatest(count(*), 1) + 1 as sampled
  from visible s
  where (select count(*) from visible) = 1
    or (select true ${newest} offset ${scanned} / (select count(*) from visible) limit 1)
)`;

/**
 * Looks through the `n` newest documents of each agent, one by one until a page is full; `quota` has this number. Of an agent that has more
 * than `known`, the horizon is the last of these: down to the highest such place, the documents of all agents are known.
 */
const scan = ({ newest, most, data, conditions }: Terms) => `horizon as materialized (
  select d.* from visible s
    cross join lateral (
      select d.created_at, d.id ${newest} offset greatest((select known from quota) - 1, 0) limit 1
    ) d
  order by d.created_at desc, d.id desc limit 1
), near as materialized (
  select * from (
    select near.* from visible s
      cross join lateral (
        select * from (
          select d.id, d.created_at from (select d.* ${newest} limit (select n from quota)) d ${data}
          where ${conditions}
          order by d.created_at desc, d.id desc limit ${LONGEST}
        ) d limit ${most}
      ) near
      left join horizon h on true
    where h.id is null or (near.created_at, near.id) >= (h.created_at, h.id)
    order by near.created_at desc, near.id desc limit ${LONGEST}
  ) near limit ${most}
)`;

/** The first of the candidates that match. `offset 0` keeps the planner from reading a whole index for the few that are looked at. */
const matching = ({ own, most, data, conditions }: Terms) => `
  select * from (
    select c.id, c.created_at
    from (select * from candidates c order by c.created_at desc, c.id desc) c
      cross join lateral (select * from documents d where d.id = c.id offset 0) d ${data}
    where d.agent_id in (select id from visible) and ${own} and ${conditions}
    order by c.created_at desc, c.id desc limit ${LONGEST}
  ) c limit ${most}`;

/** The documents that are found, beside what is known of those that follow; a row without a place has the latter alone. */
const answer = ({ columns, shown }: Terms) => `
select known.*, shown.* from known
  left join lateral (
    select row_number() over (order by f.created_at desc, f.id desc) as place, ${columns} ${shown}
  ) shown on true
order by place`;

/** By conditions that no index knows. */
const look = (terms: Terms, sizes: Sizes) => `
with ${terms.sources}, ${sharing(terms, sizes)}, quota as materialized (
  select n, n as known from (select greatest(${terms.most}, ${sizes.scanned} / agents) as n from sharing) q
), ${scan(terms)},
found as (select * from near),
known as (select created_at as "horizonAt", id as "horizonId" from (select) one left join horizon on true)
${answer(terms)}`;

/**
 * By words, first: what is common fills a page from the newest documents; what is rare comes from the index of words. A sample of the newest
 * says which to try, and among how many of them a page of it is, thrice over. What is neither is left open.
 */
const searchNewest = (terms: Terms, sizes: Sizes) => `
with ${terms.sources}, ${sharing(terms, sizes)}, sample as materialized (
  select count(*) as seen, count(*) filter (where d.words @@ (${terms.words})) as matching
  from visible s cross join lateral (select d.words ${terms.newest} limit (select sampled from sharing)) d
), quota as materialized (
  select n, greatest(n, sampled) as known
  from sharing cross join sample cross join lateral (
    select case
      when matching > 0 then greatest(sampled, greatest(1, least(${sizes.scannedForWords}, 3 * seen / matching) / agents) * ${terms.most})
      else 0
    end as n
  ) q
), ${scan(terms)}, filled as materialized (
  select not exists (select from horizon) or (select count(*) from near) >= ${terms.most} as is_filled
), indexed as materialized (
  select d.id, d.created_at from documents d where d.words @@ (${terms.words})
), counted as materialized (
  select * from indexed where not (select is_filled from filled) limit ${sizes.rare + 1}
), known as materialized (
  select count(*) > ${sizes.rare} as "isOpen" from counted
), candidates as materialized (
  select * from counted where not (select "isOpen" from known)
), found as materialized (
  select * from near where (select is_filled from filled)
  union all (${matching(terms)})
)
${answer(terms)}`;

/**
 * By words, second, for those that are neither common nor rare. In a window of the newest documents, PostgreSQL intersects what the index of
 * words and that of an agent say, and reads what both have; the first window that fills a page is the last, and a page is short if its other
 * conditions leave less. What fills none is rare enough to read all of it: there the index is asked for the agents as well, so that what other
 * workspaces have is not read. The times are subqueries so that the planner expects few documents between them, whatever they are.
 */
const searchIndex = (terms: Terms, sizes: Sizes) => `
with ${terms.sources}, ${sharing(terms, sizes)}, near as materialized (
  select h.created_at as "horizonAt", '00000000-0000-0000-0000-000000000000'::uuid as "horizonId", w.ids, w.times
  from (values ${sizes.windows.map((size) => `(${size})`).join(', ')}) size (each)
    left join lateral (
      select d.created_at from visible s
        cross join lateral (
          select d.created_at ${terms.newest}
          offset greatest((select size.each * ${terms.most} / agents from sharing) - 1, 0) limit 1
        ) d
      order by d.created_at desc limit 1
    ) h on true
    cross join lateral (
      select count(*) as found, array_agg(d.id) as ids, array_agg(d.created_at) as times
      from ${terms.source} d
      where d.words @@ (${terms.words}) and ${terms.own} and d.agent_id = any (array(select id from visible))
        and d.created_at between (select coalesce(h.created_at, '-infinity')) and (select ${terms.until})
    ) w
  where h.created_at is null or w.found >= ${terms.most}
  limit 1
), sought as materialized (
  select (select string_agg(quote_literal('@' || s.id), ' | ') from visible s)::tsquery && ${terms.words} as words
), candidates as materialized (
  select c.id, c.created_at from near cross join lateral unnest(near.ids, near.times) c (id, created_at)
  union all
  select d.id, d.created_at from documents d
  where (select count(*) from near) = 0 and d.words @@ (select words from sought) and ${terms.own}
), found as materialized (${matching(terms)}
), known as (select "horizonAt", "horizonId" from (select) one left join near on true)
${answer(terms)}`;

/** The statements for a page by their names, the second of them for what the first leaves open. */
export const statementsFor = ({ ordered, hasConditions, hasWords, isOfWorkspace }: Terms) => {
  if (ordered) return { ordered: listInOrder(ordered) };
  if (hasWords) return { search: searchNewest, index: searchIndex };
  if (hasConditions) return { look };
  return { list: isOfWorkspace ? listOfWorkspace : list };
};
