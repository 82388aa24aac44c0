import type { Log, Probe } from '../ports/runtime.ts';
import { abortable, deadline, freshFor } from '../shared/async.ts';

interface Check {
  readonly status: 'ok' | 'degraded' | 'down';
  /** How long the probe took, in milliseconds. */
  readonly ms: number;
}

interface Readiness {
  /** `degraded` answers requests, with less than it could do; `down` and `stopping` want none. */
  readonly status: 'ok' | 'degraded' | 'down' | 'stopping';
  readonly checks: Readonly<Record<string, Check>>;
}

const TIMEOUT_SECONDS = 2;
const FRESH_MS = 1000;

/** A probe that is asked again only once its last check came to an end: one that hangs does not pile up. */
const examiner = ({ name, required, check }: Probe, log: Log) => {
  let busy = false;
  let last: Check['status'] = 'ok';

  const report = (status: Check['status'], err: unknown) => {
    if (status === last) return;
    last = status;
    if (status === 'ok') log.info({ dependency: name }, 'a dependency is back');
    else log.warn({ dependency: name, err }, 'a dependency cannot be used');
  };

  const begin = (signal: AbortSignal) => {
    if (busy) throw new Error('its last check has not come to an end');
    busy = true;
    const checking = check(signal).finally(() => {
      busy = false;
    });
    return abortable(checking, signal);
  };

  return async (): Promise<Check> => {
    const since = performance.now();
    const checked = (status: Check['status'], err: unknown): Check => {
      report(status, err);
      return { status, ms: Math.round((performance.now() - since) * 10) / 10 };
    };
    try {
      await begin(deadline(TIMEOUT_SECONDS));
      return checked('ok', null);
    } catch (error) {
      return checked(required ? 'down' : 'degraded', error);
    }
  };
};

const overall = (checks: readonly Check[]): Readiness['status'] => {
  if (checks.some(({ status }) => status === 'down')) return 'down';
  return checks.some(({ status }) => status === 'degraded') ? 'degraded' : 'ok';
};

export const healthService = ({ probes, log }: { readonly probes: readonly Probe[]; readonly log: Log }) => {
  const examiners = probes.map((probe) => ({ name: probe.name, examine: examiner(probe, log) }));
  let stopping = false;

  const examined = freshFor(FRESH_MS, async (): Promise<Readiness> => {
    const checks = await Promise.all(examiners.map(async ({ name, examine }) => [name, await examine()] as const));
    return { status: overall(checks.map(([, check]) => check)), checks: Object.fromEntries(checks) };
  });

  return {
    /** Whether requests are wanted, and the state of each dependency; found out anew after a second, however often it is asked. */
    async readiness(): Promise<Readiness> {
      const { status, checks } = await examined();
      return { status: stopping ? 'stopping' : status, checks };
    },
    /** From now on no requests are wanted. */
    stop(): void {
      stopping = true;
    },
  };
};

export type HealthService = ReturnType<typeof healthService>;
