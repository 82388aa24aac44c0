import { oneTimeTokens, sha256 } from './secrets.ts';
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
    await store.save({
      kind: KIND,
      hash,
      otherHash: null,
      sealed: sealer.seal(userId),
      grantId: null,
      userId,
      scopes: null,
      signedInAt: null,
      expiresAt,
    });
    return { url: `${issuer}/oauth/link/${token}`, expiresAt };
  },

  /** Answers the user whom the link signs in, and whether the link was used; null if it has expired or does not exist. */
  async find(token: string): Promise<{ readonly userId: string; readonly isUsed: boolean } | null> {
    const hash = oneTimeTokens.hashOf(token);
    const record = hash === null ? null : await store.find(KIND, hash);
    return record && { userId: sealer.open(record.sealed), isUsed: record.consumedAt !== null };
  },

  /**
   * Signs in by the link, which is used up if that succeeds; false if it was used already. `form`: the button that was pressed may have been
   * pressed twice, or its answer lost, so that the browser has no session of the first time.
   */
  async use(token: string, form: string, signIn: () => Promise<void>): Promise<boolean> {
    const hash = oneTimeTokens.hashOf(token);
    if (hash === null || !(await store.consumeBy(sha256(form), KIND, hash))) return false;
    try {
      await signIn();
      return true;
    } catch (error) {
      // The page shows why the sign-in failed; if the link cannot be given back as well, that is not shown.
      await store.giveBack(KIND, hash).catch(() => undefined);
      throw error;
    }
  },
});
