import type { UsageRepository } from '../../../application/ports/usage.ts';
import { MOST_USAGE_ROWS, type UsageFigures, type UsageRow, usageGroups } from '../../../domain/usage.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/usage-statements.ts';

type Prefix = '' | 'total_';

type Figures<P extends Prefix> = Readonly<
  Record<`${P}${'runs' | 'documents' | 'pages' | 'pages_ocr' | 'input_tokens' | 'output_tokens'}`, number | null>
> &
  Readonly<Record<`${P}cost`, string | null>>;

/** Columns that are not grouped by are null; without any use there is one row that has the currency alone. */
type Row = Figures<''> &
  Figures<'total_'> & {
    readonly day: string | null;
    readonly agent_id: string | null;
    readonly agent_name: string | null;
    readonly agent_version: number | null;
    readonly model: string | null;
    readonly user_id: string | null;
    readonly user_name: string;
    readonly currency: string | null;
  };

/** Of the group of a row, or of all rows together. */
const figuresOf = (row: Row | undefined, prefix: Prefix): UsageFigures => ({
  runs: row?.[`${prefix}runs`] ?? 0,
  documents: row?.[`${prefix}documents`] ?? 0,
  pages: row?.[`${prefix}pages`] ?? 0,
  pagesOcr: row?.[`${prefix}pages_ocr`] ?? 0,
  inputTokens: row?.[`${prefix}input_tokens`] ?? 0,
  outputTokens: row?.[`${prefix}output_tokens`] ?? 0,
  cost: row?.[`${prefix}cost`] ?? null,
});

const rowOf = (row: Row): UsageRow => ({
  ...(row.day !== null && { day: row.day }),
  ...(row.agent_id !== null && { agent: { id: row.agent_id, name: row.agent_name ?? '' } }),
  ...(row.agent_version !== null && { agentVersion: row.agent_version }),
  ...(row.model !== null && { model: row.model }),
  ...(row.user_id !== null && { user: { id: row.user_id, name: row.user_name } }),
  ...figuresOf(row, ''),
});

export const usageRepository = ({ search }: Pick<Database, 'search'>): UsageRepository => ({
  async report(sharer, { from, to }, groupBy, signal) {
    const { workspaceId, userId } = sharer;
    const groups = usageGroups.map((group) => groupBy.includes(group));
    const values = [workspaceId, userId, from, to, ...groups];
    const all = await search<Row>(sql.report, values, { sharer, signal });
    const rows = all.filter(({ runs }) => runs !== null);
    if (rows.length > MOST_USAGE_ROWS) return null;
    return { rows: rows.map(rowOf), total: figuresOf(rows[0], 'total_'), currency: all[0]?.currency ?? null };
  },
});
