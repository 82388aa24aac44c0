import { randomUUID } from 'node:crypto';
import type { Check } from '../adapters/cli/dependencies.ts';
import { agentsWithTools, type EquippedAgent } from '../adapters/postgres/agents.ts';
import { hearsThrough } from '../adapters/postgres/listener.ts';
import { pending } from '../adapters/postgres/migrator.ts';
import { examineServer, ping, versionOf } from '../adapters/postgres/server.ts';
import { examineRedis } from '../adapters/rate-limiter/redis-connection.ts';
import { decisionText, sourcesOf } from '../application/agents/declarations.ts';
import type { Hop } from '../application/ports/connectors.ts';
import type { ConnectionOf } from '../application/ports/storage.ts';
import { deadline } from '../application/shared/async.ts';
import { isGuarded } from '../application/tools/tool.ts';
import { messageOf } from '../domain/errors.ts';
import type { Config } from './config.ts';
import type { Composition } from './container.ts';
import { KeyService } from './modules/access.ts';
import { BlobStore } from './modules/blobs.ts';
import { ToolService } from './modules/conversations.ts';
import { Connectors } from './modules/outside.ts';
import { AgentRepository, ConnectionRepository } from './modules/postgres.ts';
import { WebhookService } from './modules/webhooks.ts';

/** `examine` answers how the part is if it can be used, and throws why it cannot. */
const check = async (name: string, examine: () => Promise<string>): Promise<Check> => {
  try {
    return { name, status: 'ok', detail: await examine() };
  } catch (error) {
    return { name, status: 'fail', detail: messageOf(error) };
  }
};

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, took: string]> => {
  const since = performance.now();
  const done = await work();
  return [done, `${Math.round((performance.now() - since) * 10) / 10} ms`];
};

const database = async ({ databaseUrl }: Config, { database: at }: Composition) => {
  const { version, tls } = await examineServer(at);
  const through = at.way.isPooled ? ', through a pooler' : '';
  await ping(at);
  const [, took] = await timed(() => ping(at));
  const line = databaseUrl === null ? 'embedded' : tls === null ? 'not encrypted' : `encrypted with ${tls}`;
  return `PostgreSQL ${versionOf(version)}, ${line}${through}, answers in ${took}`;
};

/** What does not work as it does without a pooler such as PgBouncer, and what helps. */
const pooler = async ({ database: at }: Composition): Promise<readonly Check[]> => {
  if (!at.way.isPooled) return [];
  const { hasTimeLimit } = await examineServer(at);
  const hears = await hearsThrough(at);
  const found = [
    at.way.keepsStatements
      ? null
      : 'it keeps no prepared statements, so each is planned anew: PgBouncer 1.21 and later keeps them in transaction mode',
    hasTimeLimit
      ? null
      : 'statements have no time limit on the server: set one for the role, as docs/pgbouncer.md says',
    hears
      ? null
      : 'notifications do not arrive, so changes are noticed by polling and nothing is cached: pool_mode = session passes them on',
  ].filter((detail) => detail !== null);
  if (found.length === 0)
    return [{ name: 'pooler', status: 'ok', detail: 'statements stay prepared, notifications arrive' }];
  return found.map((detail): Check => ({ name: 'pooler', status: 'warn', detail }));
};

const migrations = async (composition: Composition) => {
  const todo = await pending(composition.database);
  if (todo.length > 0) throw new Error(`not applied: ${todo.join(', ')}`);
  return 'up to date';
};

/** Writes an object, reads it back and removes it. */
const files = async ({ s3Bucket }: Config, { container, checkFiles }: Composition) => {
  await checkFiles();
  const blobs = container.get(BlobStore);
  const key = `doctor/${randomUUID()}`;
  const [back, took] = await timed(async () => {
    await blobs.write(key, new TextEncoder().encode('portico'), 'text/plain');
    return blobs.read(key).finally(() => blobs.remove(key));
  });
  const where = s3Bucket === null ? 'files under DATA_DIR' : `bucket "${s3Bucket}"`;
  if (back?.length !== 7) throw new Error(`${where}: an object did not come back`);
  return `${where}: an object was written, read and removed in ${took}`;
};

const limits = async ({ redisUrl, redisPrefix }: Config) => {
  if (redisUrl === null) return 'counted in each process: for several processes set REDIS_URL';
  const milliseconds = await examineRedis(redisUrl, redisPrefix);
  return `counted in Redis, which answers in ${Math.round(milliseconds * 10) / 10} ms`;
};

const models = ({ openaiApiKey, openaiBaseUrl, anthropicApiKey }: Config) =>
  [
    { name: 'model offline', ready: true, key: '' },
    {
      name: 'models openai/…',
      ready: openaiApiKey !== null || openaiBaseUrl !== null,
      key: 'OPENAI_API_KEY or OPENAI_BASE_URL',
    },
    { name: 'models anthropic/…', ready: anthropicApiKey !== null, key: 'ANTHROPIC_API_KEY' },
  ].map(
    ({ name, ready, key }): Check => ({
      name,
      status: ready ? 'ok' : 'warn',
      detail: ready ? 'configured' : `not configured: set ${key}`,
    }),
  );

const SECONDS = 60;

const statusOf: Record<Hop['status'], Check['status']> = { ok: 'ok', warn: 'warn', fail: 'fail', skipped: 'ok' };

