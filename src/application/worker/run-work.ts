import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import { commonTools } from '../../domain/common-tools.ts';
import type { Attachment } from '../../domain/conversation.ts';
import type { Step } from '../../domain/event.ts';
import { type ReadingDoubt, reasonsFor, reviewOf } from '../../domain/review.ts';
import { shownPages, unassignedDoubt } from '../../domain/routing/page-names.ts';
import { unassignedContent } from '../../domain/routing/partition.ts';
import { concludeRun, type Run, type RunUnit } from '../../domain/run.ts';
import type { DocumentFindings } from '../documents/findings.ts';
import { namesInRun } from '../files/file-parts.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { UserRepository } from '../ports/people.ts';
import {
  type DocumentChanges,
  type FinishedDocument,
  PartGone,
  PartsChanged,
  type Routed,
  type RunQueue,
  type UnitOutcome,
  type Work,
} from '../ports/queue.ts';
import type { Ids } from '../ports/runtime.ts';
import type { AgentRepository, AgentVersionRepository, ConversationRepository } from '../ports/storage.ts';
import { inSlices, oneAtATime } from '../shared/async.ts';
import { WaitsForApproval } from '../turns/call-approval.ts';
import type { Divider } from '../turns/divider.ts';
import type { ExtractedDocument } from '../turns/extraction.ts';
import type { ReadKeeper } from '../turns/file-reader.ts';
import { type Journal, NO_USAGE } from '../turns/journal.ts';
import { readOnce } from '../turns/read-once.ts';
import type { Turn } from '../turns/turn.ts';
import { UnitFailure } from '../turns/unit-failure.ts';
import { divisionBy } from './division-by.ts';

/** Gives a place to one unit at a time of all the runs of a worker. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

interface Dependencies {
  readonly queue: RunQueue;
  readonly turn: Turn;
  readonly divide: Divider;
  readonly findings: DocumentFindings;
  readonly changes: DocumentChanges;
  readonly agents: Pick<AgentRepository, 'find' | 'findNamed'>;
  readonly versions: Pick<AgentVersionRepository, 'find'>;
  readonly conversations: ConversationRepository;
  readonly users: UserRepository;
  readonly ids: Ids;
  readonly settings: { readonly approvalHours: number };
}

const fileNames = (work: Work, unit: RunUnit) => unit.fileIndexes.map((index) => work.run.files[index]?.fileName ?? '');

/** A document is called after its file; one of several files after the first and how many more. */
const documentName = (work: Work, unit: RunUnit, agent: Agent): string | null => {
  if (agent.workflowType !== 'document_extraction') return null;
  if (unit.part !== null) return shownPages(unit.part);
  const [first, ...others] = fileNames(work, unit);
  if (first === undefined) return agent.name;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};

/** The parts of a run, as far as the documents of each of them depend on the others. */
interface Divided {
  /** What makes the documents of the run doubtful, whatever they say. */
  readonly doubt: ReadingDoubt | null;
  /** Of the parts. */
  readonly revision: number;
}

const dividedBy = ({ files, parts, revision }: Routed): Divided => ({
  doubt: unassignedDoubt(unassignedContent(files, parts)),
  revision,
});

/** A unit, and who does it. */
interface Doing {
  readonly work: Work;
  readonly unit: RunUnit;
  readonly run: Run;
  /** That of the run, or that of the part. */
  readonly agent: Agent;
  /** Of a part of a file. */
  readonly divided: Divided | null;
  readonly keeper: ReadKeeper;
}

/** Does one thing after the other. */
type InTurn = (work: () => Promise<void>) => Promise<void>;

const PART_GONE = {
  status: 'failed',
  code: 'part_changed',
  error: 'The part was changed before it was read.',
} as const;

const READER_GONE = { status: 'failed', code: 'agent_missing', error: 'The agent that reads it is gone.' } as const;

/** A unit that goes on once a person has decided. */
interface Waiting {
  readonly status: 'waiting';
  readonly approvalIds: readonly string[];
}

/** How a unit ends, before anything is found of its document. */
type UnitEnd =
  | { readonly status: 'completed'; readonly document: ExtractedDocument | null }
  | Extract<UnitOutcome, { readonly status: 'failed' }>;

const outcomeOf = (error: unknown): Extract<UnitOutcome, { readonly status: 'failed' }> | Waiting => {
  if (error instanceof WaitsForApproval) return { status: 'waiting', approvalIds: error.approvalIds };
  if (error instanceof UnitFailure) return { status: 'failed', error: error.message, code: error.code };
  throw error;
};

