import { percentile } from './compare.ts';
import type { Program } from './processes.ts';
import type { Seeded } from './seed.ts';
import { isSmall, sized } from './size.ts';

const figure = (ms: number) => ms.toFixed(1).padStart(9);

interface Wanted {
  /** Milliseconds. */
  readonly goal?: number | null;
  /** Of which of the two figures. */
  readonly of?: 'p50' | 'p99';
  readonly more?: string;
}

/** One line: the middle and the slow end of what was measured, and whether that is within the goal. */
export const print = (name: string, times: readonly number[], { goal = null, of = 'p99', more = '' }: Wanted = {}) => {
  const middle = percentile(times, 0.5);
  const slow = percentile(times, 0.99);
  const reached = of === 'p50' ? middle : slow;
  const wanted = goal === null || isSmall ? '' : `  goal ${of} ≤ ${goal} ms${reached <= goal ? '' : '  missed'}`;
  console.log(`${name.padEnd(52)} p50 ${figure(middle)} ms  p99 ${figure(slow)} ms${wanted}${more && `  ${more}`}`);
};

/** What a request takes, and what it answers. */
const asked = async ({ baseUrl }: Program, { apiKey }: Seeded, path: string) => {
  const began = performance.now();
  const answer = await fetch(`${baseUrl}/api/v1/${path}`, { headers: { 'x-api-key': apiKey } });
  const body = (await answer.json()) as { data: { next: string | null } };
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return { ms: performance.now() - began, next: body.data.next };
};

interface Page {
  readonly name: string;
  readonly path: string;
  readonly times?: number;
  readonly goal?: number;
}

const measure = async (program: Program, seeded: Seeded, { name, path, times = 200, goal }: Page) => {
  const took: number[] = [];
  // The first requests make the plans of the sessions.
  for (let n = 0; n < sized(10, 1); n += 1) await asked(program, seeded, path);
  for (let n = 0; n < sized(times, 2); n += 1) took.push((await asked(program, seeded, path)).ms);
  print(name, took, { goal: goal ?? null, of: 'p50' });
};

const PAGE_MS = 10;
const DEEP_MS = 500;

/** Pages of runs: the first, any by its cursor, and past many by `offset`. */
export const runPages = async (program: Program, seeded: Seeded, runs: number) => {
  const agent = `agent_id=${seeded.agentId}&`;
  const at = (part: number) => Math.floor(runs * part);
  for (const [name, query] of [
    ['first page', ''],
    ['first page of an agent', agent],
    ['first page of failed runs', 'status=failed&'],
    ['first page of an agent’s completed runs', `${agent}status=completed&`],
  ] as const)
    await measure(program, seeded, { name, path: `runs?${query}limit=20`, goal: PAGE_MS });
  for (const part of [0.1, 0.5, 0.99]) {
    const { next } = await asked(program, seeded, `runs?offset=${at(part)}&limit=20`);
    const name = `page after ${at(part).toLocaleString('en')} runs, by its cursor`;
    await measure(program, seeded, { name, path: `runs?limit=20&after=${next}`, goal: PAGE_MS });
  }
  for (const offset of [100_000, 1_000_000, at(0.999)].map((count) => Math.min(count, at(0.999))))
    await measure(program, seeded, {
      name: `offset=${offset.toLocaleString('en')}`,
      path: `runs?offset=${offset}&limit=20`,
      times: 20,
      ...(offset <= 1_000_000 && { goal: DEEP_MS }),
    });
};

/** Pages of documents: the first, and any by its cursor, which is that of a page so far along. */
export const documentPages = async (program: Program, seeded: Seeded, cursorAt: (part: number) => Promise<string>) => {
  const agent = `agent_id=${seeded.agentId}&`;
  for (const [name, query] of [
    ['first page', ''],
    ['first page of an agent', agent],
    ['first page of ready documents', 'status=ready&'],
  ] as const)
    await measure(program, seeded, {
      name: `${name} (documents)`,
      path: `documents?${query}limit=20`,
      goal: PAGE_MS,
    });
  for (const part of [0.1, 0.5, 0.99])
    await measure(program, seeded, {
      name: `page at ${Math.round(part * 100)} % of the documents, by its cursor`,
      path: `documents?limit=20&after=${await cursorAt(part)}`,
      goal: PAGE_MS,
    });
};