const fromHere = async (connection: ConnectionOf, { container }: Composition): Promise<readonly Check[]> => {
  const name = `connection ${connection.workspace}/${connection.name}`;
  try {
    const hops = await container.get(Connectors).open(connection).examine(deadline(SECONDS), connection.isWritten);
    return hops.map((hop) => ({ name: `${name}: ${hop.name}`, status: statusOf[hop.status], detail: hop.detail }));
  } catch (error) {
    return [{ name, status: 'fail', detail: messageOf(error) }];
  }
};

/** Asks the gateway for one record, as a user who sees the connection, with a key that is revoked after the answer. */
const throughGateway = async (
  connection: ConnectionOf,
  gateway: string,
  { container }: Composition,
): Promise<Check> => {
  const name = `connection ${connection.workspace}/${connection.name}: through the gateway`;
  const { viewerEmail: email } = connection;
  if (email === null)
    return { name, status: 'warn', detail: 'no user sees this connection, so none can read it through the gateway' };
  const keys = container.get(KeyService);
  const { id, key } = await keys.create({ email, name: 'doctor', lifetimeDays: 1, scopes: null });
  try {
    const signal = deadline(SECONDS);
    const [table] = await container.get(Connectors).open(connection).tables(signal);
    if (!table) return { name, status: 'warn', detail: 'it has no table to read' };
    const query = new URLSearchParams({ entity_id: `${table.schema}.${table.name}`, limit: '1' });
    const url = `${gateway}/v1/connections/${connection.id}/records?${query}`;
    const answer = await fetch(url, { headers: { 'x-api-key': key }, redirect: 'error', signal });
    await answer.body?.cancel();
    return answer.ok
      ? { name, status: 'ok', detail: 'a record was read' }
      : { name, status: 'fail', detail: `it answered ${answer.status}` };
  } catch (error) {
    return {
      name,
      status: 'fail',
      detail: error instanceof TypeError ? 'the gateway could not be reached' : messageOf(error),
    };
  } finally {
    await keys.revoke(id);
  }
};

/** Each connection of every workspace, hop by hop, from here and through the gateway if there is one. */
const examineConnections = async ({ egressUrl }: Config, composition: Composition): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const connection of await composition.container.get(ConnectionRepository).all()) {
    checks.push(...(await fromHere(connection, composition)));
    if (egressUrl !== null) checks.push(await throughGateway(connection, egressUrl, composition));
  }
  return checks;
};

const toolsOf = async (found: EquippedAgent, { container }: Composition): Promise<readonly Check[]> => {
  const name = `tools of ${found.workspace}/${found.name}`;
  const agent = await container.get(AgentRepository).find(found.id);
  const { userId, email, role, workspaceId } = found;
  if (!agent || userId === null)
    return [{ name, status: 'warn', detail: 'no user sees this agent, so none can use its tools' }];
  const credential = { id: 'doctor', kind: 'operator' as const };
  const caller = {
    userId,
    email,
    role,
    workspaceId,
    credential,
    door: 'command' as const,
    signedInAt: null,
    scopes: null,
    boundToAgent: null,
  };
  const { tools, reports } = await container.get(ToolService).toolsOf(agent, caller);
  const errors = reports.map(
    ({ tool, message, severity }): Check => ({
      name,
      status: severity === 'left out' || severity === 'out of reach' ? 'fail' : 'warn',
      detail: `${tool} ${message}`,
    }),
  );
  const undecided = tools
    .filter((tool) => isGuarded(tool) && tool.untrusted === null && !tool.requiresApproval)
    .map((tool) => tool.name);
  const decision = decisionText({ sources: sourcesOf(agent.tools), tools: undecided });
  const open: readonly Check[] =
    undecided.length === 0 ? [] : [{ name, status: 'warn', detail: `a decision is open: ${decision}` }];
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  return [
    ...(errors.length > 0 ? errors : [{ name, status: 'ok' as const, detail: `${count}, as ${email} sees them` }]),
    ...open,
  ];
};

/** The tools of each agent, as they are offered to a user who sees it; the servers of tools are asked for theirs. */
export const examineTools = async (composition: Composition): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const found of await agentsWithTools(composition.database)) checks.push(...(await toolsOf(found, composition)));
  return checks;
};

/** The webhooks of every workspace: a disabled one is sent nothing. */
export const examineWebhooks = async ({ container }: Composition): Promise<readonly Check[]> => {
  const webhooks = await container.get(WebhookService).list();
  return webhooks.map(({ workspace, address, pending, failed, disabledAt, disabledReason }): Check => {
    const name = `webhook ${workspace}/${address}`;
    if (disabledAt === null) return { name, status: 'ok', detail: `${pending} events wait, ${failed} were given up` };
    const detail = `disabled since ${disabledAt.toISOString()}: ${disabledReason} To enable it, apply the workspace file.`;
    return { name, status: 'warn', detail };
  });
};

/** Every part that this configuration needs, tried for real. */
export const examine = async (config: Config, composition: Composition): Promise<readonly Check[]> => [
  await check('database', () => database(config, composition)),
  ...(await pooler(composition).catch(() => [])),
  await check('migrations', () => migrations(composition)),
  await check('file store', () => files(config, composition)),
  await check('limits', () => limits(config)),
  ...models(config),
  ...(await examineConnections(config, composition)),
  ...(await examineTools(composition)),
  ...(await examineWebhooks(composition)),
];
