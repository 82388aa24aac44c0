import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { agentRepository } from '../../src/adapters/postgres/repositories/agent-repository.ts';
import { budgetRepository } from '../../src/adapters/postgres/repositories/budget-repository.ts';
import { connectionRepository } from '../../src/adapters/postgres/repositories/connection-repository.ts';
import { conversationRepository } from '../../src/adapters/postgres/repositories/conversation-repository.ts';
import { conversationTurns } from '../../src/adapters/postgres/repositories/conversation-turns.ts';
import { databaseRepository } from '../../src/adapters/postgres/repositories/database-repository.ts';
import { userRepository } from '../../src/adapters/postgres/repositories/user-repository.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { type ConversationService, conversationService } from '../../src/application/conversations/conversations.ts';
import type { TurnObserver } from '../../src/application/conversations/exchange.ts';
import type { ConversationTurns } from '../../src/application/ports/conversations.ts';
import type { Models } from '../../src/application/ports/models.ts';
import { toolService } from '../../src/application/tools/tools.ts';
import { readers } from '../../src/application/turns/readers.ts';
import { turn } from '../../src/application/turns/turn.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Message } from '../../src/domain/conversation.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { aConversation, aUser, aWorkspace, storeUser } from './builders.ts';
import { quiet } from './log.ts';
import { type ToolWorld, toolWorld } from './tools.ts';

export interface TalkOptions extends ToolWorld {
  readonly models: Models;
  readonly model?: string;
  readonly tools?: readonly JsonValue[];
  readonly maxSteps?: number;
  readonly leaseSeconds?: number;
  readonly toolSeconds?: number;
}

export interface Talk {
  readonly id: string;
  readonly caller: Caller;
  readonly service: ConversationService;
  readonly turns: ConversationTurns;
  /** Another process on the same database. */
  another(): ConversationService;
  send(text: string, observer?: TurnObserver): ReturnType<ConversationService['send']>;
  /** Another member of the workspace. */
  somebodyElse(): Promise<Caller>;
  stored(): Promise<readonly Message[]>;
  row(): Promise<{ status: string; begun: readonly string[]; summary: string | null; input: number; output: number }>;
}

/** A conversation with an assistant, on a real database; its files are nowhere and its other means are doubles. */
export const aTalk = async (database: Database, options: TalkOptions): Promise<Talk> => {
  const {
    models,
    model = 'offline',
    tools = [],
    maxSteps = 20,
    leaseSeconds = 30,
    toolSeconds = 10,
    ...world
  } = options;
  const cast = await aWorkspace(database, { agent: { workflowType: 'assistant', documentSchema: null, model, tools } });
  const { id, user, agent } = await aConversation(database, cast);
  const { sources } = toolWorld(world);
  const clock = { now: () => new Date() };
  const common = { ids: uuidIds, clock, log: quiet };
  const conversations = conversationRepository(database);
  const turns = conversationTurns(database);
  const files = { read: async () => [], mustBeReadable() {} };
  const see = readers({ connections: connectionRepository(database), databases: databaseRepository(database) });
  const make = () => {
    const service = toolService({ ...sources, clock, log: quiet, settings: { toolTimeoutSeconds: toolSeconds } });
    const turning = turn({
      ...common,
      models,
      files,
      tools: service,
      readers: see,
      schemas: ajvSchemas(),
      settings: { turnMaxSteps: maxSteps },
    });
    const settings = { conversationLeaseSeconds: leaseSeconds, approvalHours: 24 };
    const users = userRepository(database);
    return conversationService({
      ...common,
      conversations,
      turns,
      users,
      budgets: budgetRepository(database),
      readers: see,
      agents: agentRepository(database),
      models,
      turn: turning,
      links: { approval: (approval) => `https://portico.example/console/approvals/${approval}` },
      settings,
    });
  };
  const service = make();
  const who = { userId: user.id, workspaceId: agent.workspaceId, email: user.email, role: 'admin' as const };
  const caller: Caller = {
    ...who,
    credential: { id: 'k', kind: 'api_key' },
    door: 'api_key',
    signedInAt: null,
    scopes: null,
    boundToAgent: null,
  };
  return {
    id,
    caller,
    service,
    turns,
    another: make,
    send: (text, observer) => service.send(caller, id, text, observer),
    async somebodyElse() {
      const other = aUser({ workspaceId: agent.workspaceId, name: 'Bob' });
      await storeUser(database, other);
      return { ...caller, userId: other.id, email: other.email };
    },
    async stored() {
      const all: Message[] = [];
      for await (const page of conversations.messages(id)) all.push(...page);
      return all;
    },
    async row() {
      const columns = 'status, begun, summary, input_tokens::int as input, output_tokens::int as output';
      const { rows } = await database.pool.query(`select ${columns} from conversations where id = $1`, [id]);
      return rows[0];
    },
  };
};
