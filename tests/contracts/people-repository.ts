import { expect } from 'chai';
import type { PeopleRepository } from '../../src/application/ports/people.ts';
import type { User } from '../../src/domain/access.ts';
import { operator } from '../../src/domain/audit.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { anId, aUser } from '../support/builders.ts';

export interface PeopleHarness {
  readonly people: PeopleRepository;
  /** A new workspace of that name; its id. */
  arrange(name: string): Promise<string>;
  store(user: User): Promise<void>;
}

/** Every PeopleRepository passes this, or it is not one. */
export const peopleRepositoryContract = (harness: () => PeopleHarness) => {
  const arrange = async (...users: Partial<User>[]) => {
    const workspaceId = await harness().arrange(`Workspace ${anId()}`);
    const stored = users.map((over) => aUser({ workspaceId, ...over }));
    for (const user of stored) await harness().store(user);
    return { workspaceId, users: stored as [User, User] };
  };
  const codeOf = async (work: Promise<unknown>) => {
    const error = await work.catch((thrown: unknown) => thrown);
    return error instanceof DomainError ? error.code : error;
  };

  it('adds a person whose address nobody has, in any workspace, however it is written', async () => {
    const [one, two] = [await arrange(), await arrange()];
    const email = `${anId()}@example.com`;
    const { workspaceId: _, ...user } = aUser({ email, role: 'viewer' });
    const added = await harness().people.add({ ...user, workspaceId: one.workspaceId }, operator);
    expect(added).to.deep.equal({
      ...user,
      disabled: false,
      lastSeenAt: null,
      signIn: 'none',
      status: 'not_invited',
    });
    expect(await harness().people.add(aUser({ email, workspaceId: two.workspaceId }), operator)).to.equal(null);
    expect(await harness().people.list(one.workspaceId)).to.deep.equal([added]);
    expect(await harness().people.list(two.workspaceId)).to.deep.equal([]);
  });

  it('changes what it is given of a person, and nothing else', async () => {
    const { workspaceId, users } = await arrange({ role: 'admin' }, { role: 'member' });
    const [, bob] = users;
    const change = (changes: Parameters<PeopleRepository['change']>[2]) =>
      harness().people.change(workspaceId, bob.id, changes, operator);
    expect(await change({})).to.include({ name: bob.name, role: 'member', disabled: false });
    expect(await change({ name: 'Robert' })).to.include({ name: 'Robert', role: 'member', disabled: false });
    expect(await change({ role: 'viewer' })).to.include({ name: 'Robert', role: 'viewer', disabled: false });
    expect(await change({ disabled: true })).to.include({ role: 'viewer', disabled: true });
    expect(await change({ disabled: true, role: 'admin' })).to.include({ role: 'admin', disabled: true });
    expect(await change({ disabled: false })).to.include({ role: 'admin', disabled: false });
  });

  it('changes nobody of another workspace, and nobody who is not there', async () => {
    const [one, two] = [await arrange({ role: 'admin' }), await arrange({ role: 'admin' })];
    for (const id of [two.users[0].id, anId(), 'no id'])
      expect(await harness().people.change(one.workspaceId, id, { disabled: true }, operator)).to.equal(null);
    expect((await harness().people.list(two.workspaceId))[0]).to.include({ disabled: false });
  });

  it('keeps the last administrator who is enabled', async () => {
    const { workspaceId, users } = await arrange({ role: 'admin' }, { role: 'admin' });
    const [ada, bob] = users;
    const change = (id: string, changes: Parameters<PeopleRepository['change']>[2]) =>
      harness().people.change(workspaceId, id, changes, operator);
    await change(bob.id, { disabled: true });
    for (const changes of [{ disabled: true }, { role: 'member' as const }])
      expect(await codeOf(change(ada.id, changes))).to.equal('last_admin');
    expect(await harness().people.list(workspaceId)).to.satisfy((all: { id: string; disabled: boolean }[]) =>
      all.some(({ id, disabled }) => id === ada.id && !disabled),
    );
    await change(bob.id, { disabled: false });
    expect(await change(ada.id, { role: 'member' })).to.include({ role: 'member' });
  });

  it('keeps one of two administrators who disable each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { workspaceId, users } = await arrange({ role: 'admin' }, { role: 'admin' });
      const outcomes = await Promise.all(
        users.map(({ id }) => codeOf(harness().people.change(workspaceId, id, { disabled: true }, operator))),
      );
      expect(outcomes.filter((outcome) => outcome === 'last_admin')).to.have.length(1);
    }
  });
};
