import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityData, EntityManager, EntitySchema, FilterQuery, RequiredEntityData } from '@mikro-orm/postgresql';
import type { WorkspaceChanges, WorkspaceRepository, WorkspaceState } from '../../../application/ports/storage.ts';
import { lastAdmin, type User, type Workspace } from '../../../domain/access.ts';
import type { Agent } from '../../../domain/agent.ts';
import { DomainError } from '../../../domain/errors.ts';
import { toolJson } from '../../../domain/tool-json.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as keyBackfills from '../statements/key-backfill-statements.ts';
import * as people from '../statements/people-statements.ts';
import { noteBudgets } from '../statements/usage-upkeep-statements.ts';
import * as sql from '../statements/workspace-statements.ts';
import {
  type AgentRow,
  AgentTable,
  BudgetTable,
  ConnectionTable,
  DatabaseTable,
  definitionNames,
  SourceTable,
  type UserColumns,
  UserTable,
  WebhookTable,
  WorkspaceTable,
} from '../tables/entities.ts';
import { recordIn } from './acts.ts';
import { agentOf } from './agent-repository.ts';

const stateOf = async (em: EntityManager, workspace: Workspace): Promise<WorkspaceState> => {
  const there = { workspaceId: workspace.id };
  const plain = <T extends object>(rows: readonly T[]): readonly T[] => rows.map((row) => ({ ...row }));
  return {
    workspace: { ...workspace },
    users: plain(await em.find(UserTable, there, { orderBy: { email: 'asc' }, populate: ['fromFile', 'disabledAt'] })),
    connections: plain(await em.find(ConnectionTable, there, { orderBy: { name: 'asc' } })),
    databases: plain(await em.find(DatabaseTable, there, { orderBy: { id: 'asc' } })),
    agents: (await em.find(AgentTable, there, { orderBy: { name: 'asc' } })).map(agentOf),
    sources: plain(await em.find(SourceTable, there, { orderBy: { name: 'asc' } })),
    webhooks: plain(await em.find(WebhookTable, there, { orderBy: { address: 'asc', id: 'asc' } })),
    budgets: plain(await em.find(BudgetTable, there, { orderBy: { name: 'asc' } })),
  };
};

const rowOf = (agent: Agent): AgentRow => ({ ...agent, tools: agent.tools.map(toolJson) });

const retire = (
  em: EntityManager,
  table: 'agents' | 'connections' | 'sources' | 'users' | 'webhooks',
  workspace: Workspace,
  ids: readonly string[] = [],
) =>
  sqlIn<{ id: string }>(
    em,
    `update ${table} set removed_at = now() where workspace_id = $1 and id = any ($2::uuid[]) and removed_at is null returning id`,
    [workspace.id, ids],
  );

const remove = async (em: EntityManager, workspace: Workspace, ids: WorkspaceChanges['remove']) => {
  await retire(em, 'webhooks', workspace, ids.webhooks);
  await sqlIn(em, 'delete from budgets where workspace_id = $1 and id = any ($2::uuid[])', [
    workspace.id,
    ids.budgets ?? [],
  ]);
  await retire(em, 'sources', workspace, ids.sources);
  await retire(em, 'agents', workspace, ids.agents);
  await sqlIn(em, 'delete from databases where workspace_id = $1 and id = any ($2::text[])', [
    workspace.id,
    ids.databases ?? [],
  ]);
  await retire(em, 'connections', workspace, ids.connections);
  const users = (await retire(em, 'users', workspace, ids.users)).map(({ id }) => id);
  for (const ending of sql.endings) await sqlIn(em, ending, [users]);
};

/** What is written of an agent. A definition that stays is left out: in other words it would look like another one. */
const agentChanges =
  (em: EntityManager) =>
  async (agent: AgentRow): Promise<Partial<AgentRow>> => {
    const stored = await em.findOneOrFail(AgentTable, { id: agent.id }, { disableIdentityMap: true });
    const definitionOf = (row: AgentRow) => JSON.stringify(definitionNames.map((name) => row[name]));
    if (definitionOf(rowOf(agentOf(stored))) !== definitionOf(agent)) return agent;
    return Object.fromEntries(Object.entries(agent).filter(([name]) => !definitionNames.some((each) => each === name)));
  };

type Row = Pick<User, 'id' | 'workspaceId'>;
type Given<T> = Omit<T, Exclude<keyof UserColumns, 'fromFile'>> & Row;

