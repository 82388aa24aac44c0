import autocannon from 'autocannon';
import { compare, type Load, type Row } from './compare.ts';
import { memoryMib, type Program } from './processes.ts';
import { loadOf } from './size.ts';

const table: Load = {
  name: 'table (5,000 rows × 12)',
  path: '/api/v1/tables/bench.public.readings?limit=5000',
  goal: 3,
};
const query: Load = {
  name: 'query (1,000 rows)',
  path: '/api/v1/query',
  method: 'POST',
  goal: 1.7,
  body: JSON.stringify({ database_id: 'bench', query: 'select * from readings order by id limit 1000' }),
};

export const tableRows = async (
  portico: Program,
  bare: Program,
  runId: string,
  headers: Record<string, string>,
): Promise<readonly Row[]> => {
  const rows = [...(await compare(portico, bare, table, headers)), ...(await compare(portico, bare, query, headers))];
  // Beside half of the reads that it can do, the bare program has half of its core left: no program can be ten times as fast there.
  const most = rows[0]?.bare.perSecond ?? Number.NaN;
  const oneRun = (share: string, perSecond: number, goal: number): Load => ({
    name: `one run, beside ${perSecond.toFixed(0)} table reads/s (${share})`,
    path: `/api/v1/runs/${runId}`,
    goal,
    beside: { path: table.path, perSecond },
  });
  for (const load of [
    oneRun('half of what the bare one can do', most / 2, 1.5),
    oneRun('more than it can do', most * 1.25, 10),
  ])
    rows.push(...(await compare(portico, bare, load, headers)));
  return rows;
};

/** Fifty clients at once, and what they make of the memory. */
export const tableMemory = async (program: Program, headers: Record<string, string>) => {
  const memory = [await memoryMib(program.pid)];
  for (let lap = 0; lap < 3; lap += 1) {
    await autocannon({ url: program.baseUrl + table.path, headers, ...loadOf(50), timeout: 60 });
    memory.push(await memoryMib(program.pid));
  }
  console.log(
    `\n50 clients reading 5,000-row pages, memory in MiB before and after each of three laps: ${memory.join(', ')}`,
  );
};
