import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { JWTPayload } from 'jose';
import { SignJWT, UnsecuredJWT } from 'jose';
import { oneTimeTokens } from '../../src/adapters/oauth/secrets.ts';
import { AccountService, OperatedPeople, Presence } from '../../src/composition/modules/access.ts';
import { DoctorService } from '../../src/composition/modules/doctor.ts';
import { AccessTokens, AccountRepository } from '../../src/composition/modules/postgres.ts';
import { operator } from '../../src/domain/audit.ts';
import { callApi } from '../support/api.ts';
import { freePort } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { type Browser, type Visit, wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient } from './client.ts';
import {
  awayFrom,
  browserThere,
  buttonOn,
  CLIENT,
  SECRET,
  type TheOrganisation,
  theOrganisation,
} from './organisation.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

const BOB = 'bob@example.com';
const ADA = 'ada@example.com';
const NEW = 'new@example.com';
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';

interface Person {
  readonly email: string;
  readonly role: string;
  readonly sign_in: string;
  readonly status: string;
}

const using = (settings: Readonly<Record<string, string>> = {}) => {
  let world: World;
  let organisation: TheOrganisation;
  let oauth: OAuthClient;
  let admin: string;
  before(async () => {
    const base = `http://127.0.0.1:${await freePort()}`;
    organisation = await theOrganisation(base);
    world = await openWorld({ env: { ...organisation.env, ...settings }, port: Number(new URL(base).port) });
    await organisation.up();
    oauth = oauthClient(world.baseUrl);
    admin = await world.key(ADA);
  });
  afterEach(() => {
    organisation.tamper = null;
    organisation.userinfo = null;
  });
  after(async () => {
    await world.stop();
    await organisation.down();
  });
  const signInPage = (on: Browser) => on.open(`${world.baseUrl}/oauth/sign-in`);
  /** Signs somebody in who has no session at the organisation. */
  const signIn = async (on = oauth.open()): Promise<Visit> =>
    on.open((await awayFrom(on, await signInPage(on), browserThere(organisation))).href);
  return {
    world: () => world,
    organisation: () => organisation,
    oauth: () => oauth,
    signInPage,
    signIn,
    isIn: async (on: Browser, email: string) =>
      wordsOf(await on.open(`${world.baseUrl}/oauth/grants`)).includes(`signed in as ${email}`),
    verified: (email: string, more: object = {}) => ({ email, email_verified: true, name: 'Somebody', ...more }),
    invite: async (email: string) =>
      callApi<{ code: string }>(world.baseUrl, admin, `/users/${await world.userId(email)}/invite`, { body: {} }),
    person: async (email: string) =>
      (await callApi<{ data: { users: Person[] } }>(world.baseUrl, admin, '/users')).body.data.users.find(
        (each) => each.email === email,
      ),
  };
};