const saver = (em: EntityManager, workspace: Workspace) => {
  return async <T extends Row>(
    schema: EntitySchema<T>,
    revival: string,
    rows: readonly Given<T>[] = [],
    changesOf: (row: Given<T>) => Partial<Given<T>> | Promise<Partial<Given<T>>> = (row) => row,
  ) => {
    const present = await sqlIn<{ id: string }>(em, revival, [workspace.id, rows.map(({ id }) => id)]);
    const there = new Set(present.map(({ id }) => id));
    for (const item of rows) {
      const row = { ...item, workspaceId: workspace.id };
      const key = { id: row.id, workspaceId: workspace.id } as FilterQuery<T>;
      if (there.has(row.id)) await em.nativeUpdate(schema, key, (await changesOf(row)) as EntityData<T>);
      else await em.insert(schema, row as RequiredEntityData<T>);
    }
  };
};

const clashes: Readonly<Record<string, string>> = {
  workspaces_name_key: 'A workspace of that name was created meanwhile: apply the file again.',
  users_email: 'An email belongs to another user of this server.',
  connections_name: 'A connection of that name was made meanwhile: apply the file again.',
  sources_name: 'A source of that name was made meanwhile: apply the file again.',
  agents_name: 'An agent of that name was made meanwhile: apply the file again.',
};

const conflictOf = (error: unknown): unknown => {
  if (!(error instanceof UniqueConstraintViolationException)) return error;
  const constraint = 'constraint' in error ? String(error.constraint) : '';
  const detail = clashes[constraint] ?? 'An id in the file is that of something else, or of another workspace.';
  return new DomainError('conflict', detail, { cause: error });
};

/** Applies of one workspace wait for each other: its name is locked, because it may not have a row yet. */
const LOCK_SPACE = 7_000_002;

const applyIn = async (em: EntityManager, workspace: Workspace, { save, remove: ids }: WorkspaceChanges) => {
  await sqlIn(em, 'select pg_advisory_xact_lock(hashtextextended($1, $2))', [workspace.name, LOCK_SPACE]);
  const known = await sqlIn(em, 'select 1 from workspaces where id = $1', [workspace.id]);
  if (known.length === 0) await em.insert(WorkspaceTable, workspace);
  else {
    const { prices, retention } = workspace;
    await em.nativeUpdate(WorkspaceTable, { id: workspace.id }, { prices, retention });
  }
  await sqlIn(em, people.lockWorkspace, [workspace.id]);
  const administrators = () => sqlIn(em, people.administrators, [workspace.id]);
  const before = await administrators();
  await remove(em, workspace, ids);
  const put = saver(em, workspace);
  await put(UserTable, sql.revive.users, save.users);
  await put(ConnectionTable, sql.revive.connections, save.connections);
  await put(DatabaseTable, sql.revive.databases, save.databases);
  await put(AgentTable, sql.revive.agents, save.agents?.map(rowOf), agentChanges(em));
  await sqlIn(em, keyBackfills.begin, [workspace.id]);
  await put(SourceTable, sql.revive.sources, save.sources);
  await put(WebhookTable, sql.revive.webhooks, save.webhooks);
  await put(BudgetTable, sql.revive.budgets, save.budgets);
  await sqlIn(em, noteBudgets, [workspace.id]);
  if (before.length > 0 && (await administrators()).length === 0) throw lastAdmin();
};

export const workspaceRepository = (
  database: Pick<Database, 'query' | 'mapper' | 'transaction'>,
): WorkspaceRepository => ({
  findByName: (name) =>
    database.transaction(async (em) => {
      await em.execute('set transaction isolation level repeatable read read only');
      const workspace = await em.findOne(WorkspaceTable, { name });
      return workspace && stateOf(em, workspace);
    }),
  async removedAgents(workspaceId, ids) {
    const removed = { workspaceId, id: { $in: [...ids] }, removedAt: { $ne: null } };
    return (await database.mapper.find(AgentTable, removed, { filters: false })).map(agentOf);
  },
  async taken(emails, ids, exceptWorkspaceId) {
    const rows = await database.query<{ name: string }>(sql.taken, [emails, exceptWorkspaceId, ids.filter(isId)]);
    return rows.map(({ name }) => name);
  },
  apply: (workspace, changes, acts = []) =>
    database
      .transaction(async (em) => {
        await applyIn(em, workspace, changes);
        await recordIn(em, acts);
      })
      .catch((error: unknown) => {
        throw conflictOf(error);
      }),
  any: async () => (await database.query(sql.any, [])).length > 0,
});
