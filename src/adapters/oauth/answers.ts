import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountService } from '../../application/access/accounts.ts';
import type { OAuthStore } from '../../application/ports/oauth.ts';
import type { Browsers } from './browsers.ts';
import { userOf } from './subjects.ts';

interface Dependencies {
  readonly accounts: Pick<AccountService, 'find'>;
  readonly store: Pick<OAuthStore, 'hasGrant'>;
  readonly browsers: Browsers;
}

/**
 * Whether a client hears of an error: where the user has just decided, or where one who signed in with this browser has
 * allowed it something that still holds.
 */
export const mayBeAnswered =
  ({ accounts, store, browsers }: Dependencies) =>
  async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    const { client, session, entities } = ctx.oidc;
    if (entities.Interaction?.result?.error !== undefined) return true;
    if (!client) return false;
    const user = await userOf(accounts, session?.accountId);
    const users = [...(user ? [user.id] : []), ...(browsers.known(ctx.cookies)?.users ?? [])];
    return store.hasGrant(users, client.clientId);
  };
