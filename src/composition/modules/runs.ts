import { ContainerModule } from 'inversify';
import { approvalService } from '../../application/approvals/approvals.ts';
import { eventService } from '../../application/events/events.ts';
import { rereads } from '../../application/runs/reread.ts';
import { runFiles } from '../../application/runs/run-files.ts';
import { runParts } from '../../application/runs/run-parts.ts';
import { runService } from '../../application/runs/runs.ts';
import { uploadService } from '../../application/runs/uploads.ts';
import { usageService } from '../../application/runs/usage.ts';
import { workList } from '../../application/runs/work-list.ts';
import { idempotencyService } from '../../application/shared/idempotency.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { Presence } from './access.ts';
import { BlobStore } from './blobs.ts';
import { DocumentService, KeptPages, SourceFiles, StorageService } from './documents.ts';
import { RateLimiter } from './outside.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  ApprovalRepository,
  BudgetRepository,
  EventLog,
  EventSignals,
  KeyedRequests,
  RunChanges,
  RunRepository,
  UploadRepository,
  UsageRepository,
  UserRepository,
  WorkRepository,
} from './postgres.ts';
import { Clock, Ids, Log, Sealer } from './system.ts';
import { AgentService } from './workspace.ts';

export const UploadService = token(uploadService);
export const IdempotencyService = token(idempotencyService);
export const RunService = token(runService);
export const WorkList = token(workList);
export const UsageService = token(usageService);
export const Rereads = token(rereads);
export const RunFiles = token(runFiles);
export const RunParts = token(runParts);
export const EventService = token(eventService);
export const ApprovalService = token(approvalService);

/** Where a person decides. */
export const approvalLinks = ({ baseUrl }: Config) => ({
  approval: (id: string) => `${baseUrl}/console/approvals/${id}`,
});

/** What is sent to agents, and what happens with it. */
export const runs = new ContainerModule(({ bind }) => {
  bind(UploadService).toDynamicValue(({ get }) =>
    uploadService({
      agents: get(AgentService),
      uploads: get(UploadRepository),
      storage: get(StorageService),
      blobs: get(BlobStore),
      ids: get(Ids),
      limits: get(Config),
    }),
  );
  bind(IdempotencyService).toDynamicValue(({ get }) =>
    idempotencyService({ requests: get(KeyedRequests), sealer: get(Sealer), ids: get(Ids), log: get(Log) }),
  );
  bind(RunService).toDynamicValue(({ get }) =>
    runService({
      runs: get(RunRepository),
      agents: get(AgentService),
      uploads: get(UploadService),
      changes: get(RunChanges),
      ids: get(Ids),
      limiter: get(RateLimiter),
      limits: get(Config),
    }),
  );
  bind(Rereads).toDynamicValue(({ get }) =>
    rereads({
      documents: get(DocumentService),
      agents: get(AgentRepository),
      runs: get(RunRepository),
      starts: get(RunService),
      sources: get(SourceFiles),
    }),
  );
  bind(RunFiles).toDynamicValue(({ get }) =>
    runFiles({ runs: get(RunRepository), sources: get(SourceFiles), keptPages: get(KeptPages) }),
  );
  bind(RunParts).toDynamicValue(({ get }) =>
    runParts({
      runs: get(RunRepository),
      agents: get(AgentRepository),
      versions: get(AgentVersionRepository),
      ids: get(Ids),
      limits: get(Config),
    }),
  );
  bind(UsageService).toDynamicValue(({ get }) =>
    usageService({ usage: get(UsageRepository), budgets: get(BudgetRepository), clock: get(Clock) }),
  );
  bind(WorkList).toDynamicValue(({ get }) => workList({ work: get(WorkRepository), runs: get(RunRepository) }));
  bind(ApprovalService).toDynamicValue(({ get }) =>
    approvalService({
      approvals: get(ApprovalRepository),
      users: get(UserRepository),
      isPresent: get(Presence),
      links: approvalLinks(get(Config)),
    }),
  );
  bind(EventService).toDynamicValue(({ get }) =>
    eventService({ log: get(EventLog), signals: get(EventSignals), runs: get(RunService) }),
  );
});
