import { callerAsDoer } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';
import { notFound } from '../../domain/errors.ts';
import type { OAuthStore } from '../ports/oauth.ts';
import type { Log } from '../ports/runtime.ts';

/** The programs that a caller has given access to. */
export const grantService = ({ store, log }: { store: Pick<OAuthStore, 'listGrants' | 'removeGrant'>; log: Log }) => ({
  /** Newest first. */
  list: ({ userId }: Caller) => store.listGrants(userId),

  /** Ends the access of the program at once. */
  async revoke(caller: Caller, id: string): Promise<void> {
    const { userId, credential } = caller;
    if (!(await store.removeGrant(id, callerAsDoer(caller), userId))) throw notFound('grant');
    log.info({ grant_id: id, user_id: userId, credential_id: credential.id }, 'a grant was revoked');
  },
});

export type GrantService = ReturnType<typeof grantService>;
