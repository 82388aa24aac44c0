import { columnsOf } from '../tables/columns.ts';
import { DocumentTable } from '../tables/entities.ts';
import { documentStates, reviewStates } from '../tables/states.ts';

/** So many of each reason are shown, the newest first; and so many are looked at of those of the same file, which may be in the trash. */
const SHOWN = 20;
const LOOKED_AT = 200;

/** Nothing is under way with the document, so that it may go to the trash for another one that was read from its files again. */
export const mayBeReplaced = (document: string) =>
  `${document}.status ${documentStates.before('process')} and ${document}.attempted_revision is null and ${document}.held_at is null`;

/** Whether one is being read to take the place of the other: they are one document then. */
const takesPlace = (one: string, other: string) =>
  `(${one}.reread_of is not distinct from ${other}.id and ${one}.status ${documentStates.before('extract')} and ${mayBeReplaced(other)})`;

/** A document without data does not count, unless it is about to have some. */
const isCounted = `(o.document_data is not null or o.status ${documentStates.before('extract')}) and o.status <> ${documentStates.after('trash')}
        and not ${takesPlace('d', 'o')} and not ${takesPlace('o', 'd')}`;

const isHeld = (document: string) =>
  `${document}.review_status in (${reviewStates.after('require')}, ${reviewStates.after('reject')})`;

/** Which of them are shown. */
const order = { newest: 'o.id desc', freeFirst: `${isHeld('o')}, o.id desc` };

const withKey = (column: string, key: string, first: keyof typeof order) => `
    (select o.id, o.review_status, 'key' as reason from documents o
      where o.agent_id = d.agent_id and o.${column} = ${key} and o.id <> d.id and ${isCounted} order by ${order[first]} limit ${SHOWN})`;

/**
 * The other documents of the agent of `d`, as JSON with these fields: those that have this key, by their own version or by a later one, and
 * those that were read from a file of the same content. They are found by three indexes, however many there are.
 */
const duplicates = (key: string, fields: string, first: keyof typeof order = 'newest') => `(
  select coalesce(json_agg(json_build_object(${fields}) order by twin.reason = 'file', twin.id desc), '[]') from (
    ${withKey('duplicate_key', key, first)}
    union
    ${withKey('later_key', key, first)}
    union all
    (select o.id, o.review_status, 'file' from (
        select distinct alike.document_id from document_files own cross join lateral (
          select f.document_id from document_files f where f.agent_id = own.agent_id and f.sha256 = own.sha256 and f.document_id <> own.document_id
          order by f.document_id desc limit ${LOOKED_AT}) alike
        where own.document_id = d.id) alike
      join documents o on o.id = alike.document_id and ${isCounted} order by ${order[first]} limit ${SHOWN})
  ) twin)`;

const members = `'documentId', twin.id, 'reason', twin.reason, 'isHeld', ${isHeld('twin')}`;
/** The duplicates of a document `d` if it had this key; those that are not held first, so that one that was posted is among them. */
export const duplicatesBy = (key: string) => `${duplicates(key, members, 'freeFirst')} as duplicates`;

/** The other columns that are shown of a document `d`. Its run `r` has the version and the model of its agent; a document of a part of a file has its own. */
export const besideColumns = `r.agent_version as "agentVersion", r.model, ${duplicates('d.duplicate_key', members)} as duplicates`;
/**
 * `offset 0`: the run of each document is looked up. The planner may not turn this round: while the statistics know of fewer documents than
 * there are, it would read all documents of a run for the few of a page.
 */
export const joinRun = `cross join lateral (
    select v.version as agent_version, v.model from runs r
      join agent_versions v on v.agent_id = d.agent_id and v.version = coalesce(d.agent_version, r.agent_version) where r.id = d.run_id offset 0) r`;

const time = (column: string, name = column) =>
  `to_char(d.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`;
const counts = ['pages_read', 'pages_total', 'characters_read', 'characters_total', 'complete'];
const judged = ['syntax', 'profile', 'specification', 'valid', 'violations'];
const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Of the live version of its agent: the columns of a list are the same for all its documents. */
const listedValues = `
  (select listed_values(searched_json(d.document_data), a.list_columns) from agents a where a.id = d.agent_id) as values`;

/** A document of a list as the API answers it, and its parts that are objects of their own. */
const wire = `
  cross join lateral (select ${counts.map((name) => `d.coverage -> '${camelCase(name)}' as ${name}`).join(', ')}, (
    select coalesce(json_agg(json_build_object('file_name', e -> 'fileName', 'page', e -> 'page', 'what', e -> 'what')), '[]')
    from json_array_elements(d.coverage -> 'unread') e) as unread) extent
  cross join lateral (select ${judged.map((name) => `d.einvoice -> '${name}' as ${name}`).join(', ')}, (
    select coalesce(json_agg(json_build_object(
      'pointer', e -> 'pointer', 'xml', e -> 'xml', 'page_value', e -> 'pageValue', 'page', e -> 'page', 'boxes', e -> 'boxes')), '[]')
    from json_array_elements(d.einvoice -> 'differences') e) as differences) invoice
  cross join lateral (select d.reviewer -> 'name' as name, d.reviewer -> 'email' as email) person
  cross join lateral (select d.review_status as status, d.review_reasons as reasons,
    case when d.reviewer is not null then row_to_json(person) end as reviewer, d.review_note as note, ${time('decided_at')},
    d.decided_via) decision
  cross join lateral (select d.hold_reason as reason, (select by from (select d.held_by -> 'name' as name, d.held_by -> 'email' as email) by) as by,
    ${time('held_at', 'at')}) hold
  cross join lateral (select d.automatic, d.posted_by as by, ${time('post_at', 'next_attempt_at')}, d.post_failures as failed_attempts,
    ${time('post_failing_since', 'failing_since')}, d.post_error as last_error) posting
  cross join lateral (select
    d.id, d.run_id, d.agent_id, r.agent_version, r.model, d.conversation_id, d.name, d.status,
    case when d.coverage is not null then row_to_json(extent) end as coverage,
    case when d.einvoice is not null then row_to_json(invoice) end as einvoice, d.error, d.external_reference,
    ${time('created_at')}, ${time('updated_at')}, ${time('processed_at')}, d.revision, row_to_json(decision) as review, d.checks,
    row_to_json(posting) as posting, case when d.held_at is not null then row_to_json(hold) end as hold,
    case when d.duplicate_key is null and not exists (select from document_files f where f.document_id = d.id) then '[]'
      else ${duplicates('d.duplicate_key', `'document_id', twin.id, 'reason', twin.reason`)} end as duplicates, ${listedValues}
  ) wire`;

/** What a statement reads of a document `d`, and from where beside that. */
export const documentForms = {
  listed: {
    columns: `${columnsOf(DocumentTable, 'd', ['documentData', 'evidence'])}, ${besideColumns}, ${listedValues}`,
    joins: joinRun,
  },
  exported: {
    columns: `f."inAll", ${columnsOf(DocumentTable, 'd', ['evidence'])}, ${besideColumns}`,
    joins: joinRun,
  },
  /** The database prints the JSON: the document never becomes an object of this process. */
  printed: { columns: 'row_to_json(wire)::text as text', joins: joinRun + wire },
} as const;
