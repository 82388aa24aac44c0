import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { cpuMs, type Program, treeCpuMs } from './processes.ts';
import { isSmall, loadOf, RUN_IN_SECONDS, WARM_UP_SECONDS } from './size.ts';

export interface Load {
  readonly name: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  /** One row for each of these; 10 and 32 if it is left out. */
  readonly connections?: readonly number[];
  /** What is read from the same program meanwhile. */
  readonly beside?: { readonly path: string; readonly perSecond: number };
  /** What Portico is to reach, as a multiple of the bare program's requests a second; null where the figure is for comparison only. */
  readonly goal: number | null;
}

interface Figure {
  readonly perSecond: number;
  /** CPU milliseconds of the server per 1,000 requests. */
  readonly cpu: number | null;
  /** The same of PostgreSQL. */
  readonly databaseCpu: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** How many reads a second were answered beside. */
  readonly beside: number | null;
}

let postmaster: number | null = null;
/** From now on the CPU time of this PostgreSQL is measured as well. */
export const watchPostgres = (pid: number) => {
  postmaster = pid;
};

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? (isSmall ? 1 : 3));
/** On a small scale both would be as few. */
const CONNECTIONS = isSmall ? [10] : [10, 32];

const MOST_READS_AT_ONCE = 4;

/**
 * Reads at even distances until the answered function is called, which answers how many reads a second there were: a program that
 * falls behind is asked less often.
 */
const readBeside = (
  program: Program,
  { path, perSecond }: NonNullable<Load['beside']>,
  headers: Record<string, string>,
) => {
  const agent = new Agent({ keepAlive: true });
  const begunAt = performance.now();
  let underWay = 0;
  let done = 0;
  const readOnce = () => {
    if (underWay >= MOST_READS_AT_ONCE) return;
    underWay += 1;
    get(program.baseUrl + path, { headers, agent }, (answer) => {
      answer.resume().once('end', () => {
        underWay -= 1;
        done += 1;
      });
    });
  };
  const timer = setInterval(readOnce, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    const seconds = (performance.now() - begunAt) / 1000;
    while (underWay > 0) await sleep(10);
    agent.destroy();
    return done / seconds;
  };
};

/** Waits, at most for half a minute, until PostgreSQL is done with the requests that the round before did not wait for. */
const settled = async () => {
  let before: number | null = null;
  for (let pauses = 0; pauses < 100 && postmaster !== null; pauses += 1) {
    const spent = await treeCpuMs(postmaster);
    if (spent === null || (before !== null && spent - before <= 30)) return;
    before = spent;
    await sleep(300);
  }
};

const round = async (
  program: Program,
  { path, method = 'GET', body, beside }: Load,
  connections: number,
  headers: Record<string, string>,
  seconds?: number,
): Promise<Figure> => {
  if (!isSmall) await settled();
  const stopReading = beside && readBeside(program, beside, headers);
  const spent = async () => ({
    server: await cpuMs(program.pid),
    database: postmaster === null ? null : await treeCpuMs(postmaster),
  });
  const before = await spent();
  const result = await autocannon({
    url: `${program.baseUrl}${path}`,
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
    ...loadOf(connections, seconds),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} answers were no success, ${result.errors} requests failed`);
  const after = await spent();
  const readsBeside = stopReading ? await stopReading() : null;
  const perThousand = (part: 'server' | 'database') => {
    const start = before[part];
    const end = after[part];
    return start === null || end === null ? null : ((end - start) * 1000) / result.requests.total;
  };
  const { p50, p99 } = result.latency;
  return {
    perSecond: result.requests.total / result.duration,
    cpu: perThousand('server'),
    databaseCpu: perThousand('database'),
    p50,
    p99,
    beside: readsBeside,
  };
};

export const percentile = (numbers: readonly number[], part: number) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? Number.NaN;
export const median = (numbers: readonly number[]) => percentile(numbers, 0.5);

export interface Row {
  readonly name: string;
  readonly connections: number;
  readonly portico: Figure;
  readonly bare: Figure;
  readonly ratio: number;
  readonly goal: number | null;
}

/** Both programs in turn, several times, so that a machine whose speed drifts drifts for both. The ratio is the median of the pairs'. */
const compareAt = async (
  connections: number,
  portico: Program,
  bare: Program,
  load: Load,
  headers: Record<string, string>,
): Promise<Row> => {
  const pairs: [Figure, Figure][] = [];
  const measured = async (program: Program) => {
    if (!isSmall) await round(program, load, connections, headers, RUN_IN_SECONDS);
    return round(program, load, connections, headers);
  };
  for (let done = 0; done < ROUNDS; done += 1) pairs.push([await measured(portico), await measured(bare)]);
  const middle = (side: 0 | 1): Figure => {
    const of = (field: keyof Figure) => median(pairs.map((pair) => pair[side][field] ?? Number.NaN));
    const orNull = (value: number) => (Number.isNaN(value) ? null : value);
    const cpus = { cpu: orNull(of('cpu')), databaseCpu: orNull(of('databaseCpu')) };
    return { perSecond: of('perSecond'), ...cpus, p50: of('p50'), p99: of('p99'), beside: orNull(of('beside')) };
  };
  const ratio = median(pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond));
  return { name: load.name, connections, portico: middle(0), bare: middle(1), ratio, goal: load.goal };
};

/** The same with few and with many clients at once: what is done together for many clients is no cheaper for few. */
export const compare = async (
  portico: Program,
  bare: Program,
  load: Load,
  headers: Record<string, string>,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  const [first = 1, ...others] = load.connections ?? CONNECTIONS;
  // Node compiles a program while it runs, the more of it the larger the program is: what it does first is not counted.
  if (!isSmall) for (const program of [portico, bare]) await round(program, load, first, headers, WARM_UP_SECONDS);
  for (const connections of [first, ...others]) rows.push(await compareAt(connections, portico, bare, load, headers));
  return rows;
};

const whole = (value: number | null) => (value === null ? '-' : Math.round(value).toLocaleString('en'));

const both = (one: Figure, other: Figure, shown: (figure: Figure) => string) => `${shown(one)} / ${shown(other)}`;

/** One line an operation. Where two figures stand, the first is Portico's and the second the bare program's. */
export const printRows = (rows: readonly Row[]) => {
  const table = [
    [
      'operation',
      'connections',
      'requests/s',
      'ratio',
      'goal',
      'CPU ms per 1,000',
      'of PostgreSQL',
      'p50 ms',
      'p99 ms',
      'read beside, per s',
    ],
    ...rows.map(({ name, connections, portico, bare, ratio, goal }) => [
      name,
      String(connections),
      both(portico, bare, ({ perSecond }) => whole(perSecond)),
      ratio.toFixed(2),
      goal === null ? '-' : `≥ ${goal}${ratio >= goal ? '' : '  missed'}`,
      both(portico, bare, ({ cpu }) => whole(cpu)),
      both(portico, bare, ({ databaseCpu }) => whole(databaseCpu)),
      both(portico, bare, ({ p50 }) => whole(p50)),
      both(portico, bare, ({ p99 }) => whole(p99)),
      both(portico, bare, ({ beside }) => whole(beside)),
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('   '),
    );
};
