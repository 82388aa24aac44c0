import type { Position, RunRepository, RunSummary } from '../../../application/ports/storage.ts';
import type { Database, Statement } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/run-statements.ts';

const positionOf = (last: Position | undefined): Position | null =>
  last ? { createdAt: last.createdAt, id: last.id } : null;

type Listed = { readonly total: number } & RunSummary;

export const runList =
  (database: Pick<Database, 'read' | 'search'>): RunRepository['listVisible'] =>
  async (viewer, { agentId, status }, { limit, offset, after = null }, signal = new AbortController().signal) => {
    if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0, next: null };
    const from = after !== null ? 'after' : offset + limit >= sql.SHALLOW ? 'deep' : 'offset';
    const statement = sql.listings.get(
      sql.nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, from }),
    ) as Statement;
    const given = [agentId, status, after?.createdAt, after?.id].filter((value) => value !== undefined);
    const values = [viewer.workspaceId, viewer.userId, limit + 1, after === null ? offset : 0, ...given];
    // A deep page takes longer: it must not delay the short reads.
    const within = { sharer: viewer, signal };
    const rows = await (from === 'deep'
      ? database.search<Listed>(statement, values, within)
      : database.read<Listed>(statement, values));
    const found = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    const items = found.slice(0, limit);
    return { items, total: rows[0]?.total ?? 0, next: found.length > limit ? positionOf(items.at(-1)) : null };
  };
