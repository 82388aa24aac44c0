import { ContainerModule } from 'inversify';
import { auditChainer } from '../../application/audit/chainer.ts';
import { erasureService } from '../../application/upkeep/erasures.ts';
import { keyBackfill } from '../../application/upkeep/key-backfill.ts';
import { maintenance } from '../../application/upkeep/maintenance.ts';
import { retentionService } from '../../application/upkeep/retention.ts';
import { postingWorker } from '../../application/worker/posting-worker.ts';
import { runWork } from '../../application/worker/run-work.ts';
import { runWorker } from '../../application/worker/run-worker.ts';
import { Config, postingSettings } from '../config.ts';
import { token } from '../module.ts';
import { BlobStore, ErasureLedger } from './blobs.ts';
import { FileDivider, SnapshotService, Turn } from './conversations.ts';
import { DocumentFindings, DocumentPosting, StorageService } from './documents.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  ApprovalRepository,
  AuditLog,
  ConversationRepository,
  DocumentChanges,
  DocumentRepository,
  ErasureRepository,
  EventLog,
  KeyBackfills,
  KeyBackfillWakeups,
  KeyedRequests,
  OAuthStore,
  PostingQueue,
  RetentionStore,
  RunChanges,
  RunQueue,
  UserRepository,
  WebhookQueue,
} from './postgres.ts';
import { UploadService } from './runs.ts';
import { Ids, Log, Sealer } from './system.ts';

export const RunWork = token(runWork);
export const RunWorker = token(runWorker);
export const PostingWorker = token(postingWorker);
export const Maintenance = token(maintenance);
export const AuditChainer = token(auditChainer);
export const Retention = token(retentionService);
export const KeyBackfill = token(keyBackfill);
export const Erasures = token(erasureService);

/** What goes on without a request. */
export const worker = new ContainerModule(({ bind }) => {
  bind(RunWork).toDynamicValue(({ get }) =>
    runWork({
      queue: get(RunQueue),
      agents: get(AgentRepository),
      versions: get(AgentVersionRepository),
      conversations: get(ConversationRepository),
      users: get(UserRepository),
      turn: get(Turn),
      divide: get(FileDivider),
      findings: get(DocumentFindings),
      changes: get(DocumentChanges),
      ids: get(Ids),
      settings: get(Config),
    }),
  );
  bind(RunWorker).toDynamicValue(({ get }) => {
    const { workerConcurrency: concurrency, runLeaseSeconds: leaseSeconds } = get(Config);
    return runWorker({
      queue: get(RunQueue),
      changes: get(RunChanges),
      runWork: get(RunWork),
      ids: get(Ids),
      log: get(Log),
      settings: { concurrency, leaseSeconds },
    });
  });
  bind(PostingWorker).toDynamicValue(({ get }) =>
    postingWorker({
      queue: get(PostingQueue),
      posting: get(DocumentPosting),
      documents: get(DocumentRepository),
      log: get(Log),
      settings: postingSettings,
    }),
  );
  bind(AuditChainer).toDynamicValue(({ get }) => auditChainer({ audit: get(AuditLog), log: get(Log) }));
  bind(Erasures).toDynamicValue(({ get }) =>
    erasureService({
      erasures: get(ErasureRepository),
      ledger: get(ErasureLedger),
      blobs: get(BlobStore),
      sealer: get(Sealer),
      ids: get(Ids),
      log: get(Log),
    }),
  );
  bind(KeyBackfill).toDynamicValue(({ get }) =>
    keyBackfill({
      backfills: get(KeyBackfills),
      wakeups: get(KeyBackfillWakeups),
      findings: get(DocumentFindings),
      log: get(Log),
    }),
  );
  bind(Retention).toDynamicValue(({ get }) =>
    retentionService({ store: get(RetentionStore), blobs: get(BlobStore), log: get(Log) }),
  );
  bind(Maintenance).toDynamicValue(({ get }) =>
    maintenance({
      queue: get(RunQueue),
      approvals: get(ApprovalRepository),
      documents: get(DocumentRepository),
      webhooks: get(WebhookQueue),
      events: get(EventLog),
      oauth: get(OAuthStore),
      snapshots: get(SnapshotService),
      uploads: get(UploadService),
      storage: get(StorageService),
      requests: get(KeyedRequests),
      erasures: get(Erasures),
      log: get(Log),
      settings: get(Config),
    }),
  );
});
