import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { KeyRepository } from '../../src/application/ports/storage.ts';
import type { ApiKey, User } from '../../src/domain/access.ts';
import { type Doer, operator } from '../../src/domain/audit.ts';
import { aKey, anId } from '../support/builders.ts';
import { eventually } from '../support/until.ts';

export interface KeyHarness {
  readonly keys: KeyRepository;
  /** The same store as another process has it. */
  readonly elsewhere: KeyRepository;
  /** The clock of both, which stands still. */
  set(now: Date): void;
  aUser(over?: Partial<User>): Promise<User>;
  removeUser(id: string): Promise<void>;
  setRole(id: string, role: User['role']): Promise<void>;
  /** Makes the change without a word of it, and breaks the connections on which words of changes come. */
  deafenDuring(change: () => Promise<unknown>): Promise<void>;
}

const now = new Date('2026-06-01T12:00:30.000Z');
const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1000);

/** Every KeyRepository passes this, or it is not one. */
export const keyRepositoryContract = (harness: () => KeyHarness) => {
  beforeEach(() => harness().set(now));

  const issue = async (over: Partial<ApiKey> = {}, whose?: User) => {
    const user = whose ?? (await harness().aUser());
    const key = aKey({ userId: user.id, createdAt: now, ...over });
    expect(await harness().keys.insert(key, null, operator)).to.have.property('outcome', 'stored');
    return { user, key };
  };
  const find = (hash: string) => harness().keys.findCaller(hash);

  it('tells who is behind a key', async () => {
    const { user, key } = await issue({ scopes: ['runs:read', 'runs:write'] });
    const expected = {
      userId: user.id,
      workspaceId: user.workspaceId,
      email: user.email,
      role: user.role,
      credential: { id: key.id, kind: 'api_key', window: key.id, selfIssued: false },
      scopes: new Set(['runs:read', 'runs:write']),
      door: 'api_key',
      signedInAt: null,
      boundToAgent: null,
    };
    expect(await find(key.hash)).to.deep.equal(expected);
    expect(await find(key.hash), 'remembered').to.deep.equal(expected);
    expect((await find((await issue()).key.hash))?.scopes).to.equal(null);
  });

  it('knows nobody by another hash, and does not remember that', async () => {
    const hash = createHash('sha256').update(anId()).digest('hex');
    expect(await find(hash)).to.equal(null);
    await issue({ hash });
    expect(await find(hash)).not.to.equal(null);
  });

  it('ends a key at its expiry, remembered or not', async () => {
    const { key } = await issue({ expiresAt: secondsLater(60) });
    expect(await find(key.hash)).not.to.equal(null);
    harness().set(secondsLater(59.999));
    expect(await find(key.hash)).not.to.equal(null);
    harness().set(secondsLater(60));
    expect(await find(key.hash)).to.equal(null);
    expect(await harness().elsewhere.findCaller(key.hash)).to.equal(null);
  });

  it('ends a revoked key at once where it was revoked, and elsewhere when word comes', async () => {
    const { key } = await issue();
    expect(await find(key.hash)).not.to.equal(null);
    expect(await harness().elsewhere.findCaller(key.hash)).not.to.equal(null);
    expect(await harness().keys.revoke(key.id, operator)).to.equal(true);
    expect(await find(key.hash)).to.equal(null);
    await eventually(async () => (await harness().elsewhere.findCaller(key.hash)) === null);
  });

  it('revokes once: the time of the first revocation stays', async () => {
    const { user, key } = await issue();
    await harness().keys.revoke(key.id, operator);
    const [first] = await harness().keys.list(user.id);
    expect(await harness().keys.revoke(key.id, operator)).to.equal(true);
    expect((await harness().keys.list(user.id))[0]?.revokedAt)
      .to.deep.equal(first?.revokedAt)
      .and.to.be.a('date');
    for (const id of [anId(), 'x', '\0']) expect(await harness().keys.revoke(id, operator)).to.equal(false);
  });

  it('follows what becomes of the user', async () => {
    const { user, key } = await issue();
    await find(key.hash);
    await harness().setRole(user.id, 'viewer');
    await eventually(async () => (await find(key.hash))?.role === 'viewer');
    await harness().removeUser(user.id);
    await eventually(async () => (await find(key.hash)) === null);
    expect(await harness().keys.list(user.id)).to.deep.equal([]);
  });

  it('forgets everything when word of a change may have been missed', async () => {
    const { user, key } = await issue();
    await find(key.hash);
    await harness().deafenDuring(() => harness().setRole(user.id, 'viewer'));
    await eventually(async () => (await find(key.hash))?.role === 'viewer');
  });

  it('never remembers an answer from before a revocation', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { key } = await issue();
      const asking = Array.from({ length: 5 }, () => find(key.hash));
      await harness().elsewhere.revoke(key.id, operator);
      await Promise.all(asking);
      await eventually(async () => (await find(key.hash)) === null);
      expect(await find(key.hash)).to.equal(null);
    }
  });

  it('notes when a key was last used, to the minute', async () => {
    const { user, key } = await issue();
    const lastUsed = async () => (await harness().keys.list(user.id))[0]?.lastUsedAt ?? null;
    expect(await lastUsed()).to.equal(null);
    await Promise.all([find(key.hash), find(key.hash)]);
    await eventually(async () => (await lastUsed()) !== null);
    const noted = (await lastUsed()) as Date;
    expect([noted.getSeconds(), noted.getMilliseconds()]).to.deep.equal([0, 0]);
    expect(Math.abs(Date.now() - noted.getTime())).to.be.below(120_000);
  });

  describe('of what is made with a key', () => {
    /** A key with one that was made with it, and one that was made with that one. */
    const aFamily = async () => {
      const { user, key: root } = await issue();
      const { key: child } = await issue({ madeWith: root.id, windowId: root.id, createdAt: secondsLater(1) }, user);
      const { key: grandchild } = await issue(
        { madeWith: child.id, windowId: root.id, createdAt: secondsLater(2) },
        user,
      );
      const { key: other } = await issue({ createdAt: secondsLater(3) }, user);
      return { user, root, child, grandchild, other };
    };
    const working = async (...keys: readonly ApiKey[]) =>
      (await Promise.all(keys.map(({ hash }) => find(hash)))).map((caller) => caller !== null);

    it('counts it in the window of the key that it comes from', async () => {
      const { root, grandchild } = await aFamily();
      expect((await find(grandchild.hash))?.credential).to.deep.equal({
        id: grandchild.id,
        kind: 'api_key',
        window: root.id,
        selfIssued: false,
      });
    });

    it('revokes it with the key, at once here and elsewhere when word comes, and nothing else', async () => {
      const { user, root, child, grandchild, other } = await aFamily();
      await Promise.all([root, grandchild].map(({ hash }) => harness().elsewhere.findCaller(hash)));
      expect(await working(root, child, grandchild, other)).to.deep.equal([true, true, true, true]);
      await harness().keys.revoke(root.id, operator);
      expect(await working(root, child, grandchild, other)).to.deep.equal([false, false, false, true]);
      await eventually(async () => (await harness().elsewhere.findCaller(grandchild.hash)) === null);
      expect((await harness().keys.listOwn(user.id, { limit: 9, after: null })).map(({ id }) => id)).to.deep.equal([
        other.id,
      ]);
    });

    it('revokes for one user, or within one workspace, only what is of them', async () => {
      const { user, root } = await aFamily();
      const stranger = await harness().aUser();
      for (const whose of [{ userId: stranger.id }, { workspaceId: stranger.workspaceId }])
        expect(await harness().keys.revoke(root.id, operator, whose)).to.equal(false);
      expect(await working(root)).to.deep.equal([true]);
      expect(await harness().keys.revoke(root.id, operator, { workspaceId: user.workspaceId })).to.equal(true);
      expect(await working(root)).to.deep.equal([false]);
    });

    it('ends it no later than the key', async () => {
      const { user, key: short } = await issue({ expiresAt: secondsLater(60) });
      const expiresOf = async (expiresAt: Date | null) => {
        const stored = await harness().keys.insert(
          aKey({ userId: user.id, madeWith: short.id, expiresAt, createdAt: now }),
          null,
          operator,
        );
        return stored.outcome === 'stored' ? stored.key.expiresAt : stored;
      };
      expect(await expiresOf(null)).to.deep.equal(secondsLater(60));
      expect(await expiresOf(secondsLater(90))).to.deep.equal(secondsLater(60));
      expect(await expiresOf(secondsLater(30))).to.deep.equal(secondsLater(30));
    });

    it('ends it when the key ends that is replaced, and not the key in its place', async () => {
      const { user, root, child, grandchild, other } = await aFamily();
      const next = aKey({ userId: user.id, madeWith: root.id, windowId: root.id, createdAt: secondsLater(5) });
      expect(await harness().keys.replace(root.id, secondsLater(60), next, null, operator)).to.nested.include({
        'key.madeWith': null,
      });
      harness().set(secondsLater(59));
      expect(await working(root, child, grandchild, other, next)).to.deep.equal([true, true, true, true, true]);
      harness().set(secondsLater(60));
      expect(await working(root, child, grandchild, other, next)).to.deep.equal([false, false, false, true, true]);
      await harness().keys.revoke(root.id, operator);
      expect(await working(next)).to.deep.equal([true]);
    });

    /** A key that made another one in its own place, which made one with it, and goes on for a minute. */
    const aSuccession = async () => {
      const { user, key: old } = await issue();
      const next = aKey({ userId: user.id, madeWith: old.id, createdAt: secondsLater(1) });
      await harness().keys.replace(old.id, secondsLater(60), next, null, withKey(old));
      const { key: child } = await issue({ madeWith: next.id, createdAt: secondsLater(2) }, user);
      expect(await working(old, next, child)).to.deep.equal([true, true, true]);
      return { user, old, next, child };
    };
    const withKey = ({ id, userId }: ApiKey): Doer => ({
      actor: { type: 'user', id: userId, name: null },
      via: { kind: 'api_key', id, address: null },
    });

    it('revokes or ends the key that it made in its own place, and what is of that, while both work', async () => {
      const { user, old, next, child } = await aSuccession();
      const { key: another } = await issue({}, user);
      await harness().keys.revoke(old.id, withKey(another));
      expect(await working(old, next, child, another)).to.deep.equal([false, false, false, true]);
      const rotated = await aSuccession();
      const third = aKey({ userId: rotated.user.id, createdAt: secondsLater(3) });
      await harness().keys.replace(rotated.old.id, secondsLater(30), third, null, operator);
      harness().set(secondsLater(30));
      expect(await working(rotated.old, rotated.next, rotated.child, third)).to.deep.equal([false, false, false, true]);
    });

    it('leaves the key in its place where one of them asks, where another made it, and after the end of the first', async () => {
      for (const asking of ['old', 'next', 'child'] as const) {
        const keys = await aSuccession();
        await harness().keys.revoke(keys.old.id, withKey(keys[asking]));
        expect(await working(keys.old, keys.next, keys.child), asking).to.deep.equal([false, true, true]);
      }
      const { old, next, child } = await aSuccession();
      harness().set(secondsLater(60));
      await harness().keys.revoke(old.id, operator);
      expect(await working(old, next, child)).to.deep.equal([false, true, true]);
      const { user, key } = await issue({ createdAt: secondsLater(60) });
      const byOperator = aKey({ userId: user.id, createdAt: secondsLater(60) });
      await harness().keys.replace(key.id, secondsLater(90), byOperator, null, operator);
      await harness().keys.revoke(key.id, operator);
      expect(await working(key, byOperator)).to.deep.equal([false, true]);
    });

    it('lets no key outlive its maker by replacing another one, and replaces none by a key that was made with it', async () => {
      const { user, root, child, other } = await aFamily();
      const [instead, usurper] = [0, 1].map(() =>
        aKey({ userId: user.id, madeWith: child.id, createdAt: secondsLater(5) }),
      );
      if (!instead || !usurper) throw new Error('no keys');
      await harness().keys.replace(other.id, secondsLater(60), instead, null, operator);
      expect(await harness().keys.replace(root.id, secondsLater(60), usurper, null, operator)).to.deep.equal({
        outcome: 'made with it',
      });
      harness().set(secondsLater(60));
      expect(await working(other, instead, root, child, usurper)).to.deep.equal([false, true, true, true, false]);
      await harness().keys.revoke(child.id, operator);
      await eventually(async () => !(await working(instead))[0]);
      expect(await working(root)).to.deep.equal([true]);
    });

    it('makes none with a key that has ended, however close the two are', async () => {
      const { user, root } = await aFamily();
      await harness().keys.revoke(root.id, operator);
      const late = () => aKey({ userId: user.id, madeWith: root.id, createdAt: now });
      expect(await harness().keys.insert(late(), null, operator)).to.deep.equal({ outcome: 'maker ended' });
      for (let round = 0; round < 20; round += 1) {
        const { user: whose, key } = await issue();
        const made = Array.from({ length: 5 }, () => aKey({ userId: whose.id, madeWith: key.id, createdAt: now }));
        const making = made.map((each, index) =>
          (index % 2 ? harness().keys : harness().elsewhere).insert(each, null, operator),
        );
        await Promise.all([...making, harness().keys.revoke(key.id, operator)]);
        await eventually(async () => (await working(...made)).every((works) => !works));
      }
    });

    it('is replaced or made while there are fewer that work than there may be, however many ask at once', async () => {
      const { user, key } = await issue();
      await issue({ expiresAt: now }, user);
      const one = () => aKey({ userId: user.id, createdAt: now });
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => harness().keys.insert(one(), 4, operator)));
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal([
        'stored',
        'stored',
        'stored',
        'too many',
        'too many',
        'too many',
        'too many',
        'too many',
      ]);
      expect(await harness().keys.replace(key.id, secondsLater(60), one(), 4, operator)).to.deep.equal({
        outcome: 'too many',
      });
      expect(await harness().keys.replace(key.id, now, one(), 4, operator)).to.have.property('outcome', 'stored');
      expect(await harness().keys.insert(one(), 4, operator)).to.deep.equal({ outcome: 'too many' });
      expect(await harness().keys.insert(one(), null, operator)).to.have.property('outcome', 'stored');
      for (const id of [anId(), 'x'])
        expect(await harness().keys.replace(id, now, one(), null, operator)).to.deep.equal({ outcome: 'no key' });
    });
  });

  it('lists the keys of a user a page at a time, without those that were revoked, and finds one', async () => {
    const { user, key: first } = await issue();
    const more: ApiKey[] = [];
    for (let seconds = 1; seconds <= 4; seconds += 1)
      more.push((await issue({ createdAt: secondsLater(seconds >> 1) }, user)).key);
    const [revoked] = more;
    await harness().keys.revoke(revoked?.id ?? '', operator);
    const expected = [first, ...more.slice(1)].toSorted(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
    );
    const { keys } = harness();
    const [page, rest] = [
      await keys.listOwn(user.id, { limit: 2, after: null }),
      await keys.listOwn(user.id, { limit: 9, after: expected[1] ?? null }),
    ];
    expect([...page, ...rest]).to.deep.equal(expected);
    expect(await keys.findOwn(user.id, first.id)).to.deep.equal(first);
    for (const id of [revoked?.id ?? '', anId(), 'x']) expect(await keys.findOwn(user.id, id)).to.equal(null);
    expect(await keys.findOwn(anId(), first.id)).to.equal(null);
  });

  it('lists keys newest first, of one user or of all', async () => {
    const { user, key: middle } = await issue({ createdAt: secondsLater(1), scopes: ['agents:read'] });
    const { key: first } = await issue({ createdAt: now }, user);
    const { key: last, user: other } = await issue({ createdAt: secondsLater(2), expiresAt: secondsLater(90) });
    expect(await harness().keys.list(user.id)).to.deep.equal([
      { ...middle, email: user.email },
      { ...first, email: user.email },
    ]);
    const all = await harness().keys.list(null);
    const ours = all.filter(({ id }) => [first.id, middle.id, last.id].includes(id));
    expect(ours.map(({ id }) => id)).to.deep.equal([last.id, middle.id, first.id]);
    expect(all.find(({ id }) => id === last.id)).to.deep.equal({ ...last, email: other.email });
    expect(await harness().keys.list('x')).to.deep.equal([]);
  });
};
