import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { OAuthRecord, OAuthStore } from '../../application/ports/oauth.ts';
import { system } from '../../domain/audit.ts';
import { SIGNED_IN } from './console-client.ts';
import { errors } from './oidc-provider.ts';
import { sha256 } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { subjectOf, userIdOf } from './subjects.ts';

const CLIENT_SECONDS = 7 * 86_400;

type Dependencies = Pick<AuthorizationServerSettings, 'store' | 'accounts' | 'sealer' | 'clock' | 'log'>;

const epoch = (time: Date) => Math.floor(time.getTime() / 1000);

/** What `signInClaim` has put into a token of the console. */
const signedInAt = ({ extra }: AdapterPayload): Date | null => {
  const seconds = extra?.[SIGNED_IN];
  return typeof seconds === 'number' ? new Date(seconds * 1000) : null;
};

/** The sign-in that a session came of, and its user. */
const signInOf = ({ acr, accountId }: AdapterPayload) => ({
  signInId: acr ?? null,
  userId: accountId === undefined ? null : userIdOf(accountId),
});

/** What a record is found and ended by, beside its own hash. */
const foundBy = (kind: string, payload: AdapterPayload) => ({
  otherHash: payload.uid === undefined ? null : sha256(payload.uid),
  grantId: kind === 'Interaction' ? null : (payload.grantId ?? null),
  ...(kind === 'Session' ? signInOf(payload) : { signInId: null, userId: null }),
  scopes: kind === 'AccessToken' ? (payload.scope ?? '').split(' ') : null,
  signedInAt: signedInAt(payload),
});

/** Stores a client's secret as its hash: see `hashClientSecrets`. */
const withoutSecrets = ({ jti: _, ...payload }: AdapterPayload): AdapterPayload =>
  payload.client_secret === undefined ? payload : { ...payload, client_secret: sha256(payload.client_secret) };

/** A grant in the library's form, made from what the user was shown. */
const grantPayload = async ({ store, accounts }: Dependencies, id: string): Promise<AdapterPayload | undefined> => {
  const grant = await store.findGrant(id);
  const owner = grant && (await accounts.find(grant.userId));
  if (!grant || !owner) return undefined;
  const accountId = subjectOf(owner);
  const { clientId, resource, scopes, createdAt, expiresAt } = grant;
  return {
    kind: 'Grant',
    jti: id,
    accountId,
    clientId,
    iat: epoch(createdAt),
    exp: epoch(expiresAt),
    resources: { [resource]: scopes.join(' ') },
  };
};

/** Removing a grant also removes everything that was issued from it. */
const grants = (dependencies: Dependencies): Adapter => ({
  upsert: () => Promise.reject(new Error('A grant is saved with what the user was shown, not by the library.')),
  find: (id) => grantPayload(dependencies, id),
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async (id) => void (await dependencies.store.removeGrant(id, system)),
  revokeByGrantId: async (id) => void (await dependencies.store.removeGrant(id, system)),
});

/** The library's storage: encrypted records under the hash of what their owner presents. */
export const recordsOf =
  (dependencies: Dependencies) =>
  (kind: string): Adapter => {
    if (kind === 'Grant') return grants(dependencies);
    const { store, sealer, clock, log } = dependencies;

    const opened = (sealed: string): AdapterPayload | undefined => {
      try {
        return JSON.parse(sealer.open(sealed)) as AdapterPayload;
      } catch (err) {
        log.warn({ kind, err }, 'a record of the authorization server cannot be read and is ignored');
        return undefined;
      }
    };

    const payloadOf = (record: Awaited<ReturnType<OAuthStore['find']>>): AdapterPayload | undefined => {
      const payload = record ? opened(record.sealed) : undefined;
      return payload && record?.consumedAt ? { ...payload, consumed: epoch(record.consumedAt) } : payload;
    };

    const find = async (id: string) => {
      const payload = payloadOf(await store.find(kind, sha256(id)));
      return payload && { ...payload, jti: id };
    };

    return {
      find,

      async upsert(id, payload, expiresIn) {
        const stored = kind === 'Session' ? { ...payload, jti: undefined, id } : payload;
        const record: OAuthRecord = {
          kind,
          hash: sha256(id),
          sealed: sealer.seal(JSON.stringify(withoutSecrets(stored))),
          expiresAt: new Date(clock.now().getTime() + (expiresIn ?? CLIENT_SECONDS) * 1000),
          ...foundBy(kind, payload),
        };
        const saved = await (kind === 'RefreshToken' ? store.saveRefreshToken(record) : store.save(record));
        if (!saved) throw new errors.InvalidGrant('the grant was revoked');
      },

      /** The library looks a session up by its uid only to learn its id. */
      async findByUid(uid) {
        const payload = payloadOf(await store.findByOther(kind, sha256(uid)));
        return payload && { ...payload, jti: String(payload.id) };
      },

      findByUserCode: async () => undefined,

      /** Removes the grant if a code or token is used twice: one of its two users must have stolen it. */
      async consume(id) {
        if (await store.consume(kind, sha256(id))) return;
        const grantId = (await store.find(kind, sha256(id)))?.grantId;
        if (grantId) await store.removeGrant(grantId, system);
        throw new errors.InvalidGrant('already used');
      },

      destroy: (id) => store.remove(kind, sha256(id)),
      revokeByGrantId: async (grantId) => void (await store.removeGrant(grantId, system)),
    };
  };
