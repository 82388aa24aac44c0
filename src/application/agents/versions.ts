import { callerAsDoer } from '../../domain/audit.ts';
import { type Caller, mustBeAdmin } from '../../domain/caller.ts';
import { DomainError, mustExist, notFound } from '../../domain/errors.ts';
import type { AgentVersionRepository, CursorPage, StoredVersion } from '../ports/storage.ts';
import {
  changesBetween,
  type DefinitionChecks,
  presentErrors,
  type Seen,
  shownChanges,
  shownDefinition,
} from './definitions.ts';

interface Dependencies extends DefinitionChecks {
  readonly versions: AgentVersionRepository;
}

export const agentVersionService = ({ versions, ...checks }: Dependencies) => {
  const { sealer } = checks;

  /** `changes`: JSON Pointers of what the version before has otherwise; none for the first. */
  const summaryOf = (stored: StoredVersion, before: StoredVersion | undefined, seen: Seen) => {
    const { version, live, createdAt, createdBy, ...definition } = stored;
    const changes = before ? changesBetween(before, definition, sealer) : [];
    return {
      version,
      live,
      createdAt,
      createdBy,
      changes: shownChanges(changes, [stored.connectionName, before?.connectionName ?? null], seen),
    };
  };

  const seenBy = async ({ workspaceId, userId, role }: Caller): Promise<Seen> => ({
    ...(await versions.nameable(workspaceId, userId)),
    hosts: role === 'admin',
  });

  /** The newest of those before `below`, each with the one before it. */
  const read = async (caller: Caller, agentId: string, below: number | null, limit: number) => {
    const rows = mustExist(await versions.listVisible(caller, agentId, below, limit + 1), 'agent');
    return { page: rows.slice(0, limit), before: (index: number) => rows[index + 1] };
  };

  const one = async (caller: Caller, agentId: string, version: number | null) => {
    const [{ page, before }, seen] = await Promise.all([
      read(caller, agentId, version && version + 1, 1),
      seenBy(caller),
    ]);
    const [stored] = page;
    if (!stored || (version !== null && stored.version !== version)) throw notFound('version of the agent');
    const { connectionName } = stored;
    return {
      stored,
      detail: {
        ...summaryOf(stored, before(0), seen),
        definition: shownDefinition(stored, connectionName, seen, sealer),
      },
    };
  };

  const mustWork = async ({ workspaceId }: Caller, stored: StoredVersion) => {
    const errors = presentErrors(stored, await versions.nameable(workspaceId), checks);
    if (errors.length === 0) return;
    const reasons = errors.map(({ path, message }) => `${path}: ${message.replace(/\.$/, '')}`).join('; ');
    throw new DomainError('conflict', `Version ${stored.version} would not work any more: ${reasons}.`);
  };

  return {
    /** Newest first, those before `after`; `next` is the `after` of the next page. */
    async list(caller: Caller, agentId: string, { limit, after }: CursorPage<number>) {
      const [{ page, before }, seen] = await Promise.all([read(caller, agentId, after, limit), seenBy(caller)]);
      const last = page.at(-1)?.version ?? 1;
      return {
        versions: page.map((version, index) => summaryOf(version, before(index), seen)),
        next: last > 1 ? last : null,
      };
    },

    get: async (caller: Caller, agentId: string, version: number) => (await one(caller, agentId, version)).detail,

    /** Makes the definition of a version the newest version; the live one, if that has the same definition already. Refused if it would not work today. */
    async publish(caller: Caller, agentId: string, version: number) {
      mustBeAdmin(caller);
      const wanted = await one(caller, agentId, version);
      const live = await one(caller, agentId, null);
      if (changesBetween(live.stored, wanted.stored, sealer).length === 0) return live.detail;
      await mustWork(caller, wanted.stored);
      return (await one(caller, agentId, await versions.publish(agentId, version, callerAsDoer(caller)))).detail;
    },
  };
};

export type AgentVersionService = ReturnType<typeof agentVersionService>;
