import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import { commonTools } from '../../domain/common-tools.ts';
import type { Attachment } from '../../domain/conversation.ts';
import type { Step } from '../../domain/event.ts';
import { type ReadingDoubt, reasonsFor, reviewOf } from '../../domain/review.ts';
import { shownPages, unassignedDoubt } from '../../domain/routing/page-names.ts';
import { unassignedContent } from '../../domain/routing/partition.ts';
import type { Run, RunUnit } from '../../domain/run.ts';
import type { DocumentFindings } from '../documents/findings.ts';
import { namesInRun } from '../files/file-parts.ts';
import type { UserRepository } from '../ports/people.ts';
import {
  type DocumentChanges,
  type FinishedDocument,
  PartsChanged,
  type Routed,
  type RunQueue,
  type UnitOutcome,
  type Work,
} from '../ports/queue.ts';
import type { Ids } from '../ports/runtime.ts';
import type { AgentRepository, ConversationRepository } from '../ports/storage.ts';
import { inSlices } from '../shared/async.ts';
import { WaitsForApproval } from '../turns/call-approval.ts';
import type { Divider } from '../turns/divider.ts';
import type { ExtractedDocument } from '../turns/extraction.ts';
import type { ReadKeeper } from '../turns/file-reader.ts';
import { type Journal, NO_USAGE } from '../turns/journal.ts';
import type { Turn } from '../turns/turn.ts';
import { UnitFailure } from '../turns/unit-failure.ts';
import { divisionBy } from './division-by.ts';

export interface UnitServices {
  readonly queue: RunQueue;
  readonly turn: Turn;
  readonly divide: Divider;
  readonly findings: DocumentFindings;
  readonly changes: DocumentChanges;
  readonly agents: Pick<AgentRepository, 'find' | 'findNamed'>;
  readonly conversations: ConversationRepository;
  readonly users: UserRepository;
  readonly ids: Ids;
  readonly settings: { readonly approvalHours: number };
}

/** The parts of a run, as far as the documents of each of them depend on the others. */
interface Divided {
  /** What makes the documents of the run doubtful, whatever they say. */
  readonly doubt: ReadingDoubt | null;
  /** Of the parts. */
  readonly revision: number;
}

export const dividedBy = ({ files, parts, revision }: Routed): Divided => ({
  doubt: unassignedDoubt(unassignedContent(files, parts)),
  revision,
});

/** A unit, and who does it. */
interface UnitTask {
  readonly work: Work;
  readonly unit: RunUnit;
  /** That of the run, or that of the part. */
  readonly agent: Agent;
  /** Of a part of a file. */
  readonly divided: Divided | null;
  readonly keeper: ReadKeeper;
}

/** Does one thing after the other. */
type InTurn = (work: () => Promise<void>) => Promise<void>;

type Failed = Extract<UnitOutcome, { readonly status: 'failed' }>;

/** A unit that goes on once a person has decided. */
export interface Waiting {
  readonly status: 'waiting';
  readonly approvalIds: readonly string[];
}

/** How a unit ends, before anything is found of its document. */
type UnitEnd = { readonly status: 'completed'; readonly document: ExtractedDocument | null } | Failed;

const outcomeOf = (error: unknown): Failed | Waiting => {
  if (error instanceof WaitsForApproval) return { status: 'waiting', approvalIds: error.approvalIds };
  if (error instanceof UnitFailure) return { status: 'failed', error: error.message, code: error.code };
  throw error;
};

const fileNames = ({ run }: Work, unit: RunUnit) => unit.fileIndexes.map((index) => run.files[index]?.fileName ?? '');

/** What a unit is called in the failure of its run. */
export const unitName = (work: Work, unit: RunUnit): string =>
  unit.part === null ? fileNames(work, unit).join(', ') : shownPages(unit.part);

/** A document is called after its file; one of several files after the first and how many more. */
const documentName = ({ work, unit, agent }: UnitTask): string | null => {
  if (agent.workflowType !== 'document_extraction') return null;
  if (unit.part !== null) return shownPages(unit.part);
  const [first, ...others] = fileNames(work, unit);
  if (first === undefined) return agent.name;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};

const unitEnded = ({ status, ...end }: UnitEnd, begunAt: number): Omit<Step, 'unit'> => ({
  type: `unit.${status}`,
  name: null,
  durationMs: Math.round(performance.now() - begunAt),
  usage: null,
  error: 'code' in end ? end.code : null,
});

/** The work on one unit of a leased run. */
export class UnitWork {
  readonly #services: UnitServices;
  readonly #task: UnitTask;
  readonly #run: Run;

  constructor(services: UnitServices, task: UnitTask) {
    this.#services = services;
    this.#task = task;
    this.#run = task.work.run;
  }

  /** Reads the document of the unit, or answers its message. The unit fails once its document is moved to trash. */
  async read(signal: AbortSignal): Promise<UnitOutcome | Waiting> {
    const { changes, ids } = this.#services;
    const documentId = this.#task.unit.documentId ?? ids.next();
    const trashed = new AbortController();
    const failure = new UnitFailure('document_trashed', 'The document was moved to trash before it was extracted.');
    const unsubscribe = changes.subscribe(documentId, (status) => status === 'trashed' && trashed.abort(failure));
    return this.#answer(documentId, AbortSignal.any([signal, trashed.signal])).finally(unsubscribe);
  }

