import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import { commonTools } from '../../domain/common-tools.ts';
import type { Step } from '../../domain/event.ts';
import { reasonsFor, reviewOf } from '../../domain/review.ts';
import { concludeRun, type RunUnit } from '../../domain/run.ts';
import type { DocumentFindings } from '../documents/findings.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { UserRepository } from '../ports/people.ts';
import type { DocumentChanges, FinishedDocument, RunQueue, UnitOutcome, Work } from '../ports/queue.ts';
import type { Ids } from '../ports/runtime.ts';
import type { AgentRepository, ConversationRepository } from '../ports/storage.ts';
import { WaitsForApproval } from '../turns/call-approval.ts';
import type { ExtractedDocument } from '../turns/extraction.ts';
import { type Journal, NO_USAGE } from '../turns/journal.ts';
import type { Turn } from '../turns/turn.ts';
import { UnitFailure } from '../turns/unit-failure.ts';

/** Gives a place to one unit at a time of all the runs of a worker. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

interface Dependencies {
  readonly queue: RunQueue;
  readonly turn: Turn;
  readonly findings: DocumentFindings;
  readonly changes: DocumentChanges;
  readonly agents: Pick<AgentRepository, 'find'>;
  readonly conversations: ConversationRepository;
  readonly users: UserRepository;
  readonly ids: Ids;
  readonly settings: { readonly approvalHours: number };
}

const fileNames = (work: Work, unit: RunUnit) => unit.fileIndexes.map((index) => work.run.files[index]?.fileName ?? '');

/** A document is called after its file; one of several files after the first and how many more. */
const documentName = (work: Work, unit: RunUnit): string | null => {
  if (work.agent.workflowType !== 'document_extraction') return null;
  const [first, ...others] = fileNames(work, unit);
  if (first === undefined) return work.agent.name;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};

/** A unit that goes on once a person has decided. */
interface Waiting {
  readonly status: 'waiting';
  readonly approvalIds: readonly string[];
}

const outcomeOf = (error: unknown): UnitOutcome | Waiting => {
  if (error instanceof WaitsForApproval) return { status: 'waiting', approvalIds: error.approvalIds };
  if (error instanceof UnitFailure) return { status: 'failed', error: error.message, code: error.code };
  throw error;
};

