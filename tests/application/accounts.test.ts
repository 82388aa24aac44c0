import { expect } from 'chai';
import { commonPasswords } from '../../src/adapters/oauth/passwords.ts';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { accountService, type KnownBrowser } from '../../src/application/access/accounts.ts';
import type { Account, Invitation } from '../../src/application/ports/accounts.ts';
import type { Act } from '../../src/domain/audit.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { aUser } from '../support/builders.ts';

const ada: Account = { user: aUser({ email: 'ada@example.com' }), passwordHash: 'hash of right', passwordVersion: 1 };

/** Accounts in memory, and a clock that is moved by hand. */
const world = () => {
  let ms = Date.UTC(2026, 10, 20);
  let invitation: Invitation | null = null;
  let overloaded = false;
  const acts: Act[] = [];
  const compared: (string | null)[] = [];
  const service = accountService({
    settings: { passwords: 'on' },
    accounts: {
      findByEmail: async (email) => (email === ada.user.email ? ada : null),
      find: async () => null,
      invite: async (given) => {
        invitation = given;
      },
      findInvited: async (hash) => (invitation?.hash === hash ? ada.user : null),
      accept: async (hash) => (invitation?.hash === hash ? ada : null),
    },
    passwords: {
      hash: async (password) => `hash of ${password}`,
      async matches(password, hash) {
        if (overloaded) throw new DomainError('unavailable', 'later');
        compared.push(hash);
        return hash === `hash of ${password}`;
      },
    },
    commonPasswords: commonPasswords(),
    tokens: {
      generate: () => ({ token: 'token', hash: 'hash' }),
      hashOf: (text) => (text === 'token' ? 'hash' : null),
    },
    limiter: inProcessLimiter({ now: () => ms }),
    audit: {
      record: async (act) => {
        acts.push(act);
      },
    },
    clock: { now: () => new Date(ms) },
    links: { invitation: (token) => `https://auth.example/invitation/${token}` },
  });
  const attempt = (
    password: string,
    email = 'ada@example.com',
    address = '192.0.2.1',
    browser: KnownBrowser | null = null,
  ) =>
    service.signIn({ email, password, address, ip: '192.0.2.77', browser }).then(
      () => 'in',
      (error: DomainError) => error.kind,
    );
  const pass = (seconds: number) => {
    ms += seconds * 1000;
  };
  const overload = (now: boolean) => {
    overloaded = now;
  };
  return { service, attempt, pass, compared, overload, acts };
};

