import { documentStates, reviewStates } from './states.ts';

/** So many of each reason are shown, the newest first; and so many are looked at of those of the same file, which may be in the trash. */
const SHOWN = 20;
const LOOKED_AT = 200;

/** What has no data does not count, unless it is about to have some. */
const counts = `(o.document_data is not null or o.status ${documentStates.before('extract')}) and o.status <> ${documentStates.after('trash')}`;

const held = `o.review_status in (${reviewStates.after('require')}, ${reviewStates.after('reject')})`;

/**
 * The expression of the other documents of the agent that have this key, or were read from a file of the same content: from two indexes,
 * however many documents there are.
 */
export const duplicatesOf = (id: string, agent: string, key: string) => `(
  select coalesce(json_agg(json_build_object('documentId', twin.id, 'reason', twin.reason, 'isHeld', twin.held) order by twin.reason = 'file', twin.id desc), '[]') from (
    (select o.id, 'key' as reason, ${held} as held from documents o
      where o.agent_id = ${agent} and o.duplicate_key = ${key} and o.id <> ${id} and ${counts} order by o.id desc limit ${SHOWN})
    union all
    (select o.id, 'file', ${held} from (
        select distinct alike.document_id from document_files own cross join lateral (
          select f.document_id from document_files f where f.agent_id = own.agent_id and f.sha256 = own.sha256 and f.document_id <> own.document_id
          order by f.document_id desc limit ${LOOKED_AT}) alike
        where own.document_id = ${id}) alike
      join documents o on o.id = alike.document_id and ${counts} order by o.id desc limit ${SHOWN})
  ) twin)`;
