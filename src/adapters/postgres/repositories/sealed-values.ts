import { isObject } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';
import type { Database, RunSql } from '../connection/database.ts';

/** Which key seals a value: that of the installation, or the one derived from it for OAuth. */
type SealedBy = 'installation' | 'oauth';

/** A value sealed anew; null if it stays as it is. */
export type Reseal = (sealed: string, by: SealedBy) => string | null;

/** Tables with sealed columns, and by what their rows are known. */
const places = [
  { table: 'connections', key: ['id'], columns: ['sealed_url'], by: 'installation' },
  { table: 'webhooks', key: ['id'], columns: ['sealed_url', 'sealed_secret'], by: 'installation' },
  { table: 'sources', key: ['id'], columns: ['sealed_place', 'sealed_token'], by: 'installation' },
  { table: 'idempotent_requests', key: ['credential_id', 'operation', 'key'], columns: ['answer'], by: 'installation' },
  { table: 'oauth_records', key: ['kind', 'hash'], columns: ['sealed'], by: 'oauth' },
] as const;

type Row = Readonly<Record<string, string | null>>;

const resealPlace = async (run: RunSql, { table, key, columns, by }: (typeof places)[number], reseal: Reseal) => {
  const names = [...key, ...columns].join(', ');
  const rows = await run<Row>(`select ${names} from ${table} for update`);
  let changed = 0;
  for (const row of rows) {
    for (const column of columns) {
      const sealed = row[column];
      const anew = sealed ? reseal(sealed, by) : null;
      if (anew === null) continue;
      const isRow = key.map((name, index) => `${name} = $${index + 2}`).join(' and ');
      await run(`update ${table} set ${column} = $1 where ${isRow}`, [anew, ...key.map((name) => row[name])]);
      changed += 1;
    }
  }
  return changed;
};

/** The sealed addresses of tools, wherever they stand. */
const sealedIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(sealedIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'sealed' && typeof member === 'string' ? [member] : sealedIn(member),
  );
};

const inUse = {
  name: 'sealed_in_use',
  text: `
select sealed_url as sealed, null as tools from connections
union all select unnest(array[sealed_url, sealed_secret]), null from webhooks
union all select sealed_place, null from sources
union all select null, tools::text from agents where tools::text like '%"sealed"%'`,
};

/** What the key of the installation has to open for connections, webhooks, sources and tools to work. */
export const sealedInUse = async ({ query }: Pick<Database, 'query'>): Promise<readonly string[]> => {
  const rows = await query<{ readonly sealed: string | null; readonly tools: string | null }>(inUse, []);
  return rows.flatMap(({ sealed, tools }) => [
    ...(sealed === null ? [] : [sealed]),
    ...(tools === null ? [] : sealedIn(parseJson(tools))),
  ]);
};

/** Sealed anew, a definition is the same: its version stays, and the triggers that number and keep versions are told so by their absence. */
const resealTools = async (run: RunSql, table: 'agents' | 'agent_versions', trigger: string, reseal: Reseal) => {
  const key = table === 'agents' ? 'id, version' : 'agent_id as id, version';
  await run(`alter table ${table} disable trigger ${trigger}`);
  const rows = await run<{ id: string; version: number; tools: string }>(
    `select ${key}, tools::text as tools from ${table} where tools::text like '%"sealed"%' for update`,
  );
  let changed = 0;
  for (const { id, version, tools } of rows) {
    const resealed = [...new Set(sealedIn(parseJson(tools)))].map(
      (sealed) => [sealed, reseal(sealed, 'installation')] as const,
    );
    const anew = resealed.filter((pair): pair is readonly [string, string] => pair[1] !== null);
    if (anew.length === 0) continue;
    // A sealed text stands for itself alone, so that the rest of the JSON keeps every digit.
    const text = anew.reduce((all, [before, after]) => all.replaceAll(before, after), tools);
    const isRow = table === 'agents' ? 'id = $2 and version = $3' : 'agent_id = $2 and version = $3';
    await run(`update ${table} set tools = $1::json where ${isRow}`, [text, id, version]);
    changed += anew.length;
  }
  await run(`alter table ${table} enable trigger ${trigger}`);
  return changed;
};

/** Seals anew what is stored, all of it or nothing; how many values were changed. */
export const resealAll = ({ atomically }: Pick<Database, 'atomically'>, reseal: Reseal): Promise<number> =>
  atomically(async (run) => {
    let changed = await resealTools(run, 'agents', 'agents_numbered', reseal);
    changed += await resealTools(run, 'agent_versions', 'agent_versions_kept', reseal);
    for (const place of places) changed += await resealPlace(run, place, reseal);
    return changed;
  });