describe('accounts', () => {
  it('invite by a link that holds for seven days', async () => {
    const { service } = world();
    expect(await service.invite(' Ada@Example.com')).to.deep.equal({
      url: 'https://auth.example/invitation/token',
      expiresAt: new Date(Date.UTC(2026, 10, 27)),
    });
  });

  it('take the same password however its letters are composed', async () => {
    const { service } = world();
    await service.invite('ada@example.com');
    const composed = 'caf\u00e9 under the old clock';
    const accepted: string[] = [];
    const twoWays = [composed, composed.normalize('NFD')];
    expect(twoWays[0]).not.to.equal(twoWays[1]);
    for (const password of twoWays) accepted.push((await service.accept('token', password, '192.0.2.77')).user.email);
    expect(accepted).to.deep.equal(['ada@example.com', 'ada@example.com']);
  });

  it('write down who failed to sign in, but no stranger, and nobody who is slowed down', async () => {
    const { attempt, acts, service } = world();
    await attempt('x', 'nobody@example.com');
    await attempt('right');
    expect(acts).to.deep.equal([]);
    for (let guesses = 0; guesses < 12; guesses += 1) await attempt('x');
    const doer = {
      actor: { type: 'user', id: ada.user.id, name: null },
      via: { kind: 'console', id: null, address: '192.0.2.77' },
    };
    const subject = { type: 'user', id: ada.user.id, name: null };
    const failed = { ...doer, workspaceId: null, subject, action: 'sign_in.failed', details: { method: 'password' } };
    expect(acts).to.deep.equal(Array.from({ length: 10 }, () => failed));
    await service.signedIn(ada.user, 'link', '192.0.2.78');
    expect(acts.at(-1)).to.deep.include({ action: 'sign_in.succeeded', details: { method: 'link' } });
  });

  it('compare a password also where there is no account, so that both take as long', async () => {
    const { attempt, compared } = world();
    await attempt('x');
    await attempt('x', 'nobody@example.com');
    expect(compared).to.deep.equal(['hash of right', null]);
  });

  it('slow somebody down who guesses from one place, and let others in', async () => {
    const { attempt, pass } = world();
    for (let guesses = 0; guesses < 10; guesses += 1)
      expect(await attempt(`guess ${guesses}`)).to.equal('unauthenticated');
    expect(await attempt('right')).to.equal('rate_limited');
    expect(await attempt('right', 'ADA@example.com '), 'in other letters').to.equal('rate_limited');
    expect(await attempt('right', 'ada@example.com', '198.51.100.7'), 'the owner, elsewhere').to.equal('in');
    pass(299);
    expect(await attempt('right')).to.equal('rate_limited');
    pass(1);
    expect(await attempt('right')).to.equal('in');
  });

  it('count failures alone: signing in a hundred times is no guess', async () => {
    const { attempt } = world();
    for (let times = 0; times < 110; times += 1) expect(await attempt('right')).to.equal('in');
    for (let guesses = 0; guesses < 10; guesses += 1) expect(await attempt('guess')).to.equal('unauthenticated');
    expect(await attempt('right')).to.equal('rate_limited');
  });

  it('count guesses that come at the same moment, before the first of them is answered', async () => {
    const { attempt } = world();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, guess) => attempt(`guess ${guess}`)));
    expect(answers.filter((answer) => answer === 'unauthenticated')).to.have.length(10);
  });

  it('do not count what could not be compared', async () => {
    const { attempt, overload } = world();
    overload(true);
    for (let times = 0; times < 20; times += 1) expect(await attempt('right')).to.equal('unavailable');
    overload(false);
    expect(await attempt('right')).to.equal('in');
  });

  it('let a browser in that the user has signed in with, whatever strangers guess, and slow its own guesses down', async () => {
    const { attempt, pass } = world();
    const own = { id: 'own', users: [ada.user.id] };
    for (let place = 0; place < 50; place += 1) await attempt('guess', 'ada@example.com', `192.0.2.${place}`);
    for (let name = 0; name < 100; name += 1) await attempt('guess', `${name}@example.com`, '203.0.113.9');
    for (const address of ['198.51.100.7', '192.0.2.1', '203.0.113.9']) {
      expect(await attempt('right', 'ada@example.com', address), `${address}, a stranger`).to.equal('rate_limited');
      expect(await attempt('right', 'ada@example.com', address, own), `${address}, the own browser`).to.equal('in');
    }
    const others = { id: 'other', users: [aUser().id] };
    expect(await attempt('right', 'ada@example.com', '198.51.100.7', others), 'a browser of another user').to.equal(
      'rate_limited',
    );
    for (let guesses = 0; guesses < 10; guesses += 1) await attempt('guess', 'ada@example.com', '198.51.100.7', own);
    expect(await attempt('right', 'ada@example.com', '198.51.100.7', own)).to.equal('rate_limited');
    pass(300);
    expect(await attempt('right', 'ada@example.com', '198.51.100.7', own)).to.equal('in');
  });

  it('slow guesses at one account from many places, and at many accounts from one; nobody is locked out for good', async () => {
    const { attempt, pass } = world();
    for (let place = 0; place < 50; place += 1) await attempt('guess', 'ada@example.com', `192.0.2.${place}`);
    expect(await attempt('right', 'ada@example.com', '198.51.100.7')).to.equal('rate_limited');
    pass(900);
    expect(await attempt('right', 'ada@example.com', '198.51.100.7')).to.equal('in');
    for (let name = 0; name < 100; name += 1) await attempt('guess', `${name}@example.com`, '203.0.113.9');
    expect(await attempt('right', 'ada@example.com', '203.0.113.9')).to.equal('rate_limited');
    pass(900);
    expect(await attempt('right', 'ada@example.com', '203.0.113.9')).to.equal('in');
  });
});

describe('a password', () => {
  const errorOf = async (password: string): Promise<string | null> => {
    const { service } = world();
    await service.invite('ada@example.com');
    const refused = await service.accept('token', password, '192.0.2.77').then(
      () => null,
      (error: DomainError) => error,
    );
    return refused?.errors[0]?.message ?? null;
  };

  const fine = [
    'seven grey herons at noon',
    'copper lantern under the bridge',
    'Tr0ub4dor&3 staple',
    'xK9#mQ2$vL7@',
    'ρ κόκκινη γέφυρα τη νύχτα',
    '密码不应该太容易被别人猜到',
    'password is a weak word for it',
    'ada likes quiet libraries',
  ];
  for (const password of fine) it(`may be ${password}`, async () => expect(await errorOf(password)).to.equal(null));

  const refused: Readonly<Record<string, RegExp>> = {
    'eleven char': /at least 12/,
    ['x'.repeat(257)]: /at most 256/,
    password1234: /guessed first/,
    'Password2026!': /guessed first/,
    'P@ssw0rd!2026': /guessed first/,
    passwordpassword: /guessed first/,
    'Welcome-2026!': /guessed first/,
    qwertyuiop12: /guessed first/,
    'Summer2026!!': /guessed first/,
    counterstrike: /guessed first/,
    CounterStrike: /guessed first/,
    '\uff43ounter\uff53trike': /guessed first/,
    qazwsxedcrfv: /guessed first/,
    ghbdtnrfrltkf: /guessed first/,
    '1qaz2wsx3edc': /guessed first/,
    'C0unt3r$trike!': /guessed first/,
    chelseachelsea: /guessed first/,
    'Chelsea-2019-!': /guessed first/,
    changeme1234: /guessed first/,
    aaaaaaaaaaaa: /sequence or repetition/,
    abababababab: /sequence or repetition/,
    '123456789012': /sequence or repetition/,
    abcdefghijklm: /sequence or repetition/,
    '987654321098': /sequence or repetition/,
    'ada@example.com': /email address/,
    'Ada@Example.com1': /email address/,
  };
  for (const [password, error] of Object.entries(refused)) {
    it(`may not be ${password.slice(0, 20)}`, async () =>
      expect((await errorOf(password)) ?? 'nothing').to.match(error));
  }
});