describe('the sign-in of an organisation', () => {
  const its = using();
  const { signIn, signInPage, isIn, verified, person } = its;

  it('has a button of its own, and sends the browser with PKCE, state, nonce and the age of a proof', async () => {
    const on = its.oauth().open();
    const page = await signInPage(on);
    expect(wordsOf(page)).to.include('Sign in with ACME or with a password');
    const { left } = await on.open(buttonOn(page) ?? '');
    expect(left?.origin).to.equal(its.organisation().issuer);
    const sent = Object.fromEntries(left?.searchParams ?? []);
    expect(sent).to.include({
      client_id: CLIENT,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${its.world().baseUrl}/oauth/oidc/callback`,
      code_challenge_method: 'S256',
      max_age: '43200',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(sent[name], name).to.have.length.above(30);
  });

  it('binds the account with the address, once it is verified, and knows the person by the subject from then on', async () => {
    its.organisation().person('bob-1', verified('Bob@Example.com'));
    expect(await person(BOB)).to.include({ sign_in: 'password' });
    const on = its.oauth().open();
    await signIn(on);
    expect(await isIn(on, BOB)).to.equal(true);
    expect(await person(BOB)).to.include({ sign_in: 'oidc', status: 'active', role: 'member' });
    const token = await its.oauth().consoleToken(BOB, on);
    expect((await its.oauth().call('/api/v1/whoami', token)).status).to.equal(200);
    its.organisation().person('bob-1', { email: 'robert@example.com', email_verified: false });
    const later = its.oauth().open();
    await signIn(later);
    expect(await isIn(later, BOB)).to.equal(true);
    its.organisation().person('bob-2', verified(BOB));
    const other = its.oauth().open();
    const refused = await signIn(other);
    expect(refused.status).to.equal(403);
    expect(wordsOf(refused)).to.include('belongs to another person of your organisation');
    expect(await isIn(other, BOB)).to.equal(false);
  });

  it('takes no account over by an address that is not verified, whatever UserInfo says of another one', async () => {
    const claims = [
      { email: ADA, email_verified: false },
      { email: ADA, email_verified: 'true' },
      { email: ADA, email_verified: 1 },
      { email: ADA },
      { email_verified: true },
      {},
    ];
    for (const [index, each] of claims.entries()) {
      its.organisation().person(`mallory-${index}`, each);
      const on = its.oauth().open();
      const visit = await signIn(on);
      expect(visit.status, JSON.stringify(each)).to.equal(403);
      expect(wordsOf(visit)).to.include('does not say that it has verified your address');
      expect(await isIn(on, ADA)).to.equal(false);
    }
    its.organisation().person('mallory', {});
    its.organisation().tamper = (given) => its.organisation().sign({ ...given, email: ADA });
    its.organisation().userinfo = { email: 'mallory@example.com', email_verified: true };
    expect((await signIn()).status).to.equal(403);
    its.organisation().userinfo = { email_verified: true };
    expect((await signIn()).status).to.equal(403);
    its.organisation().tamper = (given) => its.organisation().sign({ ...given, email_verified: true });
    its.organisation().userinfo = { email: ADA, email_verified: false };
    expect((await signIn()).status).to.equal(403);
    expect(await person(ADA)).to.include({ sign_in: 'password' });
  });

  it('takes no account over by an address with a letter that is another one in small letters', async () => {
    const kate = 'kate@example.com';
    const init = { method: 'POST', body: JSON.stringify({ email: kate, name: 'Kate', role: 'admin' }) };
    const added = await fetch(`${its.world().baseUrl}/api/v1/users`, {
      ...init,
      headers: { 'x-api-key': await its.world().key(ADA), 'content-type': 'application/json' },
    });
    expect(added.status).to.equal(201);
    its.organisation().person('kelvin', verified('\u212aate@example.com'));
    expect(wordsOf(await signIn())).to.include('You have no account here yet');
    its.organisation().person('kate', verified('Kate@Example.com'));
    const on = its.oauth().open();
    await signIn(on);
    expect(await isIn(on, kate)).to.equal(true);
  });

  it('asks UserInfo for what the ID token lacks, of the same subject only', async () => {
    its.organisation().person('newcomer', {});
    its.organisation().userinfo = { ...verified(NEW), sub: 'somebody else' };
    const refused = await signIn();
    expect(refused.status).to.equal(400);
    its.organisation().userinfo = verified(NEW);
    const on = its.oauth().open();
    await signIn(on);
    expect(await isIn(on, NEW)).to.equal(true);
  });

  it('lets nobody in who is no user, or who is disabled', async () => {
    its.organisation().person('stranger', verified('stranger@example.com'));
    const stranger = await signIn();
    expect([stranger.status, wordsOf(stranger).includes('You have no account here yet')]).to.deep.equal([403, true]);
    await its.world().query('update users set disabled_at = now() where email = $1', [NEW]);
    its.organisation().person('newcomer', verified(NEW));
    expect(wordsOf(await signIn())).to.include('Your account here is disabled');
    await its.world().query('update users set disabled_at = null where email = $1', [NEW]);
  });

  it('is written down where it fails for an account, with how and from where it was tried', async () => {
    const failures = async (email: string) => {
      const path = `/audit?action=sign_in.failed&subject=${await its.world().userId(email)}`;
      const admin = await its.world().key(ADA);
      return (await callApi<{ data: { entries: object[] } }>(its.world().baseUrl, admin, path)).body.data.entries;
    };
    const before = [(await failures(ADA)).length, (await failures(BOB)).length];
    its.organisation().person('mallory-9', { email: ADA, email_verified: false });
    await signIn();
    its.organisation().person('bob-9', verified(BOB));
    await signIn();
    await its.world().query('update users set disabled_at = now() where email = $1', [BOB]);
    its.organisation().person('bob-1', verified(BOB));
    await signIn();
    await its.world().query('update users set disabled_at = null where email = $1', [BOB]);
    const after = [await failures(ADA), await failures(BOB)];
    expect(after.map(({ length }, index) => length - (before[index] ?? 0))).to.deep.equal([1, 2]);
    for (const entry of after.flat())
      expect(entry).to.deep.include({
        via: { kind: 'console', id: null, address: '127.0.0.1' },
        details: { method: 'organisation' },
      });
  });

  it('goes on with the program that asked, and its access ends with the sign-in', async () => {
    const client = await its.oauth().registered();
    const { url, verifier } = its.oauth().authorization(client, { scope: 'agents:read' });
    const on = its.oauth().open();
    its.organisation().person('bob-1', verified(BOB));
    const back = await awayFrom(on, await on.open(url), browserThere(its.organisation()));
    const consent = await on.open(back.href);
    expect(wordsOf(consent)).to.include('Test client');
    const { left } = await on.press(consent, 'Allow');
    const { body } = await its.oauth().exchange(client, left?.searchParams.get('code') ?? '', verifier);
    const status = async () => (await its.oauth().call('/api/v1/agents', body.access_token)).status;
    expect(await status()).to.equal(200);
    await its.world().query('delete from sign_ins');
    expect(await isIn(on, BOB)).to.equal(false);
    await until('it is refused', async () => (await status()) === 401);
    expect((await its.oauth().refresh(client, body.refresh_token)).status).to.equal(400);
  });

  describe('believes', () => {
    const refused = async (visit: Visit, on: Browser, why: string) => {
      expect(visit.status, why).to.equal(400);
      expect(wordsOf(visit), why).to.include('could not be verified');
      expect(await isIn(on, BOB), why).to.equal(false);
    };
    const forged: Readonly<Record<string, (claims: JWTPayload) => string | Promise<string>>> = {
      'another issuer': (claims) => its.organisation().sign({ ...claims, iss: 'https://evil.example' }),
      'another audience': (claims) => its.organisation().sign({ ...claims, aud: 'another' }),
      'another nonce': (claims) => its.organisation().sign({ ...claims, nonce: 'another' }),
      'no nonce': ({ nonce: _, ...claims }) => its.organisation().sign(claims),
      'an end that is over': (claims) => its.organisation().sign({ ...claims, exp: 1_700_000_000 }),
      'no signature': (claims) => new UnsecuredJWT(claims).encode(),
      'a signature by the secret of the client': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET)),
      'a signature that was cut': async (claims) => (await its.organisation().sign(claims)).slice(0, -20),
      'a key that nobody published': (claims) => its.organisation().sign(claims, { kid: 'another' }),
      'changed claims': async (claims) => {
        const [header, , signature] = (await its.organisation().sign(claims)).split('.');
        const body = Buffer.from(JSON.stringify({ ...claims, sub: 'bob-1', email: ADA })).toString('base64url');
        return `${header}.${body}.${signature}`;
      },
    };
    for (const [what, tamper] of Object.entries(forged))
      it(`no ID token with ${what}`, async () => {
        its.organisation().person('bob-1', verified(BOB));
        its.organisation().tamper = tamper;
        const on = its.oauth().open();
        await refused(await signIn(on), on, what);
      });

    it('one that it tampers with and signs well, so that the others fail for their fault', async () => {
      its.organisation().person('bob-1', verified(BOB));
      its.organisation().tamper = (claims) => its.organisation().sign(claims);
      const on = its.oauth().open();
      await signIn(on);
      expect(await isIn(on, BOB)).to.equal(true);
    });

    it('no answer of another browser, a second time, with another state or from another issuer', async () => {
      its.organisation().person('bob-1', verified(BOB));
      const [on, other] = [its.oauth().open(), its.oauth().open()];
      const back = await awayFrom(on, await signInPage(on), browserThere(its.organisation()));
      await signInPage(other);
      const over = async (browser: Browser, url: string) => wordsOf(await browser.open(url));
      expect(await over(other, back.href)).to.include('began in another browser');
      const changed = new URL(back);
      changed.searchParams.set('state', 'x'.repeat(43));
      expect(await over(on, changed.href)).to.include('This sign-in is over');
      await on.open(back.href);
      expect(await isIn(on, BOB)).to.equal(true);
      expect(await over(on, back.href)).to.include('This sign-in is over');
      const mixed = its.oauth().open();
      const again = await awayFrom(mixed, await signInPage(mixed), browserThere(its.organisation()));
      again.searchParams.set('iss', 'https://evil.example');
      await refused(await mixed.open(again.href), mixed, 'iss');
      const denied = its.oauth().open();
      const no = await awayFrom(denied, await signInPage(denied), browserThere(its.organisation()));
      no.searchParams.delete('code');
      no.searchParams.set('error', 'access_denied');
      await refused(await denied.open(no.href), denied, 'an error');
    });

    it('keys that were rotated in, at once, and no more those that were rotated out', async () => {
      its.organisation().person('bob-1', verified(BOB));
      await signIn();
      const old = await its.organisation().sign({ iss: its.organisation().issuer, aud: CLIENT, sub: 'bob-1' });
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await its.organisation().rotate();
      const on = its.oauth().open();
      await signIn(on);
      expect(await isIn(on, BOB)).to.equal(true);
      its.organisation().tamper = () => old;
      const refusedNow = its.oauth().open();
      await refused(await signIn(refusedNow), refusedNow, 'the old key');
    });
  });

  describe('ends, by back-channel logout,', () => {
    const send = (token: string) =>
      fetch(`${its.world().baseUrl}/oauth/oidc/backchannel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      });
    const token = (more: object = {}) => ({
      iss: its.organisation().issuer,
      aud: CLIENT,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 120,
      jti: randomUUID(),
      sub: 'bob-1',
      events: { [LOGOUT]: {} },
      ...more,
    });
    const sids = () => its.world().query<{ session: string }>('select session from sign_ins order by created_at desc');

    it('the sessions and grants of that sign-in, when the organisation’s own server says so', async () => {
      its.organisation().person('bob-1', verified(BOB));
      const [first, second] = [its.oauth().open(), its.oauth().open()];
      await signIn(first);
      const [{ session } = { session: '' }] = await sids();
      await signIn(second);
      const tokens = [await its.oauth().consoleToken(BOB, first), await its.oauth().consoleToken(BOB, second)];
      const status = async (index: number) => (await its.oauth().call('/api/v1/agents', tokens[index] ?? '')).status;
      expect([await status(0), await status(1)]).to.deep.equal([200, 200]);
      await its.organisation().logout('bob-1', session);
      expect([await isIn(first, BOB), await isIn(second, BOB)]).to.deep.equal([false, true]);
      await until('it is refused', async () => (await status(0)) === 401);
      expect(await status(1)).to.equal(200);
    });

    it('all of a person without a session named, by a token that counts once', async () => {
      its.organisation().person('bob-1', verified(BOB));
      const on = its.oauth().open();
      await signIn(on);
      const signed = await its.organisation().sign(token());
      const statuses = await Promise.all([send(signed), send(signed), send(signed)]);
      expect(statuses.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400]);
      expect(await isIn(on, BOB)).to.equal(false);
      expect(await sids()).to.deep.equal([]);
    });

    it('what a token could not end before, when it is sent again', async () => {
      its.organisation().person('bob-1', verified(BOB));
      const on = its.oauth().open();
      await signIn(on);
      const signed = await its.organisation().sign(token());
      await its.world().query('alter table sign_ins rename to sign_ins_away');
      expect((await send(signed)).status).to.equal(500);
      await its.world().query('alter table sign_ins_away rename to sign_ins');
      expect((await send(signed)).status).to.equal(200);
      expect(await isIn(on, BOB)).to.equal(false);
      expect((await send(signed)).status).to.equal(400);
    });

    it('nothing by a token that is not to be believed', async () => {
      its.organisation().person('bob-1', verified(BOB));
      const on = its.oauth().open();
      await signIn(on);
      const { sign } = its.organisation();
      const { sub: _, ...nobody } = token();
      const { jti: __, ...nameless } = token();
      const bad = [
        '',
        'no token',
        new UnsecuredJWT(token()).encode(),
        await new SignJWT(token()).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET)),
        await sign(token({ iss: 'https://evil.example' })),
        await sign(token({ aud: 'another' })),
        await sign(token({ nonce: 'n' })),
        await sign(token({ events: {} })),
        await sign(token({ iat: Math.floor(Date.now() / 1000) - 3600 })),
        await sign(nobody),
        await sign(nameless),
      ];
      for (const [index, each] of bad.entries()) expect((await send(each)).status, `${index}`).to.equal(400);
      expect(await isIn(on, BOB)).to.equal(true);
    });
  });

  it('is tried by the doctor, who says what is wrong with the issuer', async () => {
    const { issuer } = its.organisation();
    const check = async () => {
      const checks = await its.world().composition.container.get(DoctorService).examine();
      return checks.find(({ name }) => name === 'sign-in');
    };
    const detail = `${issuer} describes itself, and publishes 1 key`;
    expect(await check()).to.deep.equal({ name: 'sign-in', status: 'ok', detail });
    await its.organisation().down();
    expect(await check()).to.deep.equal({
      name: 'sign-in',
      status: 'fail',
      detail: `OIDC_ISSUER: ${issuer}: The host 127.0.0.1 refuses the connection.`,
    });
    await its.organisation().up();
  });

  it('stops nobody else while the organisation is away, and works once it is back', async () => {
    its.organisation().person('bob-1', verified(BOB));
    const on = its.oauth().open();
    await signIn(on);
    const half = its.oauth().open();
    const back = await awayFrom(half, await signInPage(half), browserThere(its.organisation()));
    await its.organisation().down();
    const cut = await half.open(back.href);
    expect([cut.status, wordsOf(cut).includes('cannot be reached at the moment')]).to.deep.equal([503, true]);
    expect(await isIn(on, BOB)).to.equal(true);
    const ada = its.oauth().open();
    await ada.press(await signInPage(ada), 'Sign in', { email: ADA, password: PASSWORD });
    expect(await isIn(ada, ADA)).to.equal(true);
    const second = await its.world().second();
    const elsewhere = oauthClient(its.world().baseUrl, () => second).open();
    const away = await elsewhere.open(buttonOn(await signInPage(elsewhere)) ?? '');
    expect(away.status, 'it was away from the start of that process').to.equal(503);
    await its.organisation().up();
    await signIn(elsewhere);
    expect(await isIn(elsewhere, BOB)).to.equal(true);
  });
});