/** Does the units of a leased run that are not done yet, then ends the run, or parks it if some can only wait. Rejects with LeaseLost when the lease is lost, with the signal's reason when that aborts. */
export const runWork = (dependencies: Dependencies) => {
  const { queue, turn, findings, changes, agents, conversations, users, ids, settings } = dependencies;

  /** The version that the run is bound to, of whose tools it has those that the live version has as well. */
  const equipped = async (agent: Agent): Promise<Agent> => {
    if (agent.tools.length === 0) return agent;
    const live = await agents.find(agent.id);
    return live?.version === agent.version ? agent : { ...agent, tools: commonTools(agent.tools, live?.tools ?? []) };
  };

  /** Tools of a run have the rights of the user who started it, as they are now. */
  const callerOf = async ({ run, agent }: Work): Promise<Caller | null> => {
    const user = agent.tools.length === 0 ? null : await users.find(run.userId);
    if (!user) return null;
    const { id: userId, workspaceId, email, role } = user;
    return {
      userId,
      workspaceId,
      email,
      role,
      credential: { id: run.id, kind: 'run' },
      door: 'model',
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    };
  };

  /** What is found of an extracted document, and whether it has to be reviewed. */
  const assessed = async (
    { agent, run }: Work,
    documentId: string,
    extracted: ExtractedDocument,
  ): Promise<FinishedDocument> => {
    const { checks, duplicateKey, missing, confirmed, duplicates } = await findings.ofExtracted(
      agent,
      { documentId, sharer: run },
      extracted,
    );
    const facts = { schema: agent.documentSchema, hasFiles: extracted.fileHashes.length > 0 };
    const found = { ...extracted, ...facts, checks, missing, confirmed, duplicates };
    const { reviewStatus, reviewReasons } = reviewOf('not_required', reasonsFor(agent.review.when, found));
    return { ...extracted, checks, duplicateKey, reviewStatus, reviewReasons };
  };

  /** Aborts the work once its document is moved to trash: its unit has failed then. */
  const untilTrashed = async <T>(
    documentId: string,
    signal: AbortSignal,
    doIt: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const trashed = new AbortController();
    const failure = new UnitFailure('document_trashed', 'The document was moved to trash before it was extracted.');
    const unsubscribe = changes.subscribe(documentId, (status) => status === 'trashed' && trashed.abort(failure));
    return doIt(AbortSignal.any([signal, trashed.signal])).finally(unsubscribe);
  };

  const doUnit = async (
    work: Work,
    unit: RunUnit,
    documentId: string,
    signal: AbortSignal,
  ): Promise<UnitOutcome | Waiting> => {
    signal.throwIfAborted();
    const begun = await queue.beginUnit(work.lease, {
      index: unit.index,
      conversationId: unit.conversationId ?? ids.next(),
      documentId,
      documentName: documentName(work, unit),
    });
    const { conversationId, messages: history } = begun;
    const begunAt = performance.now();
    const steps: Step[] = [];
    let { isLimited } = begun;
    const journal: Journal = {
      async append(messages, usage) {
        ({ isLimited } = await queue.append(work.lease, conversationId, messages, usage, steps.splice(0)));
      },
      isLimited: () => isLimited,
      reserve: (bound) => queue.reserve(work.lease, conversationId, bound),
      step: (step) => void steps.push({ ...step, unit: unit.index }),
      intend: (calls) => queue.intend(work.lease, conversationId, calls),
      approvals: {
        messages: new Map(),
        find: (toolCallId) => queue.approvalOf(conversationId, toolCallId),
        request: (request) =>
          queue.requestApproval(work.lease, conversationId, { id: ids.next(), ...request }, settings.approvalHours),
      },
      summarise: null,
    };
    const attachments = unit.fileIndexes.map((index) => work.run.files[index]).filter((file) => file !== undefined);
    const userProvenance = work.run.origin === 'untrusted_tool' ? { own: false, system: null } : null;
    const asked = { userMessage: work.run.userMessage ?? '', userProvenance, attachments, authorId: work.run.userId };
    const question = { ...asked, agent: await equipped(work.agent), history, earlier: null, earlierFacts: [], journal };
    const rights = {
      caller: await callerOf(work),
      mayStartRuns: work.run.origin === 'api',
      purpose: 'run' as const,
      onDelta: null,
    };
    const calls = history.length === 0 ? new Set<string>() : await conversations.begunCalls(conversationId);
    const outcome = await turn.answer({ ...question, ...rights, begun: calls }, signal).then(
      async (found): Promise<UnitOutcome | Waiting> => ({
        status: 'completed',
        document: found && (await assessed(work, documentId, found)),
      }),
      outcomeOf,
    );
    if (outcome.status === 'waiting') {
      await queue.append(work.lease, conversationId, [], NO_USAGE, steps.splice(0));
      return outcome;
    }
    const durationMs = Math.round(performance.now() - begunAt);
    const error = outcome.status === 'failed' ? outcome.code : null;
    journal.step({ type: `unit.${outcome.status}`, name: null, durationMs, usage: null, error });
    await queue.finishUnit(work.lease, unit.index, outcome, steps);
    return outcome;
  };

  return async (work: Work, slots: Slots, signal: AbortSignal): Promise<void> => {
    const outcomes = await Promise.allSettled(
      work.units.map(async (unit) => {
        const name = fileNames(work, unit).join(', ');
        if (unit.status === 'completed') return { name, error: null, code: null, waitsFor: [] };
        if (unit.status === 'failed') return { name, error: unit.error, code: unit.errorCode, waitsFor: [] };
        const documentId = unit.documentId ?? ids.next();
        const outcome = await slots(() =>
          untilTrashed(documentId, signal, (either) => doUnit(work, unit, documentId, either)),
        );
        const waitsFor = outcome.status === 'waiting' ? outcome.approvalIds : [];
        return outcome.status === 'failed'
          ? { name, error: outcome.error, code: outcome.code, waitsFor }
          : { name, error: null, code: null, waitsFor };
      }),
    );
    const broken = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
    if (broken.length > 0) throw broken.find((reason) => reason instanceof LeaseLost) ?? broken[0];
    const ended = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const waitsFor = ended.flatMap((unit) => unit.waitsFor);
    if (waitsFor.length > 0) return queue.park(work.lease, waitsFor);
    await queue.finish(work.lease, concludeRun(ended));
  };
};
