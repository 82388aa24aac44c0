import { actOf } from '../../domain/audit.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { DomainError, invalid, mustExist } from '../../domain/errors.ts';
import { unassignedDoubt } from '../../domain/routing/page-names.ts';
import { type AskedPart, inOrder, partErrors, signatureOf, unassignedContent } from '../../domain/routing/partition.ts';
import { runMachine } from '../../domain/run.ts';
import type { Ids } from '../ports/runtime.ts';
import type { AgentRepository, AgentVersionRepository, RunDetail, RunRepository } from '../ports/storage.ts';
import { readersOf } from './part-readers.ts';

interface Dependencies {
  readonly runs: Pick<RunRepository, 'findVisible' | 'repart'>;
  readonly agents: Pick<AgentRepository, 'findNamed'>;
  readonly versions: Pick<AgentVersionRepository, 'find'>;
  readonly ids: Ids;
  readonly limits: { readonly runDeadlineSeconds: number };
}

const stale = () =>
  new DomainError('precondition_failed', 'The run is not as it was when it was read: read it again.', {
    code: 'revision_changed',
  });

/** Refuses what is about a run that is no longer as the client read it; null: the client does not say how that was. */
const mustBeCurrent = (run: RunDetail, isCurrent: ((run: RunDetail) => boolean) | null) => {
  if (isCurrent === null) {
    const detail = 'The request does not say of which state of the run it is: send If-Match.';
    throw new DomainError('precondition_required', detail);
  }
  if (!isCurrent(run)) throw stale();
};

const conflict = (detail: string, code: 'conflict' | 'part_processed' = 'conflict') =>
  new DomainError('conflict', detail, { code });

/** Lets a person change what the files of a run were divided into. What changes is read again, by the version of its agent that is live now. */
export const runParts = ({ runs, agents, versions, ids, limits }: Dependencies) => {
  const get = async (caller: Caller, id: string) => mustExist(await runs.findVisible(caller, id), 'run');

  return async (
    caller: Caller,
    id: string,
    division: readonly AskedPart[],
    isCurrent: ((run: RunDetail) => boolean) | null,
  ): Promise<RunDetail> => {
    mustWrite(caller);
    const run = await get(caller, id);
    mustBeCurrent(run, isCurrent);
    if (run.workflowType !== 'document_routing') throw conflict('The agent of the run does not divide files.');
    if (!runMachine.isTerminal(run.status))
      throw conflict('The run is still under way: its parts can be changed once it has ended.');
    const { parts: kinds } = mustExist(await versions.find(run.agentId, run.agentVersion), 'run');
    const errors = partErrors(
      run.sheets,
      kinds.map(({ name }) => name),
      division,
    );
    if (errors.length > 0) throw invalid(...errors);
    const readers = await readersOf(agents, run.workspaceId, kinds);
    const wanted = division.map(inOrder);
    const known = new Set(run.parts.map(signatureOf));
    const missing = wanted.find((part) => !known.has(signatureOf(part)) && !readers.has(part.name));
    if (missing) throw conflict(`The agent that reads the part ${missing.name} is not there any more.`);
    const fileIndexes = new Map(run.sheets.map(({ fileName, fileIndex }) => [fileName, fileIndex]));
    const done = await runs.repart(id, {
      parts: wanted.map((part) => ({
        ...part,
        fileIndex: fileIndexes.get(part.fileName) ?? 0,
        reader: readers.get(part.name) ?? null,
      })),
      doubt: unassignedDoubt(unassignedContent(run.sheets, wanted)),
      revision: run.partsRevision,
      readingId: ids.next(),
      userId: caller.userId,
      deadlineSeconds: limits.runDeadlineSeconds,
      deed: actOf(caller, { action: 'document.trashed', details: { reason: 'parts_changed' } }),
    });
    if (done === 'stale') throw stale();
    if (done === 'processed') {
      const detail =
        'A document of a part that would change is processed, or is being processed: the part stays as it is.';
      throw conflict(detail, 'part_processed');
    }
    return get(caller, id);
  };
};

export type RunParts = ReturnType<typeof runParts>;
