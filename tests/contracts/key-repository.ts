import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { KeyRepository } from '../../src/application/ports/storage.ts';
import type { ApiKey, User } from '../../src/domain/access.ts';
import { anId } from '../support/builders.ts';

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

const until = async (condition: () => Promise<boolean>) => {
  const giveUp = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > giveUp) throw new Error('What was waited for did not come about.');
    await sleep(10);
  }
};

/** Every KeyRepository passes this, or it is not one. */
export const keyRepositoryContract = (harness: () => KeyHarness) => {
  beforeEach(() => harness().set(now));

  const issue = async (over: Partial<ApiKey> = {}, whose?: User) => {
    const user = whose ?? (await harness().aUser());
    const key: ApiKey = {
      id: anId(),
      userId: user.id,
      name: 'Laptop',
      prefix: 'svc-abcd',
      hash: createHash('sha256').update(anId()).digest('hex'),
      scopes: null,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      createdAt: now,
      ...over,
    };
    await harness().keys.insert(key);
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
      credential: { id: key.id, kind: 'api_key' },
      scopes: new Set(['runs:read', 'runs:write']),
      door: 'api_key',
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
    expect(await harness().keys.revoke(key.id)).to.equal(true);
    expect(await find(key.hash)).to.equal(null);
    await until(async () => (await harness().elsewhere.findCaller(key.hash)) === null);
  });

  it('revokes once: the time of the first revocation stays', async () => {
    const { user, key } = await issue();
    await harness().keys.revoke(key.id);
    const [first] = await harness().keys.list(user.id);
    expect(await harness().keys.revoke(key.id)).to.equal(true);
    expect((await harness().keys.list(user.id))[0]?.revokedAt)
      .to.deep.equal(first?.revokedAt)
      .and.to.be.a('date');
    for (const id of [anId(), 'x', '\0']) expect(await harness().keys.revoke(id)).to.equal(false);
  });

  it('follows what becomes of the user', async () => {
    const { user, key } = await issue();
    await find(key.hash);
    await harness().setRole(user.id, 'viewer');
    await until(async () => (await find(key.hash))?.role === 'viewer');
    await harness().removeUser(user.id);
    await until(async () => (await find(key.hash)) === null);
    expect(await harness().keys.list(user.id)).to.deep.equal([]);
  });

  it('forgets everything when word of a change may have been missed', async () => {
    const { user, key } = await issue();
    await find(key.hash);
    await harness().deafenDuring(() => harness().setRole(user.id, 'viewer'));
    await until(async () => (await find(key.hash))?.role === 'viewer');
  });

  it('never remembers an answer from before a revocation', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { key } = await issue();
      const asking = Array.from({ length: 5 }, () => find(key.hash));
      await harness().elsewhere.revoke(key.id);
      await Promise.all(asking);
      await until(async () => (await find(key.hash)) === null);
      expect(await find(key.hash)).to.equal(null);
    }
  });

  it('notes when a key was last used, to the minute', async () => {
    const { user, key } = await issue();
    const lastUsed = async () => (await harness().keys.list(user.id))[0]?.lastUsedAt ?? null;
    expect(await lastUsed()).to.equal(null);
    await Promise.all([find(key.hash), find(key.hash)]);
    await until(async () => (await lastUsed()) !== null);
    const noted = (await lastUsed()) as Date;
    expect([noted.getSeconds(), noted.getMilliseconds()]).to.deep.equal([0, 0]);
    expect(Math.abs(Date.now() - noted.getTime())).to.be.below(120_000);
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