describe('the groups of an organisation', () => {
  const roles = JSON.stringify({ admins: 'admin', staff: 'member', guests: 'viewer' });
  const its = using({ OIDC_ROLES: roles, OIDC_PROVISION: 'true', PERSON_HOURS: '1' });
  const { signIn, isIn, verified, person } = its;
  const comes = async (subject: string, email: string, groups: unknown) => {
    its.organisation().person(subject, verified(email, { groups, name: 'Grace Hopper' }));
    const on = its.oauth().open();
    return { on, visit: await signIn(on) };
  };

  it('make users of new people, with the highest of the roles that they give, read again each time', async () => {
    const email = 'grace@example.com';
    for (const [groups, role] of [
      [['guests', 'others'], 'viewer'],
      [['staff', 'admins', 'guests'], 'admin'],
      ['staff', 'member'],
    ] as const) {
      const { on } = await comes('grace', email, groups);
      expect(await isIn(on, email), role).to.equal(true);
      expect(await person(email)).to.include({ role, sign_in: 'oidc', name: 'Grace Hopper' });
    }
  });

  it('make no user of somebody without a role, and of nobody by a name that objects have anyway', async () => {
    for (const groups of [[], ['others'], ['constructor', '__proto__'], undefined, 7, [null, { admins: 1 }]]) {
      const { on, visit } = await comes('nobody', 'nobody@example.com', groups);
      expect([visit.status, await isIn(on, 'nobody@example.com')]).to.deep.equal([403, false]);
      expect(wordsOf(visit)).to.include('gives you no role here');
    }
    expect(await person('nobody@example.com')).to.equal(undefined);
  });

  it('end the sessions, grants and keys of who has none any more, for good', async () => {
    const { on } = await comes('bob', BOB, ['staff']);
    const client = await its.oauth().registered();
    const tokens = await its.oauth().granted(client, { scope: 'agents:read' }, BOB, on);
    const key = await its.world().key(BOB);
    const uses = {
      token: async () => (await its.oauth().call('/api/v1/agents', tokens.access_token)).status,
      key: async () => (await callApi(its.world().baseUrl, key, '/agents')).status,
    };
    expect([await uses.token(), await uses.key()]).to.deep.equal([200, 200]);
    expect((await comes('bob', BOB, ['others'])).visit.status).to.equal(403);
    for (const use of Object.values(uses)) await until('it is refused', async () => (await use()) === 401);
    expect(await isIn(on, BOB)).to.equal(false);
    expect((await its.oauth().refresh(client, tokens.refresh_token)).status).to.equal(400);
    const page = await its.signInPage(on);
    await on.press(page, 'Sign in', { email: BOB, password: PASSWORD });
    expect(await isIn(on, BOB), 'nor by a password of before').to.equal(false);
    const again = await comes('bob', BOB, ['staff']);
    expect(await isIn(again.on, BOB)).to.equal(true);
    expect(await person(BOB)).to.include({ role: 'member' });
    expect(await uses.key()).to.equal(401);
  });

  it('write down for whom a sign-in was refused, whatever it was refused for', async () => {
    const failures = async (email: string) => {
      const path = `/audit?action=sign_in.failed&subject=${await its.world().userId(email)}`;
      const admin = await its.world().key(ADA);
      return (await callApi<{ data: { entries: object[] } }>(its.world().baseUrl, admin, path)).body.data.entries
        .length;
    };
    await comes('bob', BOB, ['staff']);
    await comes('ada', ADA, ['admins']);
    const before = [await failures(BOB), await failures(ADA)];
    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example' } },
    };
    its.organisation().tamper = (claims) => its.organisation().sign({ ...claims, ...elsewhere });
    expect((await comes('bob', BOB, undefined)).visit.status).to.equal(403);
    its.organisation().tamper = null;
    expect((await comes('bob-8', BOB, ['others'])).visit.status).to.equal(403);
    expect((await comes('ada', ADA, ['staff'])).visit.status).to.equal(409);
    expect((await comes('ada', ADA, ['others'])).visit.status).to.equal(409);
    expect([await failures(BOB), await failures(ADA)]).to.deep.equal(before.map((count) => count + 2));
  });

  it('end nothing of somebody who has more of them than a token holds', async () => {
    const { on } = await comes('bob', BOB, ['staff']);
    const key = await its.world().key(BOB);
    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example' } },
    };
    its.organisation().tamper = (claims) => its.organisation().sign({ ...claims, ...elsewhere });
    const { visit } = await comes('bob', BOB, undefined);
    expect([visit.status, wordsOf(visit).includes('more groups than your organisation sends')]).to.deep.equal([
      403,
      true,
    ]);
    expect(await isIn(on, BOB)).to.equal(true);
    expect((await callApi(its.world().baseUrl, key, '/agents')).status).to.equal(200);
    its.organisation().userinfo = { groups: ['staff'] };
    expect(await isIn((await comes('bob', BOB, undefined)).on, BOB), 'UserInfo has them').to.equal(true);
  });

  it('change nothing where the last administrator would be one no more', async () => {
    const { on } = await comes('ada', ADA, ['admins']);
    for (const groups of [['staff'], ['others']]) {
      const { visit } = await comes('ada', ADA, groups);
      expect([visit.status, wordsOf(visit).includes('last_admin')]).to.deep.equal([409, true]);
      expect(await person(ADA)).to.include({ role: 'admin' });
      expect(await isIn(on, ADA)).to.equal(true);
    }
  });

  it('let the sign-in prove a person for as long as it is fresh, by the time that the organisation tells', async () => {
    const ago = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
    const proves = async (minutes: number) => {
      its.organisation().tamper = (claims) => its.organisation().sign({ ...claims, auth_time: ago(minutes) });
      const { on } = await comes('ada', ADA, ['admins']);
      const { container } = its.world().composition;
      const caller = await container.get(AccessTokens).findCaller(await its.oauth().consoleToken(ADA, on));
      return caller && container.get(Presence)(caller);
    };
    expect(await proves(59)).to.equal(true);
    expect(await proves(61)).to.equal(false);
    expect(await proves(-600), 'a clock that is ahead proves nothing for later').to.equal(true);
  });
});

