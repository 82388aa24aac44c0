import { standingWords } from '../../domain/budget.ts';
import { messageOf } from '../../domain/errors.ts';
import type { KeyService } from '../access/keys.ts';
import { decisionText, sourcesOf } from '../agents/declarations.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { BudgetRepository } from '../ports/budgets.ts';
import type { Connectors, Hop } from '../ports/connectors.ts';
import type { Check, EquippedAgent, Examination, Gateway } from '../ports/doctor.ts';
import type { Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { SourceQueue, SourceRepository, Sources } from '../ports/sources.ts';
import type { AgentRepository, ConnectionOf, ConnectionRepository } from '../ports/storage.ts';
import { deadline } from '../shared/async.ts';
import { opened as unsealed } from '../shared/opened.ts';
import { keptToken } from '../sources/kept-token.ts';
import { isGuarded } from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
import type { WebhookService } from '../webhooks/webhooks.ts';

interface Dependencies {
  /** In the order in which they are tried, before what the workspaces have. */
  readonly parts: readonly Examination[];
  readonly connections: Pick<ConnectionRepository, 'all'>;
  readonly connectors: Connectors;
  /** null if connections are read from here alone. */
  readonly gateway: Gateway | null;
  readonly keys: Pick<KeyService, 'create' | 'revoke'>;
  /** The agents of every workspace that have tools. */
  readonly equippedAgents: () => Promise<readonly EquippedAgent[]>;
  readonly agents: Pick<AgentRepository, 'find'>;
  readonly tools: Pick<ToolService, 'toolsOf'>;
  readonly webhooks: Pick<WebhookService, 'list'>;
  readonly budgets: Pick<BudgetRepository, 'all'>;
  readonly sources: Pick<SourceRepository, 'all'>;
  readonly sourceTokens: Pick<SourceQueue, 'keepToken'>;
  readonly places: Pick<Sources, 'open'>;
  readonly sealer: Sealer;
}

const SECONDS = 60;

const statusOf: Record<Hop['status'], Check['status']> = { ok: 'ok', warn: 'warn', fail: 'fail', skipped: 'ok' };

const tried = async ({ name, examine }: Examination): Promise<readonly Check[]> => {
  try {
    const detail = await examine();
    return typeof detail === 'string' ? [{ name, status: 'ok', detail }] : detail;
  } catch (error) {
    return [{ name, status: 'fail', detail: messageOf(error) }];
  }
};

const inTurn = async <T>(items: readonly T[], examine: (item: T) => Promise<readonly Check[]>) => {
  const checks: Check[] = [];
  for (const item of items) checks.push(...(await examine(item)));
  return checks;
};

export interface FileStore {
  readonly name: string;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  check(): Promise<void>;
}

/** Writes an object, reads it back and removes it. */
export const fileStoreExamination = ({ name, blobs, ids, check }: FileStore): Examination => ({
  name: 'file store',
  async examine() {
    await check();
    const key = `doctor/${ids.next()}`;
    const since = performance.now();
    await blobs.write(key, new TextEncoder().encode('portico'), 'text/plain');
    const back = await blobs.read(key).finally(() => blobs.remove(key));
    const took = Math.round((performance.now() - since) * 10) / 10;
    if (back?.length !== 7) throw new Error(`${name}: an object did not come back`);
    return `${name}: an object was written, read and removed in ${took} ms`;
  },
});

/** Every part that this configuration needs, tried for real. */
export const doctorService = (dependencies: Dependencies) => {
  const { connections, connectors, gateway, keys } = dependencies;

  const fromHere = (name: string, connection: ConnectionOf) =>
    tried({
      name,
      async examine() {
        const hops = await connectors.open(connection).examine(deadline(SECONDS), connection.isWritten);
        return hops.map((hop) => ({ name: `${name}: ${hop.name}`, status: statusOf[hop.status], detail: hop.detail }));
      },
    });

  /** Asks the gateway for one record, as a user who sees the connection, with a key that is revoked after the answer. */
  const throughGateway = (name: string, connection: ConnectionOf, { readRecord }: Gateway) =>
    tried({
      name,
      async examine() {
        const warning = (detail: string): readonly Check[] => [{ name, status: 'warn', detail }];
        const { id, viewerEmail: email } = connection;
        if (email === null) return warning('no user sees this connection, so none can read it through the gateway');
        const made = await keys.create({ email, name: 'doctor', lifetimeDays: 1, scopes: null });
        try {
          const signal = deadline(SECONDS);
          const [table] = await connectors.open(connection).tables(signal);
          if (!table) return warning('it has no table to read');
          const status = await readRecord(id, `${table.schema}.${table.name}`, made.key, signal);
          if (status < 200 || status > 299) throw new Error(`it answered ${status}`);
          return 'a record was read';
        } finally {
          await keys.revoke(made.id);
        }
      },
    });

  /** A connection, hop by hop, from here and through the gateway if there is one. */
  const connectionChecks = async (connection: ConnectionOf): Promise<readonly Check[]> => {
    const name = `connection ${connection.workspace}/${connection.name}`;
    const near = await fromHere(name, connection);
    return gateway === null
      ? near
      : [...near, ...(await throughGateway(`${name}: through the gateway`, connection, gateway))];
  };

  const toolChecks = async ({ id, userId, workspaceId, email, role, ...equipped }: EquippedAgent) => {
    const name = `tools of ${equipped.workspace}/${equipped.name}`;
    const agent = await dependencies.agents.find(id);
    const warning = (detail: string): Check => ({ name, status: 'warn', detail });
    if (!agent || userId === null) return [warning('no user sees this agent, so none can use its tools')];
    const { tools, reports } = await dependencies.tools.toolsOf(agent, {
      userId,
      email,
      role,
      workspaceId,
      credential: { id: 'doctor', kind: 'operator' },
      door: 'command',
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    });
    const defects = reports.map(({ tool, message, severity }): Check => {
      const isUsable = severity !== 'left out' && severity !== 'out of reach';
      return { name, status: isUsable ? 'warn' : 'fail', detail: `${tool} ${message}` };
    });
    const undecided = tools.filter((tool) => isGuarded(tool) && tool.untrusted === null && !tool.requiresApproval);
    const decision = { sources: sourcesOf(agent.tools), tools: undecided.map((tool) => tool.name) };
    const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
    const sound: Check = { name, status: 'ok', detail: `${count}, as ${email} sees them` };
    return [
      ...(defects.length > 0 ? defects : [sound]),
      ...(undecided.length > 0 ? [warning(`a decision is open: ${decisionText(decision)}`)] : []),
    ];
  };

  /** The tools of each agent, as they are offered to a user who sees it; the servers of tools are asked for theirs. */
  const tools = async (): Promise<readonly Check[]> => inTurn(await dependencies.equippedAgents(), toolChecks);

  /** The webhooks of every workspace: a disabled one is sent nothing. */
  const webhooks = async (): Promise<readonly Check[]> =>
    (await dependencies.webhooks.list()).map(
      ({ workspace, address, pending, failed, disabledAt, disabledReason }): Check => {
        const name = `webhook ${workspace}/${address}`;
        if (disabledAt === null)
          return { name, status: 'ok', detail: `${pending} events wait, ${failed} were given up` };
        const detail = `disabled since ${disabledAt.toISOString()}: ${disabledReason} To enable it, apply the workspace file.`;
        return { name, status: 'warn', detail };
      },
    );

  /** The budgets of every workspace: the agents of one that is spent stand still, if it stops them. */
  const budgets = async (): Promise<readonly Check[]> =>
    (await dependencies.budgets.all()).map((budget): Check => {
      const name = `budget ${budget.workspace}/${budget.name}`;
      return { name, status: budget.state === 'within' ? 'ok' : 'warn', detail: standingWords(budget) };
    });

  /** The sources of every workspace, opened as for a look. */
  const sources = async (): Promise<readonly Check[]> =>
    inTurn(await dependencies.sources.all(), (source) =>
      tried({
        name: `source ${source.workspace}/${source.name}`,
        async examine() {
          const { sealer, sourceTokens: queue, places } = dependencies;
          const place = JSON.parse(unsealed(sealer, source.sealedPlace, 'source'));
          const token = keptToken(source, { queue, sealer });
          const opened = await places.open({ place, after: source.after, token }, deadline(SECONDS));
          await opened.close();
          return `${source.address} can be looked at`;
        },
      }),
    );

  return {
    tools,
    webhooks,
    budgets,
    sources,
    /** Every check is made, whatever the others find. */
    examine: async (): Promise<readonly Check[]> => [
      ...(await inTurn(dependencies.parts, tried)),
      ...(await inTurn(await connections.all(), connectionChecks)),
      ...(await tools()),
      ...(await webhooks()),
      ...(await budgets()),
      ...(await sources()),
    ],
  };
};
