import type { Claim, KeyedRequest, KeyedRequests } from '../../../application/ports/idempotency.ts';
import { Unconfirmed } from '../../../domain/errors.ts';
import { orBusy } from '../connection/busy.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/keyed-request-statements.ts';

interface Found {
  readonly requestHash: string;
  readonly answer: string | null;
  readonly ended: boolean;
}

const claimOf = ({ requestHash, answer: stored, ended }: Found, request: KeyedRequest): Claim => {
  if (requestHash !== request.requestHash) return { outcome: 'mismatch' };
  if (stored !== null) return { outcome: 'answered', answer: stored };
  return { outcome: ended ? 'interrupted' : 'under way' };
};

export const keyedRequests = ({ query, apart }: Pick<Database, 'query' | 'apart'>): KeyedRequests => ({
  async begin(request, lease, again) {
    const { credentialId, operation, key, requestHash } = request;
    const claim = [credentialId, operation, key, requestHash, lease.id, lease.seconds, again];
    const begun = await query<object>(sql.begin, claim).catch((error: unknown) => {
      // Whether or not the key is claimed: nothing of what was asked for has begun.
      throw error instanceof Unconfirmed ? orBusy(error.cause) : error;
    });
    if (begun.length > 0) return { outcome: 'begun' };
    const [row] = await query<Found>(sql.find, [credentialId, operation, key]);
    // Another process has removed it in between: the next look may begin it.
    return row ? claimOf(row, request) : { outcome: 'under way' };
  },

  async renew(leaseIds, seconds) {
    return new Set((await apart<{ id: string }>(sql.renew, [leaseIds, seconds])).map(({ id }) => id));
  },

  async answer(leaseId, text) {
    await query(sql.answer, [leaseId, text]);
  },

  async interrupt(leaseId) {
    await query(sql.interrupt, [leaseId]);
  },

  async forget(leaseId) {
    await query(sql.forget, [leaseId]);
  },

  removeOld: async () => (await query<object>(sql.removeOld, [])).length,
});
