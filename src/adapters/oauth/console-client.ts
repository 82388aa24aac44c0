import type { ClientMetadata } from 'oidc-provider';
import type { Grant } from '../../application/ports/oauth.ts';
import { ACCOUNT, type User } from '../../domain/access.ts';
import type { Doer } from '../../domain/audit.ts';
import { API, CONSOLE } from './authorization-request.ts';
import { sha256 } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';

const NAME = 'Portico console';

/** The claim of its tokens that says when the user signed in. */
export const SIGNED_IN = 'signed_in';

/** The console is the one client that is known without registration, and the one that is not a native application: its address is exact. */
export const consoleClient = (address: string): ClientMetadata => ({
  client_id: CONSOLE,
  client_name: NAME,
  redirect_uris: [`${address}/signed-in`],
  token_endpoint_auth_method: 'none',
  application_type: 'web',
  grant_types: ['authorization_code'],
  response_types: ['code'],
});

/** A session lasts a day, and the last token that it renews an hour more. */
const GRANT_MS = 25 * 3_600_000;
const TOKEN_MS = 3_600_000;

type Dependencies = Pick<AuthorizationServerSettings, 'console' | 'store' | 'ids' | 'clock'>;

/** Whether it is the console's, of this sign-in at the organisation; null: of any other sign-in. */
const isOf = (signIn: string | null, { clientId, signInId = null }: Grant) =>
  clientId === CONSOLE && signInId === signIn;

/**
 * The grant of the user's console, without asking: it is part of the server that the user has just signed in to. All its windows
 * of one sign-in share one, and so one allowance of requests, as long as it outlives a token from now.
 */
export const consoleGrant = async (
  { console, store, ids, clock }: Dependencies,
  { id: userId }: User,
  signInId: string | null,
): Promise<string> => {
  const now = clock.now();
  const lasts = (grant: Grant) => isOf(signInId, grant) && grant.expiresAt.getTime() > now.getTime() + TOKEN_MS;
  const known = (await store.listGrants(userId)).find(lasts);
  if (known) return known.id;
  const grant: Grant = {
    id: ids.next(),
    userId,
    signInId,
    clientId: CONSOLE,
    clientName: NAME,
    clientHost: new URL(console).host,
    resource: API,
    agentId: null,
    scopes: [ACCOUNT],
    createdAt: now,
    usedAt: null,
    expiresAt: new Date(now.getTime() + GRANT_MS),
  };
  await store.saveGrant(grant, sha256(CONSOLE), null);
  return grant.id;
};

/** Ends the access of every window of the console: its tokens would outlive the session that they come from. */
export const endConsole = async (
  store: Dependencies['store'],
  { id: userId }: User,
  signInId: string | null,
  by: Doer,
): Promise<void> => {
  for (const grant of await store.listGrants(userId))
    if (isOf(signInId, grant)) await store.removeGrant(grant.id, by, userId);
};
