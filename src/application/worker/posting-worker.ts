import { DomainError, type Refusal } from '../../domain/errors.ts';
import { postingEnded } from '../../domain/posting.ts';
import type { DocumentPosting } from '../documents/posting.ts';
import type { PostingQueue, PostingWork } from '../ports/posting.ts';
import type { Log } from '../ports/runtime.ts';
import type { DocumentRepository } from '../ports/storage.ts';
import { leasesOf, Stopping } from '../shared/leases.ts';
import { poller } from '../shared/poller.ts';

export interface PostingWorkerSettings {
  /** Documents under delivery at a time. */
  readonly concurrency: number;
  readonly perAgent: number;
  /** So long a document is this worker's before its delivery begins, from when on the lease of the delivery counts. */
  readonly leaseSeconds: number;
  readonly pollMs: number;
  /** After the first attempt that found a system out of reach; later ones wait longer. */
  readonly firstRetrySeconds: number;
}

interface Dependencies {
  readonly queue: PostingQueue;
  readonly posting: Pick<DocumentPosting, 'processByPolicy'>;
  readonly documents: Pick<DocumentRepository, 'update'>;
  readonly log: Log;
  readonly settings: PostingWorkerSettings;
}

/** While a system is out of reach, one attempt of a worker in this time finds out whether it still is, however many documents are due. */
const OUTAGE_MS = 5000;

/** Which workspaces, or agents, have so many documents here. */
const havingMany = (works: readonly PostingWork[], by: 'workspaceId' | 'agentId', most: number) =>
  [...Map.groupBy(works, (work) => work[by])].flatMap(([id, { length }]) => (length >= most ? [id] : []));

/** What may be otherwise in a while, by itself. */
const PASSING: ReadonlySet<Refusal> = new Set(['unavailable', 'rate_limited', 'busy']);

/** Delivers the documents of agents with `process: automatic` once they may be. */
export const postingWorker = ({ queue, posting, documents, log, settings }: Dependencies) => {
  const { concurrency, perAgent, leaseSeconds, pollMs, firstRetrySeconds } = settings;
  const leases = leasesOf<PostingWork>({
    subject: 'document',
    idOf: ({ documentId }) => documentId,
    renewal: null,
    log,
  });
  /** Agents whose system was out of reach a moment ago, and until when they are left out. */
  const outages = new Map<string, number>();

  /** At most half of the places are for one workspace, so that its systems, if they are slow, delay no other. */
  const busy = () => {
    const held = leases.held();
    for (const [agentId, until] of outages) if (until <= performance.now()) outages.delete(agentId);
    const workspaceIds = havingMany(held, 'workspaceId', Math.ceil(concurrency / 2));
    return { workspaceIds, agentIds: [...havingMany(held, 'agentId', perAgent), ...outages.keys()] };
  };

  /** What refuses the document before its delivery begins would refuse it again. What was decided or tried meanwhile stays. */
  const giveUp = ({ documentId, until }: PostingWork, reason: string) =>
    documents.update(documentId, (current) =>
      current.postAt?.getTime() === until.getTime() ? { ...current, ...postingEnded(reason) } : current,
    );

  const settle = async (work: PostingWork, error: unknown) => {
    if (error instanceof Stopping) return queue.release(work);
    const fields = { document_id: work.documentId, agent_id: work.agentId };
    if (!(error instanceof DomainError)) return log.error({ ...fields, err: error }, 'a document could not be posted');
    const { code, kind, message: reason } = error;
    if (code === 'document_busy') return queue.release(work);
    // Its end says so; one whose end could not be stored is taken up again when its lease is over.
    if (kind === 'outcome_unknown')
      return log.warn({ ...fields, reason }, 'it is not known whether a document was posted');
    if (PASSING.has(kind)) {
      outages.set(work.agentId, performance.now() + OUTAGE_MS);
      return log.info({ ...fields, reason }, 'a document is posted later');
    }
    log.info({ ...fields, reason }, 'a document is left to a person');
    return giveUp(work, reason);
  };

  const perform = async (work: PostingWork, signal: AbortSignal) => {
    const { workspaceId, documentId, agentId } = work;
    try {
      const retry = { firstSeconds: firstRetrySeconds, chance: Math.random() };
      const { status } = await posting.processByPolicy(workspaceId, documentId, { retry, signal });
      outages.delete(agentId);
      log.info({ document_id: documentId, agent_id: agentId, status }, 'a document was posted by policy');
    } catch (error) {
      await settle(work, error).catch((err) =>
        log.warn({ document_id: documentId, err }, 'what became of a delivery could not be stored'),
      );
    }
  };

  const due = poller({
    everyMs: pollMs,
    async look() {
      const free = concurrency - leases.held().length;
      const works = free <= 0 ? [] : await queue.lease(free, leaseSeconds, busy());
      for (const work of works) void leases.during(work, (signal) => perform(work, signal)).finally(due.wake);
      return works.length > 0;
    },
    failed: (err) => log.warn({ err }, 'the documents that are due could not be read; trying again'),
  });

  return {
    start: due.start,

    /** Takes no more; what is not delivered within the grace is handed back for another worker. */
    async stop(graceMs: number): Promise<void> {
      await due.stop();
      await leases.stop(graceMs);
    },
  };
};

export type PostingWorker = ReturnType<typeof postingWorker>;
