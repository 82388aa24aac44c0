import { oneTimeTokens } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';

const KIND = 'SignInLink';
const MINUTES = 30;

/** Links that sign a user in once, for a terminal that only the operator of the server sees. */
export const signInLinks = ({
  issuer,
  store,
  sealer,
  clock,
}: Pick<AuthorizationServerSettings, 'issuer' | 'store' | 'sealer' | 'clock'>) => ({
  /** A link that works once, for half an hour. */
  async create(userId: string): Promise<{ readonly url: string; readonly expiresAt: Date }> {
    const { token, hash } = oneTimeTokens.generate();
    const expiresAt = new Date(clock.now().getTime() + MINUTES * 60_000);
    const record = {
      kind: KIND,
      hash,
      otherHash: null,
      sealed: sealer.seal(userId),
      grantId: null,
      userId,
      scopes: null,
    };
    await store.save({ ...record, signedInAt: null, expiresAt });
    return { url: `${issuer}/oauth/link/${token}`, expiresAt };
  },

  /** The user whom a link signs in; null if it was used, is over, or never was. */
  async find(token: string): Promise<string | null> {
    const hash = oneTimeTokens.hashOf(token);
    const record = hash === null ? null : await store.find(KIND, hash);
    return record === null || record.consumedAt !== null ? null : sealer.open(record.sealed);
  },

  /** Uses the link up; answers whether it was this call that did. */
  async use(token: string): Promise<boolean> {
    const hash = oneTimeTokens.hashOf(token);
    return hash !== null && (await store.consume(KIND, hash));
  },
});
