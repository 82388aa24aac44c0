import type { UsageGroup, UsageReport } from '../../domain/usage.ts';
import type { Viewer } from './storage.ts';

/** Days of UTC, such as `2026-11-27`, both of which belong to it. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

export interface UsageRepository {
  /** Of the agents that the viewer sees; null if there would be more rows than are answered. */
  report(viewer: Viewer, days: Days, groupBy: readonly UsageGroup[], signal: AbortSignal): Promise<UsageReport | null>;
}
