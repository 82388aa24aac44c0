import path from 'node:path';
import { applyTo } from '../support/operator.ts';
import { aServer, shortLease } from '../support/server.ts';
import { sql } from './stage.ts';

/** One agent, which reads what comes to the sources. */
const workspaceWith = (sources: Terms['sources']) => `
workspace: intake
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
    document_schema: { type: object, properties: { total: { type: number } } }
sources:
${Object.entries(sources)
  .map(([name, fields]) => `  - { name: ${name}, agent: Reader, every: 5s, ${fields} }`)
  .join('\n')}
`;

/** What came, as the database has it. */
export interface Item {
  readonly key: string;
  readonly name: string;
  readonly digest: string | null;
  readonly run_id: string | null;
  readonly why_not: string | null;
  readonly unsettled: boolean;
}

interface Run {
  readonly id: string;
  readonly file: string;
  readonly source: {
    readonly name: string;
    readonly key: string;
    readonly from: string | null;
    readonly subject: string | null;
  };
}

interface Terms {
  /** Where the servers keep their files. */
  readonly folder: string;
  readonly database: string;
  /** The fields of each source by its name, with the variables that they name. */
  readonly sources: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly count?: number;
}

/** Workers that look at sources, ready to be started, killed and started again. */
export const intakeWorkers = async ({ folder, database, sources, variables, env: over, count = 3 }: Terms) => {
  const env = { ...shortLease, DATABASE_URL: database, DEMO: 'false', ...over };
  const dataDir = path.join(folder, 'data');
  const api = await aServer({ role: 'api', dataDir, env });
  await api.start();
  await applyTo(api, database, workspaceWith(sources), variables, env);
  await api.close();
  const workers = await Promise.all(Array.from({ length: count }, () => aServer({ role: 'worker', dataDir, env })));
  return {
    start: () => Promise.all(workers.map((worker) => worker.start())),
    async killOne() {
      const worker = workers[Math.floor(Math.random() * count)];
      await worker?.kill();
      await worker?.start();
    },
    /** Their exit codes; null of one that had to be killed. */
    stop: () => Promise.all(workers.map((worker) => worker.stop())),
    logs: () => Promise.all(workers.map((worker) => worker.logs())),
    close: () => Promise.all(workers.map((worker) => worker.close())),
  };
};

export type IntakeWorkers = Awaited<ReturnType<typeof intakeWorkers>>;

/** In the order in which they came. */
export const items = (database: string) =>
  sql<Item>(database, 'select key, name, digest, run_id, why_not, unsettled from source_items order by place');

export const runs = (database: string) =>
  sql<Run>(database, `select id, files -> 0 ->> 'fileName' as file, source from runs order by created_at`);

/** How many runs have not ended. */
export const runsUnderWay = async (database: string): Promise<number> => {
  const [found] = await sql<{ open: number }>(
    database,
    'select count(*)::int as open from runs where completed_at is null',
  );
  return found?.open ?? 0;
};
