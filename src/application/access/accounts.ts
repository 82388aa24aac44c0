import type { User } from '../../domain/access.ts';
import { actOnUser, type Doer, operator, visitor } from '../../domain/audit.ts';
import { DomainError, invalid } from '../../domain/errors.ts';
import { guessedBy, passwordError } from '../../domain/password.ts';
import { type Charge, tightest } from '../../domain/rate-limit.ts';
import type {
  AccountRepository,
  CommonPasswords,
  Inviter,
  OneTimeTokens,
  Passwords,
  SignedIn,
} from '../ports/accounts.ts';
import type { AuditLog } from '../ports/audit.ts';
import type { RateLimiter } from '../ports/limiter.ts';
import type { Clock } from '../ports/runtime.ts';

interface Attempt {
  readonly email: string;
  readonly password: string;
  /** Where it comes from: a client address, or the network that one customer has. */
  readonly address: string;
  /** The whole address, for the audit log. */
  readonly ip: string;
  /** What the browser proves of itself; null for one in which no user has signed in yet. */
  readonly browser: KnownBrowser | null;
}

/** A browser in which users have signed in before. */
export interface KnownBrowser {
  readonly id: string;
  readonly users: readonly string[];
}

export interface PasswordSettings {
  /** `off`: nobody signs in with a password, or sets one. */
  readonly passwords: 'on' | 'off';
}

interface Dependencies {
  readonly settings: PasswordSettings;
  readonly accounts: AccountRepository;
  readonly passwords: Passwords;
  readonly commonPasswords: CommonPasswords;
  readonly tokens: OneTimeTokens;
  readonly limiter: RateLimiter;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  readonly links: { invitation(token: string): string };
}

/** How a user proves who they are: by a password, an address that works once, or at their organisation. */
export type SignInMethod = 'password' | 'link' | 'organisation';

const INVITATION_DAYS = 7;
const DAY_MS = 86_400_000;
const LONGEST_EMAIL = 254;

/**
 * A client that guesses at one account is slowed down soon, guesses from many places later, and no account is locked for good.
 * A browser in which the user has signed in before has an allowance of its own: what strangers spend does not keep the user out.
 */
const charges = (email: string, address: string, browser: string | null): readonly Charge[] => {
  if (browser !== null) return [{ name: 'sign-in-browser', limit: 10, windowSeconds: 300, key: `${browser} ${email}` }];
  return [
    { name: 'sign-in', limit: 10, windowSeconds: 300, key: `${address} ${email}` },
    { name: 'sign-in-account', limit: 50, windowSeconds: 900, key: email },
    { name: 'sign-in-address', limit: 100, windowSeconds: 900, key: address },
  ];
};

const inWords = (seconds: number) => (seconds <= 60 ? 'a minute' : `${Math.ceil(seconds / 60)} minutes`);

const tooMany = (seconds: number) =>
  new DomainError('rate_limited', `There were too many attempts to sign in. Try again in ${inWords(seconds)}.`, {
    retryAfterSeconds: seconds,
  });

/** A user who presses the button twice sees this too: the first press set the password, but the browser shows the second answer alone. */
const invitationOver = () =>
  new DomainError(
    'not_found',
    'This invitation was used already, was replaced by a newer one, or is over. If you have just set your password, sign in with it.',
  );

/** The same letters may be typed as different code points (RFC 8265 section 4.2.2). */
const prepared = (password: string) => password.normalize('NFKC');

export const accountService = ({
  accounts,
  passwords,
  commonPasswords,
  tokens,
  limiter,
  audit,
  clock,
  links,
  settings,
}: Dependencies) => {
  const isOff = settings.passwords === 'off';

  const invited = async (token: string): Promise<{ user: User; hash: string }> => {
    const hash = tokens.hashOf(token);
    const user = isOff || hash === null ? null : await accounts.findInvited(hash);
    if (hash !== null && user) return { user, hash };
    throw invitationOver();
  };

  /** Counted before the password is compared, so that guesses at the same moment count too, and given back unless it is wrong. */
  const countFailure = async (counted: readonly Charge[], isRight: () => Promise<boolean>): Promise<boolean> => {
    const { allowed, quotas } = await limiter.take(counted);
    if (!allowed) throw tooMany(tightest(quotas)?.resetSeconds ?? 60);
    const right = await isRight().catch(async (error: unknown) => {
      await limiter.giveBack(counted);
      throw error;
    });
    if (right) await limiter.giveBack(counted);
    return right;
  };

  const commonError = async (password: string): Promise<string | null> => {
    for (const guess of guessedBy(password)) {
      if (await commonPasswords.includes(guess)) {
        return 'is one of those that are guessed first: take several words that do not belong together';
      }
    }
    return null;
  };

  return {
    /** A link by which the user sets a password; it works once, and for seven days. An earlier one stops working. */
    async invite(email: string, by: Inviter | null = null, doer: Doer = operator) {
      if (isOff)
        throw new DomainError(
          'conflict',
          'Nobody signs in with a password here: people sign in at their organisation.',
        );
      const account = await accounts.findByEmail(email.trim().toLowerCase());
      if (!account) throw new DomainError('not_found', `There is no user ${email} who is enabled.`);
      const { token, hash } = tokens.generate();
      const expiresAt = new Date(clock.now().getTime() + INVITATION_DAYS * DAY_MS);
      await accounts.invite({ userId: account.user.id, hash, expiresAt, by }, doer);
      return { url: links.invitation(token), expiresAt };
    },

    /** Whose account the link is for. */
    invited: async (token: string) => (await invited(token)).user,

    /** Uses the link up and sets the password. */
    async accept(token: string, password: string, ip: string): Promise<SignedIn> {
      const { user, hash } = await invited(token);
      const chosen = prepared(password);
      const error = passwordError(chosen, user.email) ?? (await commonError(chosen));
      if (error !== null) throw invalid({ path: 'password', message: error });
      const accepted = await accounts.accept(hash, await passwords.hash(chosen), ip);
      if (accepted) return accepted;
      throw invitationOver();
    },

    /** Refused in the same words whether the account, its password or the invitation's acceptance is missing, and slowed down when it fails often. */
    async signIn({ email, password, address, ip, browser }: Attempt): Promise<SignedIn> {
      if (isOff) throw new DomainError('unauthenticated', 'Nobody signs in with a password here.');
      const name = email.trim().toLowerCase().slice(0, LONGEST_EMAIL);
      const account = await accounts.findByEmail(name);
      const known = browser?.users.includes(account?.user.id ?? '') ? browser.id : null;
      const counted = charges(name, address, known);
      const right = await countFailure(counted, () =>
        passwords.matches(prepared(password), account?.passwordHash ?? null, known !== null),
      );
      if (account && right) return { user: account.user, passwordVersion: account.passwordVersion };
      if (account) {
        const deed = { action: 'sign_in.failed', details: { method: 'password' } } as const;
        await audit.record(actOnUser(visitor(account.user.id, ip), deed, account.user.id));
      }
      throw new DomainError('unauthenticated', 'The email address or the password is not right.');
    },

    find: (userId: string) => accounts.find(userId),

    /** Notes that a user has proved who they are, before their session begins. */
    async signedIn({ id }: User, method: SignInMethod, ip: string): Promise<void> {
      const deed = { action: 'sign_in.succeeded', details: { method } } as const;
      await audit.record(actOnUser(visitor(id, ip), deed, id));
    },
  };
};

export type AccountService = ReturnType<typeof accountService>;