/** Does the units of a leased run that are not done yet, then ends the run, or parks it if some can only wait. Rejects with LeaseLost when the lease is lost, with the signal's reason when that aborts. */
export const runWork = (dependencies: Dependencies) => {
  const { queue, turn, divide, findings, changes, agents, versions, conversations, users, ids, settings } =
    dependencies;

  /** The version that the run is bound to, of whose tools it has those that the live version has as well. */
  const equipped = async (agent: Agent): Promise<Agent> => {
    if (agent.tools.length === 0) return agent;
    const live = await agents.find(agent.id);
    return live?.version === agent.version ? agent : { ...agent, tools: commonTools(agent.tools, live?.tools ?? []) };
  };

  /** Tools of a run have the rights of the user who started it, as they are now. */
  const callerOf = async (run: Run, agent: Agent): Promise<Caller | null> => {
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
    { run, agent, divided }: Doing,
    documentId: string,
    document: ExtractedDocument,
  ): Promise<FinishedDocument> => {
    const { coverage } = document;
    const doubt = divided?.doubt ?? null;
    const extracted =
      doubt === null ? document : { ...document, coverage: { ...coverage, doubts: [...coverage.doubts, doubt] } };
    const { checks, duplicateKey, missing, confirmed, duplicates } = await findings.ofExtracted(
      agent,
      { documentId, sharer: run },
      extracted,
    );
    const facts = { schema: agent.documentSchema, hasFiles: extracted.fileHashes.length > 0 };
    const judged = { ...extracted, ...facts, checks, missing, confirmed, duplicates };
    const reasons = await inSlices(reasonsFor(agent.review.when, judged));
    const { reviewStatus, reviewReasons } = reviewOf('not_required', reasons);
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

  /** Begins a unit, or goes on with it. */
  const begin = async ({ work, unit, agent }: Doing, documentId: string) => {
    const begun = await queue.beginUnit(work.lease, {
      index: unit.index,
      conversationId: unit.conversationId ?? ids.next(),
      documentId,
      documentName: documentName(work, unit, agent),
    });
    const { conversationId } = begun;
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
    return { conversationId, history: begun.messages, journal, steps };
  };

  const askedOf = ({ run }: Doing) => {
    const userProvenance = run.origin === 'untrusted_tool' ? { own: false, system: null } : null;
    return { userMessage: run.userMessage ?? '', userProvenance, authorId: run.userId };
  };

  const endOf = (outcome: UnitOutcome | UnitEnd, begunAt: number): Omit<Step, 'unit'> => {
    const durationMs = Math.round(performance.now() - begunAt);
    const error = outcome.status === 'failed' ? outcome.code : null;
    return { type: `unit.${outcome.status}`, name: null, durationMs, usage: null, error };
  };

  /** What is found of a part's document is found anew if a person has changed the parts meanwhile. */
  const finishUnit = async (
    doing: Doing,
    documentId: string,
    end: UnitEnd,
    steps: readonly Step[],
  ): Promise<UnitOutcome> => {
    const { work, unit, divided } = doing;
    const outcome: UnitOutcome =
      end.status === 'failed'
        ? end
        : { ...end, document: end.document && (await assessed(doing, documentId, end.document)) };
    try {
      await queue.finishUnit(work.lease, unit.index, outcome, steps, divided?.revision);
      return outcome;
    } catch (error) {
      if (!(error instanceof PartsChanged)) throw error;
    }
    const changed = { ...doing, divided: dividedBy(await queue.routed(work.lease)) };
    return finishUnit(changed, documentId, end, steps);
  };

  const doUnit = async (doing: Doing, documentId: string, signal: AbortSignal): Promise<UnitOutcome | Waiting> => {
    const { work, unit, run, agent, keeper } = doing;
    signal.throwIfAborted();
    const { conversationId, history, journal, steps } = await begin(doing, documentId);
    const begunAt = performance.now();
    const files = unit.fileIndexes.map((index) => run.files[index]).filter((file) => file !== undefined);
    const attachments = files.map((file): Attachment => (unit.part === null ? file : { ...file, part: unit.part }));
    const message = { ...askedOf(doing), attachments };
    const question = { ...message, agent: await equipped(agent), history, earlier: null, earlierFacts: [], journal };
    const rights = {
      caller: await callerOf(run, agent),
      mayStartRuns: run.origin === 'api',
      purpose: 'run' as const,
      onDelta: null,
    };
    const calls = history.length === 0 ? new Set<string>() : await conversations.begunCalls(conversationId);
    const sharing = unit.part === null ? {} : { keeper };
    const answered = await turn
      .answer({ ...question, ...rights, ...sharing, begun: calls }, signal)
      .then((document) => ({ status: 'completed', document }) as const, outcomeOf);
    if (answered.status === 'waiting') {
      await queue.append(work.lease, conversationId, [], NO_USAGE, steps.splice(0));
      return answered;
    }
    journal.step(endOf(answered, begunAt));
    return finishUnit(doing, documentId, answered, steps);
  };

  /** Divides the files of a unit. `inTurn`: the units of a run store what they found one after the other. */
  const divideUnit = async (doing: Doing, inTurn: InTurn, signal: AbortSignal): Promise<UnitOutcome | Waiting> => {
    const { work, unit, run, agent, keeper } = doing;
    signal.throwIfAborted();
    const { history, journal, steps } = await begin(doing, ids.next());
    const begunAt = performance.now();
    const names = namesInRun(run.files.map(({ fileName }) => fileName));
    const files = unit.fileIndexes.flatMap((fileIndex) => {
      const attachment = run.files[fileIndex];
      const name = names[fileIndex];
      return attachment === undefined || name === undefined ? [] : [{ attachment, name, fileIndex }];
    });
    const task = { ...askedOf(doing), agent, history, files, journal, keeper };
    const division = await divisionBy({ divide, agents }, task, signal).catch(outcomeOf);
    const outcome: UnitOutcome | Waiting = 'status' in division ? division : { status: 'completed', document: null };
    if (outcome.status === 'waiting') return outcome;
    journal.step(endOf(outcome, begunAt));
    await inTurn(() =>
      'status' in division
        ? queue.finishUnit(work.lease, unit.index, outcome, steps)
        : queue.divide(work.lease, unit.index, division, steps),
    );
    return outcome;
  };

  /** The agent that reads a part, by the version that the part is bound to; null if it is gone. */
  const readerOf = async ({ agentId, agentVersion }: RunUnit): Promise<Agent | null> => {
    if (agentId === null || agentVersion === null) return null;
    const [live, definition] = await Promise.all([agents.find(agentId), versions.find(agentId, agentVersion)]);
    return live && definition && { ...live, ...definition, version: agentVersion };
  };

  interface Ended {
    readonly name: string;
    readonly error: string | null;
    readonly code: string | null;
    readonly waitsFor: readonly string[];
  }

  /** Waits for all units, even if one of them is interrupted. */
  const all = async (
    work: Work,
    units: readonly RunUnit[],
    doIt: (unit: RunUnit) => Promise<UnitOutcome | Waiting>,
  ): Promise<readonly Ended[]> => {
    const outcomes = await Promise.allSettled(
      units.map(async (unit): Promise<Ended> => {
        const name = unit.part === null ? fileNames(work, unit).join(', ') : shownPages(unit.part);
        if (unit.status === 'completed' || unit.status === 'cancelled')
          return { name, error: null, code: null, waitsFor: [] };
        if (unit.status === 'failed') return { name, error: unit.error, code: unit.errorCode, waitsFor: [] };
        const outcome = await doIt(unit);
        const waitsFor = outcome.status === 'waiting' ? outcome.approvalIds : [];
        return outcome.status === 'failed'
          ? { name, error: outcome.error, code: outcome.code, waitsFor }
          : { name, error: null, code: null, waitsFor };
      }),
    );
    const broken = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
    if (broken.length > 0) throw broken.find((reason) => reason instanceof LeaseLost) ?? broken[0];
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  };

  /** Divides the files first, all of them: what is in no part is a reason for review of the documents of every part. */
  const route = async (work: Work, slots: Slots, signal: AbortSignal): Promise<readonly Ended[]> => {
    const { run, agent } = work;
    const { keeper, forget } = readOnce();
    const inTurn = oneAtATime();
    const dividing = work.units.filter(({ part }) => part === null);
    const ends = await all(work, dividing, (unit) =>
      slots(() => divideUnit({ work, unit, run, agent, divided: null, keeper }, inTurn, signal)),
    );
    const routed = await queue.routed(work.lease);
    const { units } = routed;
    const divided = dividedBy(routed);
    const left = new Map<number, number>();
    for (const { fileIndexes } of units) for (const index of fileIndexes) left.set(index, (left.get(index) ?? 0) + 1);
    const done = ({ fileIndexes }: RunUnit) => {
      for (const index of fileIndexes) {
        left.set(index, (left.get(index) ?? 0) - 1);
        if (left.get(index) === 0) forget(run.files[index]?.fileKey ?? '');
      }
    };
    const readNow = async (unit: RunUnit): Promise<UnitOutcome | Waiting> => {
      const reader = await readerOf(unit);
      if (reader === null) {
        await queue.finishUnit(work.lease, unit.index, READER_GONE);
        return READER_GONE;
      }
      const documentId = unit.documentId ?? ids.next();
      const doing = { work, unit, run, agent: reader, divided, keeper };
      return untilTrashed(documentId, signal, (either) => doUnit(doing, documentId, either));
    };
    const read = (unit: RunUnit) =>
      slots(() => readNow(unit)).catch((error: unknown) => {
        if (error instanceof PartGone) return PART_GONE;
        throw error;
      });
    const ended = await all(work, units, (unit) => read(unit).finally(() => done(unit)));
    return [...ends, ...ended];
  };

  const extract = (work: Work, slots: Slots, signal: AbortSignal): Promise<readonly Ended[]> => {
    const { keeper } = readOnce();
    return all(work, work.units, (unit) => {
      const documentId = unit.documentId ?? ids.next();
      const doing = { work, unit, run: work.run, agent: work.agent, divided: null, keeper };
      return slots(() => untilTrashed(documentId, signal, (either) => doUnit(doing, documentId, either)));
    });
  };

  return async (work: Work, slots: Slots, signal: AbortSignal): Promise<void> => {
    const does = work.agent.workflowType === 'document_routing' ? route : extract;
    const ended = await does(work, slots, signal);
    const waitsFor = ended.flatMap((unit) => unit.waitsFor);
    if (waitsFor.length > 0) return queue.park(work.lease, waitsFor);
    await queue.finish(work.lease, concludeRun(ended));
  };
};
