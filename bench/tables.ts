import autocannon from 'autocannon';
import { compare, type Load, type Row } from './compare.ts';
import { memoryMib, type Program } from './processes.ts';

const table: Load = { name: 'table (5,000 rows × 12)', path: '/api/v1/tables/bench.public.readings?limit=5000', connections: 4, goal: 3 };
const query: Load = {
  ...{ name: 'query (1,000 rows)', path: '/api/v1/query', method: 'POST', connections: 4, goal: 1.7 },
  body: JSON.stringify({ database_id: 'bench', query: 'select * from readings order by id limit 1000' }),
};

export const tableRows = async (
  portico: Program,
  bare: Program,
  runId: string,
  headers: Record<string, string>,
): Promise<readonly Row[]> => {
  // Ten reads a second leave the bare program half of its core, so that no program can be ten times as fast beside them; twenty are
  // about what it can do at all.
  const oneRun = (perSecond: number, goal: number): Load => ({
    ...{ name: `one run, the table read ${perSecond}/s`, path: `/api/v1/runs/${runId}`, goal },
    beside: { path: table.path, perSecond },
  });
  const rows: Row[] = [];
  for (const load of [table, query, oneRun(10, 1.5), oneRun(20, 10)]) rows.push(await compare(portico, bare, load, headers));
  return rows;
};

/** Fifty clients at once, and what they make of the memory. */
export const tableMemory = async (program: Program, headers: Record<string, string>) => {
  const memory = [await memoryMib(program.pid)];
  for (let lap = 0; lap < 3; lap += 1) {
    await autocannon({
      url: program.baseUrl + table.path,
      headers,
      connections: 50,
      duration: Number(process.env.BENCH_SECONDS ?? 4),
      timeout: 60,
    });
    memory.push(await memoryMib(program.pid));
  }
  console.log(`\n50 clients reading 5,000-row pages, memory in MiB before and after each of three laps: ${memory.join(', ')}`);
};
