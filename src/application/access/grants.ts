import { notFound } from '../../domain/errors.ts';
import type { GrantSummary, OAuthStore } from '../ports/oauth.ts';
import type { Log } from '../ports/runtime.ts';
import type { Caller } from './caller.ts';

/** The programs that a caller has given access to. */
export interface GrantService {
  /** Newest first. */
  list(caller: Caller): Promise<readonly GrantSummary[]>;
  /** Ends the access of the program at once. */
  revoke(caller: Caller, id: string): Promise<void>;
}

interface Dependencies {
  readonly store: Pick<OAuthStore, 'listGrants' | 'removeGrant'>;
  readonly log: Log;
}

export const grantService = ({ store, log }: Dependencies): GrantService => ({
  list: ({ userId }) => store.listGrants(userId),
  async revoke({ userId, credential }, id) {
    if (!(await store.removeGrant(id, userId))) throw notFound('grant');
    log.info({ grant_id: id, user_id: userId, credential_id: credential.id }, 'a grant was revoked');
  },
});
