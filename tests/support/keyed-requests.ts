import type { KeyedRequest, KeyedRequests } from '../../src/application/ports/idempotency.ts';

interface Kept {
  readonly request: KeyedRequest;
  readonly leaseId: string;
  readonly until: number;
  readonly since: number;
  readonly answer: string | null;
}

const KEPT_MS = 24 * 3600_000;

/** Requests with keys that are kept in this process. `pass` makes everything so many seconds older. */
export const keyedRequestsHere = (): KeyedRequests & { pass(seconds: number): void } => {
  const all = new Map<string, Kept>();
  let now = 0;
  const held = (leaseId: string) => [...all].find(([, each]) => each.leaseId === leaseId);
  const change = (leaseId: string, fields: Partial<Kept>) => {
    const [place, kept] = held(leaseId) ?? [];
    if (place !== undefined && kept) all.set(place, { ...kept, ...fields });
  };
  const isOld = ({ since }: Kept) => since <= now - KEPT_MS;
  return {
    async begin(request, { id: leaseId, seconds }, again) {
      const place = JSON.stringify([request.credentialId, request.operation, request.key]);
      const begin = () => {
        all.set(place, { request, leaseId, until: now + seconds * 1000, since: now, answer: null });
        return { outcome: 'begun' } as const;
      };
      const kept = all.get(place);
      if (!kept || isOld(kept)) return begin();
      if (kept.request.requestHash !== request.requestHash) return { outcome: 'mismatch' };
      if (kept.answer !== null) return { outcome: 'answered', answer: kept.answer };
      if (kept.until > now) return { outcome: 'under way' };
      return again ? begin() : { outcome: 'interrupted' };
    },
    async renew(leaseIds, seconds) {
      const there = leaseIds.filter((id) => held(id)?.[1].answer === null);
      for (const id of there) change(id, { until: now + seconds * 1000 });
      return new Set(there);
    },
    answer: async (leaseId, answer) => change(leaseId, { answer }),
    interrupt: async (leaseId) => change(leaseId, { until: now }),
    async forget(leaseId) {
      const [place, kept] = held(leaseId) ?? [];
      if (place !== undefined && kept?.answer === null) all.delete(place);
    },
    async removeOld() {
      const old = [...all].filter(([, each]) => isOld(each));
      for (const [place] of old) all.delete(place);
      return old.length;
    },
    pass(seconds) {
      now += seconds * 1000;
    },
  };
};
