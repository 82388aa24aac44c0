import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Grant, OAuthRecord, OAuthStore } from '../../src/application/ports/oauth.ts';
import type { User } from '../../src/domain/access.ts';
import { system } from '../../src/domain/audit.ts';
import { anId } from '../support/builders.ts';

export interface OAuthStoreHarness {
  readonly store: OAuthStore;
  aUser(): Promise<User>;
  /** An agent that exists. */
  readonly agentId: string;
  /** Makes everything that is kept older. */
  letPass(seconds: number): Promise<void>;
}

const hash = () => randomBytes(32).toString('hex');
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

const aRecord = (over: Partial<OAuthRecord> = {}): OAuthRecord => ({
  kind: 'Session',
  hash: hash(),
  otherHash: null,
  sealed: 'v1.sealed',
  grantId: null,
  userId: null,
  scopes: null,
  signedInAt: null,
  expiresAt: inSeconds(600),
  ...over,
});

/** Every OAuthStore passes this, or it is not one. */
export const oauthStoreContract = (harness: () => OAuthStoreHarness) => {
  const store = (): OAuthStore => harness().store;

  const aGrant = async (over: Partial<Grant> = {}, clientHash = hash()): Promise<Grant> => {
    const { id: userId } = over.userId === undefined ? await harness().aUser() : { id: over.userId };
    const grant: Grant = {
      id: anId(),
      userId,
      signInId: null,
      clientId: 'client',
      clientName: 'Name',
      clientHost: 'app.example',
      resource: 'urn:api',
      agentId: null,
      scopes: ['a', 'b'],
      createdAt: new Date(),
      usedAt: null,
      expiresAt: inSeconds(3600),
      ...over,
    };
    await store().saveGrant(grant, clientHash, system);
    return grant;
  };

  it('returns what it was given, by kind and hash', async () => {
    const record = aRecord({ otherHash: hash() });
    expect(await store().save(record)).to.equal(true);
    const found = { sealed: 'v1.sealed', grantId: null, consumedAt: null };
    expect(await store().find('Session', record.hash)).to.deep.equal(found);
    expect(await store().findByOther('Session', record.otherHash ?? '')).to.deep.equal(found);
    expect(await store().find('Interaction', record.hash)).to.equal(null);
    expect(await store().find('Session', hash())).to.equal(null);
    expect(await store().findByOther('Session', record.hash)).to.equal(null);
  });

  it('saves no session that was removed meanwhile, by a request that had read it before', async () => {
    const [session, interaction] = [aRecord({ otherHash: hash() }), aRecord({ kind: 'Interaction' })];
    for (const { kind, hash: removed } of [session, interaction]) {
      await store().save({ ...session, kind, hash: removed });
      await store().remove(kind, removed);
    }
    expect(await store().save(session)).to.equal(false);
    expect(await store().find('Session', session.hash)).to.equal(null);
    expect(await store().findByOther('Session', session.otherHash ?? '')).to.equal(null);
    expect(await store().save(interaction)).to.equal(true);
  });

  it('knows whether one of these users has allowed a client something that lasts', async () => {
    const [{ userId, clientId }, over] = [
      await aGrant({ clientId: 'allowed' }),
      await aGrant({ clientId: 'over', expiresAt: inSeconds(-1) }),
    ];
    expect(await store().hasGrant([over.userId, userId], clientId)).to.equal(true);
    expect(await store().hasGrant([over.userId], clientId)).to.equal(false);
    expect(await store().hasGrant([over.userId, userId], over.clientId)).to.equal(false);
    expect(await store().hasGrant([userId], 'another')).to.equal(false);
    expect(await store().hasGrant([], clientId)).to.equal(false);
    expect(await store().hasGrant(['no id'], clientId)).to.equal(false);
  });

  it('replaces, and removes', async () => {
    const record = aRecord();
    await store().save(record);
    await store().save({ ...record, sealed: 'v1.other' });
    expect((await store().find('Session', record.hash))?.sealed).to.equal('v1.other');
    await store().remove('Session', record.hash);
    await store().remove('Session', record.hash);
    expect(await store().find('Session', record.hash)).to.equal(null);
  });

  it('knows nothing of what has expired', async () => {
    const grant = await aGrant({ expiresAt: inSeconds(60) });
    const record = aRecord({ expiresAt: inSeconds(60) });
    await store().save(record);
    await harness().letPass(61);
    expect(await store().find('Session', record.hash)).to.equal(null);
    expect(await store().findGrant(grant.id)).to.equal(null);
    expect(await store().listGrants(grant.userId)).to.deep.equal([]);
  });

  it('saves no session and no grant of a sign-in that is no more', async () => {
    const grant = await aGrant();
    const gone = { ...grant, id: anId(), signInId: anId() };
    const error = await store()
      .saveGrant(gone, hash(), system)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error');
    expect(await store().findGrant(gone.id)).to.equal(null);
    const session = aRecord({ userId: grant.userId, signInId: anId() });
    expect(await store().save(session)).to.equal(false);
    expect(await store().find('Session', session.hash)).to.equal(null);
  });

  it('lets one of many consume a record', async () => {
    const { id: grantId } = await aGrant();
    for (let round = 0; round < 10; round += 1) {
      const record = aRecord({ kind: 'RefreshToken', grantId });
      await store().saveRefreshToken(record);
      const won = await Promise.all(Array.from({ length: 8 }, () => store().consume('RefreshToken', record.hash)));
      expect(won.filter(Boolean)).to.have.length(1);
      expect((await store().find('RefreshToken', record.hash))?.consumedAt).to.be.a('date');
      expect(await store().consume('RefreshToken', record.hash)).to.equal(false);
    }
    expect(await store().consume('RefreshToken', hash())).to.equal(false);
  });

  it('lets who consumed a record do so once more while the answer may have been lost, and nobody else', async () => {
    const record = aRecord();
    await store().save(record);
    const [first, other] = [hash(), hash()];
    const consumed = (by: string) => store().consumeBy(by, record.kind, record.hash);
    expect([await consumed(first), await consumed(other), await consumed(first)]).to.deep.equal([true, false, true]);
    expect(await store().consume(record.kind, record.hash)).to.equal(false);
    await harness().letPass(61);
    expect(await consumed(first)).to.equal(false);
  });

  it('keeps a grant as the user was shown it', async () => {
    const grant = await aGrant({ agentId: harness().agentId, scopes: ['agent:tools'], clientName: null });
    expect(await store().findGrant(grant.id)).to.deep.equal(grant);
    for (const id of [anId(), 'x', '\0']) expect(await store().findGrant(id)).to.equal(null);
    const [listed] = await store().listGrants(grant.userId);
    expect(listed).to.include({ id: grant.id, clientHost: 'app.example' });
    expect(listed?.agentName).to.be.a('string');
  });

  it('lists the grants of one user, newest first', async () => {
    const { id: userId } = await harness().aUser();
    const older = await aGrant({ userId, createdAt: new Date(Date.now() - 1000) });
    const newer = await aGrant({ userId });
    await aGrant();
    expect((await store().listGrants(userId)).map(({ id }) => id)).to.deep.equal([newer.id, older.id]);
  });

  it('ends a grant with everything that came from it, and takes nothing more for it', async () => {
    const grant = await aGrant();
    const records = ['AuthorizationCode', 'AccessToken'].map((kind) =>
      aRecord({ kind, grantId: grant.id, scopes: ['a'] }),
    );
    for (const record of records) expect(await store().save(record)).to.equal(true);
    const refresh = aRecord({ kind: 'RefreshToken', grantId: grant.id });
    expect(await store().saveRefreshToken(refresh)).to.equal(true);
    expect(await store().removeGrant(grant.id, system)).to.equal(true);
    for (const { kind, hash: of } of [...records, refresh]) expect(await store().find(kind, of)).to.equal(null);
    expect(await store().save(aRecord({ kind: 'AccessToken', grantId: grant.id }))).to.equal(false);
    expect(await store().saveRefreshToken(aRecord({ kind: 'RefreshToken', grantId: grant.id }))).to.equal(false);
    expect(await store().removeGrant(grant.id, system)).to.equal(false);
  });

  it('leaves no token behind where a grant ends while tokens are issued', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id: grantId } = await aGrant();
      const records = Array.from({ length: 6 }, () => aRecord({ kind: 'RefreshToken', grantId }));
      await Promise.all([
        ...records.slice(0, 3).map(store().saveRefreshToken),
        store().removeGrant(grantId, system),
        ...records.slice(3).map(store().saveRefreshToken),
      ]);
      for (const record of records) expect(await store().find('RefreshToken', record.hash)).to.equal(null);
    }
  });

  it('ends a grant for its own user only, where one is given', async () => {
    const grant = await aGrant();
    const { id: other } = await harness().aUser();
    expect(await store().removeGrant(grant.id, system, other)).to.equal(false);
    expect(await store().removeGrant(grant.id, system, grant.userId)).to.equal(true);
    for (const id of [anId(), 'x']) expect(await store().removeGrant(id, system)).to.equal(false);
  });

  it('keeps a grant and its client for as long as the last refresh token', async () => {
    const client = aRecord({ kind: 'Client', expiresAt: inSeconds(60) });
    await store().save(client);
    const grant = await aGrant({ expiresAt: inSeconds(120) }, client.hash);
    await store().saveRefreshToken(
      aRecord({ kind: 'RefreshToken', grantId: grant.id, expiresAt: inSeconds(30 * 86_400) }),
    );
    await harness().letPass(20 * 86_400);
    expect(await store().findGrant(grant.id)).not.to.equal(null);
    expect(await store().find('Client', client.hash)).not.to.equal(null);
    await harness().letPass(11 * 86_400);
    expect(await store().findGrant(grant.id)).to.equal(null);
    expect(await store().find('Client', client.hash)).to.equal(null);
  });

  it('sweeps what has expired, some at a time, until nothing is left of it', async () => {
    const { id: grantId } = await aGrant({ expiresAt: inSeconds(7200) });
    const kept = aRecord({ expiresAt: inSeconds(7200) });
    await store().save(kept);
    for (let count = 0; count < 30; count += 1)
      await store().save(aRecord({ kind: 'AccessToken', grantId, expiresAt: inSeconds(60) }));
    await aGrant({ expiresAt: inSeconds(60) });
    await harness().letPass(61);
    let swept = 0;
    for (let more = await store().sweep(); more > 0; more = await store().sweep()) swept += more;
    expect(swept).to.be.at.least(31);
    expect(await store().find('Session', kept.hash)).not.to.equal(null);
    expect(await store().findGrant(grantId)).not.to.equal(null);
  });
};
