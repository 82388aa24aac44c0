import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { applyTo, keyOn } from '../support/operator.ts';
import type { Environment } from '../support/program.ts';
import { embeddedUrl, type Server } from '../support/server.ts';
import type { SlowModel } from './model.ts';

/** A ledger that would take a document twice: that it never gets one twice is the server's doing. */
const ledgerTable =
  'create table entries (id bigint generated always as identity primary key, document_id uuid, unit text, entered_at timestamptz default now())';

/** The workspace file of the stage. */
export const workspace = (model: string) => `
workspace: errors
users:
  - { email: errors@example.com, name: Errors, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}", visible_to: everyone }
agents:
  - name: Reader
    description: Reads what a slow model reads
    workflow_type: document_extraction
    model: ${model}
    instructions: Read it.
    document_schema:
      type: object
      properties: { unit: { type: string }, read_by: { type: string } }
      required: [unit, read_by]
      additionalProperties: false
    system_of_record: { connection: ledger, entity: public.entries, columns: { unit: /unit }, document_id_column: document_id }
    visible_to: everyone
`;

/** The settings by which a server asks the slow model, under a key that tells who asks. */
export const asking = (model: SlowModel, key = 'server'): Environment => ({
  DEMO: 'false',
  OPENAI_BASE_URL: model.url,
  OPENAI_API_KEY: key,
});

export const sql = async <Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** Soon ends the lease that a killed or halted worker has on a run: a lease that ends in the past may be overlooked, as no lease does. */
export const endLease = (url: string, runId: string) =>
  sql(url, `update run_leases set expires_at = now() + interval '200 milliseconds' where run_id = $1`, [runId]);

export interface Stage {
  readonly baseUrl: string;
  readonly key: string;
  readonly agentId: string;
  /** Portico's own database, and the ledger beside it. */
  readonly database: string;
  readonly ledger: string;
}

/** Gives a server a workspace with one agent, a key and a ledger; no database is the server's embedded one. */
export const setUp = async (server: Server, given: string | null = null, model = 'openai/stub'): Promise<Stage> => {
  const database = given ?? (await embeddedUrl(server.dataDir));
  // Several stages may share one server of PostgreSQL.
  const name = `ledger_${randomBytes(6).toString('hex')}`;
  await sql(database, `create database ${name}`);
  const ledger = Object.assign(new URL(database), { pathname: `/${name}` }).href;
  await sql(ledger, ledgerTable);
  await applyTo(server, database, workspace(model), { LEDGER_URL: ledger });
  const key = await keyOn(server, database, 'errors@example.com');
  const answer = await fetch(`${server.baseUrl}/api/v1/agents`, { headers: { 'x-api-key': key } });
  const { data } = (await answer.json()) as { data: { agents: { id: string }[] } };
  return { baseUrl: server.baseUrl, key, agentId: data.agents[0]?.id ?? '', database, ledger };
};

/** What the system of record has locked: deliveries wait there. */
export const lockedLedger = async (stage: Pick<Stage, 'ledger'>) => {
  const ledger = new pg.Client({ connectionString: stage.ledger });
  ledger.on('error', () => {});
  await ledger.connect();
  await ledger.query('begin; lock table entries in access exclusive mode');
  return { release: () => ledger.end() };
};
