import autocannon from 'autocannon';
import { cpuMs, type Program } from './processes.ts';

export interface Load {
  readonly name: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly connections?: number;
  /** What is read from the same program meanwhile, ten times a second. */
  readonly beside?: string;
  /** What Portico is to reach, as a multiple of the bare program's requests a second. */
  readonly goal: number;
}

interface Figure {
  readonly perSecond: number;
  /** CPU milliseconds of the server per 1,000 requests. */
  readonly cpu: number | null;
}

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 32;

/** Keeps reading this ten times a second until the answered function is called. */
const read = (program: Program, path: string, headers: Record<string, string>) => {
  const ended = Promise.withResolvers<void>();
  const options = { url: program.baseUrl + path, headers, connections: 4, overallRate: 10, duration: 3600 };
  const reading = autocannon(options, () => ended.resolve());
  return async () => {
    reading.stop();
    await ended.promise;
  };
};

const round = async (
  program: Program,
  { path, method = 'GET', body, connections = CONNECTIONS, beside }: Load,
  headers: Record<string, string>,
): Promise<Figure> => {
  const stopReading = beside && read(program, beside, headers);
  const before = await cpuMs(program.pid);
  const result = await autocannon({
    url: `${program.baseUrl}${path}`,
    ...{ method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) }, ...(body && { body }) },
    ...{ connections, duration: SECONDS },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} answers were no success, ${result.errors} requests failed`);
  const after = await cpuMs(program.pid);
  if (stopReading) await stopReading();
  const cpu = before === null || after === null ? null : ((after - before) * 1000) / result.requests.total;
  return { perSecond: result.requests.average, cpu };
};

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

export interface Row {
  readonly name: string;
  readonly portico: Figure;
  readonly bare: Figure;
  readonly ratio: number;
  readonly goal: number;
}

/** Both programs in turn, several times, so that a machine whose speed drifts drifts for both. The ratio is the median of the pairs'. */
export const compare = async (portico: Program, bare: Program, load: Load, headers: Record<string, string>): Promise<Row> => {
  const pairs: [Figure, Figure][] = [];
  for (let done = 0; done < ROUNDS; done += 1) pairs.push([await round(portico, load, headers), await round(bare, load, headers)]);
  const middle = (side: 0 | 1): Figure => ({
    perSecond: median(pairs.map((pair) => pair[side].perSecond)),
    cpu: pairs[0]?.[side].cpu === null ? null : median(pairs.map((pair) => pair[side].cpu ?? 0)),
  });
  const ratio = median(pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond));
  return { name: load.name, portico: middle(0), bare: middle(1), ratio, goal: load.goal };
};

const whole = (value: number | null) => (value === null ? '-' : Math.round(value).toLocaleString('en'));

export const printRows = (rows: readonly Row[]) => {
  const table = [
    ['operation', 'Portico/s', 'bare/s', 'ratio', 'goal', 'CPU ms/1,000', 'bare CPU'],
    ...rows.map(({ name, portico, bare, ratio, goal }) => [
      ...[name, whole(portico.perSecond), whole(bare.perSecond), ratio.toFixed(2), `≥ ${goal}${ratio >= goal ? '' : '  missed'}`],
      ...[whole(portico.cpu), whole(bare.cpu)],
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   '));
};
