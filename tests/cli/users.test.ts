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
