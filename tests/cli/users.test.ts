import { expect } from 'chai';
import { DomainError } from '../../src/domain/errors.ts';
import { cli } from './run-cli.ts';

const url = 'https://portico.example.com/oauth/invitation/token';
const expiresAt = new Date('2026-11-27T09:30:00.000Z');

describe('portico users invite', () => {
  const asked: string[] = [];
  const accounts = {
    invite: async (email: string) => {
      asked.push(email);
      if (email !== 'ada@example.com') throw new DomainError('not_found', `There is no user ${email}.`);
      return { url, expiresAt };
    },
  };

  it('prints the address alone, so that it can be piped, and says beside it what it is', async () => {
    const { code, out, err } = await cli(['users', 'invite', 'ada@example.com'], { operator: { accounts } });
    expect([code, out]).to.deep.equal([0, `${url}\n`]);
    expect(err).to.include('Give this address to ada@example.com alone').and.include('until 2026-11-27T09:30:00.000Z');
    expect(asked).to.deep.equal(['ada@example.com']);
  });

  it('prints JSON', async () => {
    const { out, err } = await cli(['users', 'invite', 'ada@example.com', '--json'], { operator: { accounts } });
    expect(JSON.parse(out)).to.deep.equal({ url, expires_at: expiresAt.toISOString() });
    expect(err).to.equal('');
  });

  it('fails where there is no such user, and without an email', async () => {
    const unknown = await cli(['users', 'invite', 'bob@example.com'], { operator: { accounts } });
    expect(unknown.code).to.equal(1);
    expect(unknown.err).to.include('There is no user bob@example.com.');
    expect((await cli(['users', 'invite'], { operator: { accounts } })).code).to.equal(2);
  });
});

describe('portico users add, disable and enable', () => {
  const asked: unknown[] = [];
  const grace = {
    id: '0198c0de-0000-7000-8000-000000000001',
    email: 'grace@example.com',
    name: 'Grace Hopper',
    role: 'member' as const,
    createdAt: expiresAt,
    status: 'not_invited' as const,
    signIn: 'none' as const,
    disabled: false,
    lastSeenAt: null,
  };
  const people = {
    list: async () => [],
    link: async (email: string) => {
      if (email !== 'ada@example.com') throw new DomainError('conflict', `The user ${email} is disabled.`);
      return { url, expiresAt };
    },
    add: async (...given: unknown[]) => {
      asked.push(given);
      return grace;
    },
    setDisabled: async (...given: unknown[]) => {
      asked.push(given);
      if (given[0] === 'last@example.com')
        throw new DomainError('conflict', 'The workspace would be left without an administrator who is enabled.', {
          code: 'last_admin',
        });
      return grace;
    },
  };
  beforeEach(() => asked.splice(0));

  it('adds a user with a name and a role, and prints the id', async () => {
    const given = ['users', 'add', 'grace@example.com', '--name', 'Grace Hopper'];
    const { code, out } = await cli(given, { operator: { people } });
    expect([code, out]).to.deep.equal([0, `${grace.id}\n`]);
    const more = [...given, '--role', 'viewer', '--workspace', 'acme', '--json'];
    expect(JSON.parse((await cli(more, { operator: { people } })).out)).to.include({ id: grace.id, role: 'viewer' });
    expect(asked).to.deep.equal([
      [{ email: 'grace@example.com', name: 'Grace Hopper', role: 'member' }, null],
      [{ email: 'grace@example.com', name: 'Grace Hopper', role: 'viewer' }, 'acme'],
    ]);
    expect((await cli([...given, '--role', 'owner'], { operator: { people } })).code).to.equal(2);
    expect((await cli(given.slice(0, 3), { operator: { people } })).code).to.equal(2);
  });

  it('adds nobody whose address or name is none', async () => {
    for (const [email, name, what] of [
      ['grace', 'Grace', 'the email must be an e-mail address'],
      ['grace@example.com', '', 'the name must be a string of 1 to 200 characters'],
      ['grace@example.com', ' ', 'the name must be a string of 1 to 200 characters that is not blank'],
      ['grace@example.com', '\u200b\u0007', 'the name must be a string of 1 to 200 characters that is not blank'],
      [' grace@example.com', 'Grace', 'the email must be an e-mail address'],
    ] as const) {
      const { code, err } = await cli(['users', 'add', email, '--name', name], { operator: { people } });
      expect([code, err], email).to.deep.equal([2, err.includes(what) ? err : 'says something else']);
    }
    expect(asked).to.deep.equal([]);
  });

  it('makes an address that signs in once, for users who are enabled', async () => {
    const given = ['users', 'link', 'ada@example.com'];
    const { code, out, err } = await cli(given, { operator: { people } });
    expect([code, out]).to.deep.equal([0, `${url}\n`]);
    expect(err).to.include('ada@example.com alone').and.include('until 2026-11-27T09:30:00.000Z');
    expect(JSON.parse((await cli([...given, '--json'], { operator: { people } })).out)).to.deep.equal({
      url,
      expires_at: expiresAt.toISOString(),
    });
    expect((await cli(['users', 'link', 'bob@example.com'], { operator: { people } })).code).to.equal(1);
  });

  it('disables and enables a user, and says why it cannot', async () => {
    for (const [command, disabled] of [
      ['disable', true],
      ['enable', false],
    ] as const) {
      const { code, out } = await cli(['users', command, 'bob@example.com'], { operator: { people } });
      expect([code, out]).to.deep.equal([0, out.includes(`${command}d`) ? out : 'says nothing']);
      expect(asked.pop()).to.deep.equal(['bob@example.com', disabled]);
    }
    const refused = await cli(['users', 'disable', 'last@example.com'], { operator: { people } });
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('without an administrator who is enabled');
  });
});