  async #answer(documentId: string, signal: AbortSignal): Promise<UnitOutcome | Waiting> {
    const { queue, turn, conversations } = this.#services;
    const { work, unit, keeper } = this.#task;
    signal.throwIfAborted();
    const { conversationId, history, journal, steps } = await this.#begin(documentId);
    const begunAt = performance.now();
    const question = {
      ...this.#asked(),
      attachments: this.#attachments(),
      agent: await this.#equipped(),
      history,
      earlier: null,
      earlierFacts: [],
      journal,
      caller: await this.#caller(),
      mayStartRuns: this.#run.origin === 'api',
      purpose: 'run' as const,
      onDelta: null,
      begun: history.length === 0 ? new Set<string>() : await conversations.begunCalls(conversationId),
      ...(unit.part !== null && { keeper }),
    };
    const answered = await turn
      .answer(question, signal)
      .then((document) => ({ status: 'completed', document }) as const, outcomeOf);
    if (answered.status === 'waiting') {
      await queue.append(work.lease, conversationId, [], NO_USAGE, steps.splice(0));
      return answered;
    }
    journal.step(unitEnded(answered, begunAt));
    return this.#finish(documentId, answered, steps);
  }

  /** Divides the files of the unit. `inTurn`: the units of a run store what they found one after the other. */
  async divide(inTurn: InTurn, signal: AbortSignal): Promise<UnitOutcome | Waiting> {
    const { queue, ids } = this.#services;
    const { work, unit, agent, keeper } = this.#task;
    signal.throwIfAborted();
    const { history, journal, steps } = await this.#begin(ids.next());
    const begunAt = performance.now();
    const question = { ...this.#asked(), agent, history, files: this.#namedFiles(), journal, keeper };
    const division = await divisionBy(this.#services, question, signal).catch(outcomeOf);
    if ('status' in division && division.status === 'waiting') return division;
    const outcome = 'status' in division ? division : ({ status: 'completed', document: null } as const);
    journal.step(unitEnded(outcome, begunAt));
    await inTurn(() =>
      'status' in division
        ? queue.finishUnit(work.lease, unit.index, division, steps)
        : queue.divide(work.lease, unit.index, division, steps),
    );
    return outcome;
  }

  /** Begins the unit, or goes on with it. */
  async #begin(documentId: string) {
    const { queue, ids, settings } = this.#services;
    const { work, unit } = this.#task;
    const begun = await queue.beginUnit(work.lease, {
      index: unit.index,
      conversationId: unit.conversationId ?? ids.next(),
      documentId,
      documentName: documentName(this.#task),
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
  }

  #asked() {
    const { origin, userMessage, userId } = this.#run;
    const userProvenance = origin === 'untrusted_tool' ? { own: false, system: null } : null;
    return { userMessage: userMessage ?? '', userProvenance, authorId: userId };
  }

  #attachments(): readonly Attachment[] {
    const { part, fileIndexes } = this.#task.unit;
    const files = fileIndexes.map((index) => this.#run.files[index]).filter((file) => file !== undefined);
    return part === null ? files : files.map((file) => ({ ...file, part }));
  }

  #namedFiles() {
    const { files } = this.#run;
    const names = namesInRun(files.map(({ fileName }) => fileName));
    return this.#task.unit.fileIndexes.flatMap((fileIndex) => {
      const attachment = files[fileIndex];
      const name = names[fileIndex];
      return attachment === undefined || name === undefined ? [] : [{ attachment, name, fileIndex }];
    });
  }

  /** The version that the run is bound to, of whose tools it has those that the live version has as well. */
  async #equipped(): Promise<Agent> {
    const { agent } = this.#task;
    if (agent.tools.length === 0) return agent;
    const live = await this.#services.agents.find(agent.id);
    return live?.version === agent.version ? agent : { ...agent, tools: commonTools(agent.tools, live?.tools ?? []) };
  }

  /** Tools of a run have the rights of the user who started it, as they are now. */
  async #caller(): Promise<Caller | null> {
    const hasTools = this.#task.agent.tools.length > 0;
    const user = hasTools ? await this.#services.users.find(this.#run.userId) : null;
    if (!user) return null;
    const { id: userId, workspaceId, email, role } = user;
    return {
      userId,
      workspaceId,
      email,
      role,
      credential: { id: this.#run.id, kind: 'run' },
      door: 'model',
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    };
  }

  async #finish(documentId: string, end: UnitEnd, steps: readonly Step[]): Promise<UnitOutcome> {
    const { queue } = this.#services;
    const { work, unit } = this.#task;
    let { divided } = this.#task;
    for (;;) {
      const outcome =
        end.status === 'failed'
          ? end
          : { ...end, document: end.document && (await this.#assessed(documentId, end.document, divided)) };
      try {
        await queue.finishUnit(work.lease, unit.index, outcome, steps, divided?.revision);
        return outcome;
      } catch (error) {
        if (!(error instanceof PartsChanged)) throw error;
      }
      // A person has changed the parts meanwhile, which may end the doubt about the document, or begin one.
      divided = dividedBy(await queue.routed(work.lease));
    }
  }

  /** What is found of an extracted document, and whether it has to be reviewed. */
  async #assessed(documentId: string, document: ExtractedDocument, divided: Divided | null): Promise<FinishedDocument> {
    const { agent } = this.#task;
    const { coverage } = document;
    const doubts = divided?.doubt ? [...coverage.doubts, divided.doubt] : coverage.doubts;
    const extracted = { ...document, coverage: { ...coverage, doubts } };
    const subject = { documentId, sharer: this.#run };
    const findings = await this.#services.findings.ofExtracted(agent, subject, extracted);
    const { checks, duplicateKey, missing, confirmed, duplicates } = findings;
    const judged = {
      ...extracted,
      schema: agent.documentSchema,
      hasFiles: extracted.fileHashes.length > 0,
      checks,
      missing,
      confirmed,
      duplicates,
    };
    const reasons = await inSlices(reasonsFor(agent.review.when, judged));
    const { reviewStatus, reviewReasons } = reviewOf('not_required', reasons);
    return { ...extracted, checks, duplicateKey, reviewStatus, reviewReasons };
  }
}
