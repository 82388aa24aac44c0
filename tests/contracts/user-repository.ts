import { expect } from 'chai';
import type { UserRepository } from '../../src/application/ports/people.ts';
import type { User } from '../../src/domain/access.ts';
import { anId, aUser } from '../support/builders.ts';

export interface UserHarness {
  /** On a server without users. */
  readonly users: UserRepository;
  /** A new workspace of that name; its id. */
  arrange(name: string): Promise<string>;
  store(user: User): Promise<void>;
  remove(id: string): Promise<void>;
  disable(id: string): Promise<void>;
}

/** Every UserRepository passes this, or it is not one. */
export const userRepositoryContract = (harness: () => UserHarness) => {
  const arrange = async (...users: Partial<User>[]) => {
    const name = `Workspace ${anId()}`;
    const workspaceId = await harness().arrange(name);
    const stored = users.map((over) => aUser({ workspaceId, ...over }));
    for (const user of stored) await harness().store(user);
    return { name, users: stored };
  };

  it('finds a user by email, however it is written', async () => {
    const [ada] = (await arrange({ email: 'ada@example.com', role: 'member' })).users;
    for (const email of ['ada@example.com', 'Ada@Example.COM'])
      expect(await harness().users.findByEmail(email)).to.deep.equal(ada);
  });

  it('finds nobody by an unknown email', async () => {
    for (const email of ['nobody@example.com', '', '%', '\0'])
      expect(await harness().users.findByEmail(email)).to.equal(null);
  });

  it('lists the users of every workspace by email, with the name of their workspace', async () => {
    const one = await arrange({ email: 'b@example.com' }, { email: 'Z@example.com'.toLowerCase() });
    const two = await arrange({ email: 'a@example.com' });
    const listed = await harness().users.list();
    expect(listed).to.deep.equal([
      { ...two.users[0], workspace: two.name },
      { ...one.users[0], workspace: one.name },
      { ...one.users[1], workspace: one.name },
    ]);
  });

  it('knows no removed user, and finds the one who has the email now', async () => {
    const [before] = (await arrange({ email: 'moved@example.com' })).users as [User];
    await harness().remove(before.id);
    expect(await harness().users.findByEmail('moved@example.com')).to.equal(null);
    expect(await harness().users.list()).to.deep.equal([]);
    const [now] = (await arrange({ email: 'moved@example.com' })).users;
    expect(await harness().users.findByEmail('moved@example.com')).to.deep.equal(now);
  });

  it('tells a user who is enabled from one who is not', async () => {
    const { name, users: arranged } = await arrange({ email: 'ada@example.com' }, { email: 'bob@example.com' });
    const [ada, bob] = arranged as [User, User];
    await harness().disable(bob.id);
    const { users } = harness();
    expect(await users.find(bob.id)).to.deep.equal({ ...bob, workspace: name });
    expect(await users.findEnabled(bob.id)).to.equal(null);
    expect(await users.findEnabled(ada.id)).to.deep.equal({ ...ada, workspace: name });
    for (const unknown of [anId(), 'no id']) expect(await users.findEnabled(unknown), unknown).to.equal(null);
  });
};
