import { lowerAddress, type Role, roles as ranked } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SignedIn } from '../ports/accounts.ts';
import type { EndedSessions, Identity } from '../ports/identity-provider.ts';
import type { Clock, Ids, Log } from '../ports/runtime.ts';
import type { Entry, SignInRepository } from '../ports/sign-ins.ts';

interface OrganisationSettings {
  /** Group → role; null: roles are as they are, and new people are members. */
  readonly roles: Readonly<Record<string, Role>> | null;
  /** Whether people get in who are no users yet. */
  readonly provision: boolean;
  /** The name of the workspace of new people; null: the only one that there is. */
  readonly workspace: string | null;
}

interface Dependencies {
  readonly signIns: SignInRepository;
  readonly settings: OrganisationSettings;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

/** A user who has signed in at the organisation, and which sign-in it was. */
interface Entered extends SignedIn {
  readonly signInId: string;
  /** When they proved who they are. */
  readonly at: Date;
}

const refusals: Readonly<Record<Exclude<Entry['outcome'], 'signed in'>, string>> = {
  disabled: 'Your account here is disabled. Ask an administrator of your workspace.',
  unknown: 'You have no account here yet. Ask an administrator of your workspace to add you, with this address.',
  unverified:
    'Your organisation does not say that it has verified your address, so no account can be found by it. Ask whoever runs its sign-in.',
  taken:
    'The account with your address belongs to another person of your organisation. Ask an administrator of your workspace.',
  'no workspace': 'There is no workspace for new people here. Ask the operator of this server.',
};

const TOO_MANY_GROUPS =
  'You have more groups than your organisation sends. Ask whoever runs its sign-in to send only those that count here.';

const refuse = (detail: string) => new DomainError('forbidden', detail);

/** Also that of the last administrator, who would be one no more. */
const isRefusal = ({ kind }: DomainError) => kind === 'forbidden' || kind === 'conflict';

/** The sign-in of an organisation: who gets in, as what, and who no longer does. */
export const organisationService = ({ signIns, settings, ids, clock, log }: Dependencies) => {
  /** The highest of the roles that the groups give; `undefined`: none. */
  const roleOf = ({ groups, issuer, subject }: Identity): Role | null | undefined => {
    const { roles } = settings;
    if (roles === null) return null;
    // They may give a role, so nothing of the person ends.
    if (groups === null) {
      log.warn({ issuer, subject }, 'somebody has too many groups for a token');
      throw refuse(TOO_MANY_GROUPS);
    }
    const granted = groups.flatMap((group) => (Object.hasOwn(roles, group) ? [roles[group]] : []));
    return ranked.find((role) => granted.includes(role));
  };

  const newcomerOf = ({ email, name }: Identity, role: Role | null) => {
    if (!settings.provision || email === null) return null;
    const user = { id: ids.next(), email, name: name ?? email, role: role ?? 'member', createdAt: clock.now() };
    return { user, workspace: settings.workspace };
  };

  const entered = async (identity: Identity): Promise<Entered> => {
    const role = roleOf(identity);
    const about = { issuer: identity.issuer, subject: identity.subject };
    if (role === undefined) {
      const userId = await signIns.shutOut(identity);
      log.warn({ ...about, user_id: userId }, 'somebody without a role was refused');
      throw refuse('Your organisation gives you no role here. Ask whoever manages its groups.');
    }
    const signInId = ids.next();
    const entry = await signIns.enter(identity, { role, newcomer: newcomerOf(identity, role), signInId });
    if (entry.outcome !== 'signed in') {
      log.warn({ ...about, reason: entry.outcome }, 'a sign-in of the organisation was refused');
      throw refuse(refusals[entry.outcome]);
    }
    const { signedIn, isNew } = entry;
    log.info({ ...about, user_id: signedIn.user.id, is_new: isNew }, 'a user signed in at the organisation');
    const now = clock.now();
    const at = identity.authenticatedAt !== null && identity.authenticatedAt < now ? identity.authenticatedAt : now;
    return { ...signedIn, signInId, at };
  };

  return {
    /** Refuses people who may not enter, and tells them why. The audit log has each refusal that is about an account. */
    async enter(claimed: Identity, ip: string): Promise<Entered> {
      const identity = { ...claimed, email: claimed.email && lowerAddress(claimed.email) };
      try {
        return await entered(identity);
      } catch (error) {
        if (error instanceof DomainError && isRefusal(error)) await signIns.noteRefusal(identity, ip);
        throw error;
      }
    },

    async end(sessions: EndedSessions): Promise<void> {
      const ended = await signIns.end(sessions);
      log.info({ issuer: sessions.issuer, subject: sessions.subject, ended }, 'the organisation ended sessions');
    },
  };
};

export type OrganisationService = ReturnType<typeof organisationService>;