describe('without passwords', () => {
  const its = using({ PASSWORDS: 'off' });
  const { signIn, signInPage, isIn, verified, person } = its;

  it('the organisation’s button is all that there is, and a password that somebody has opens nothing', async () => {
    const on = its.oauth().open();
    const page = await signInPage(on);
    expect(buttonOn(page)).to.be.a('string');
    expect(page.text).not.to.include('type="password"').and.not.include('or with a password');
    const forms = its.oauth().open();
    const fields = new URLSearchParams({ email: BOB, password: PASSWORD });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = await forms.request(page.url, { method: 'POST', headers, body: fields.toString() });
    expect(sent.status).to.equal(403);
    expect(await isIn(forms, BOB)).to.equal(false);
    expect(await person(BOB)).to.include({ sign_in: 'none' });
    its.organisation().person('bob', verified(BOB));
    await signIn(on);
    expect(await isIn(on, BOB)).to.equal(true);
    const accounts = its.world().composition.container.get(AccountService);
    const attempt = { email: BOB, password: PASSWORD, address: '127.0.0.1', ip: '127.0.0.1', browser: null };
    expect(await accounts.signIn(attempt).catch(({ kind }) => kind)).to.equal('unauthenticated');
    const invited = await its.invite(NEW);
    expect([invited.status, invited.body.code]).to.deep.equal([409, 'conflict']);
  });

  it('opens no invitation of before', async () => {
    const { hash, token } = oneTimeTokens.generate();
    const userId = await its.world().userId(NEW);
    const repository = its.world().composition.container.get(AccountRepository);
    await repository.invite({ userId, hash, expiresAt: new Date(Date.now() + 60_000), by: null }, operator);
    expect((await fetch(`${its.world().baseUrl}/oauth/invitation/${token}`)).status).to.equal(404);
  });

  it('the operator lets somebody in while the organisation is away, once, by a press, and nobody who is disabled', async () => {
    await its.organisation().down();
    const operated = its.world().composition.container.get(OperatedPeople);
    const { url, expiresAt } = await operated.link('Ada@Example.com');
    expect((expiresAt.getTime() - Date.now()) / 60_000).to.be.within(29, 30);
    const on = its.oauth().open();
    const page = await on.open(url);
    expect(await isIn(on, ADA), 'opening it does nothing yet').to.equal(false);
    await on.press(page, 'Sign in');
    expect(await isIn(on, ADA)).to.equal(true);
    expect((await its.oauth().open().open(url)).status).to.equal(404);
    const before = await operated.link(BOB);
    await operated.setDisabled(BOB, true);
    expect((await its.oauth().open().open(before.url)).status).to.equal(404);
    expect(await operated.link(BOB).catch(({ kind }) => kind)).to.equal('conflict');
    await operated.setDisabled(BOB, false);
  });
});
