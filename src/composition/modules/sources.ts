import { ContainerModule } from 'inversify';
import { temporaryFiles } from '../../adapters/sources/spool.ts';
import { sourceIntake } from '../../application/sources/intake.ts';
import { sourceWorker } from '../../application/sources/source-worker.ts';
import { sourceService } from '../../application/sources/sources.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { Sources } from './outside.ts';
import { SourceQueue, SourceRepository, SourceWakeups } from './postgres.ts';
import { UploadService } from './runs.ts';
import { Ids, Log, Sealer } from './system.ts';

export const SourceService = token(sourceService);
export const SourceIntake = token(sourceIntake);
export const SourceWorker = token(sourceWorker);

const settings = { concurrency: 16, leaseSeconds: 30, pollMs: 1000, lookSeconds: 900 };

/** What comes by itself. */
export const sources = new ContainerModule(({ bind }) => {
  bind(SourceService).toDynamicValue(({ get }) => sourceService({ sources: get(SourceRepository) }));
  bind(SourceIntake).toDynamicValue(({ get }) =>
    sourceIntake({
      queue: get(SourceQueue),
      uploads: get(UploadService),
      spool: temporaryFiles(),
      ids: get(Ids),
      limits: get(Config),
    }),
  );
  bind(SourceWorker).toDynamicValue(({ get }) =>
    sourceWorker({
      queue: get(SourceQueue),
      wakeups: get(SourceWakeups),
      sources: get(Sources),
      intake: get(SourceIntake),
      sealer: get(Sealer),
      log: get(Log),
      settings,
    }),
  );
});
