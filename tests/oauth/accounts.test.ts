import { expect } from 'chai';
import { AccountService } from '../../src/composition/modules/access.ts';
import { wordsOf } from './browser.ts';
import { type OAuthClient, oauthClient, type Registered } from './client.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

describe('OAuth: people', () => {
  let world: World;
  let oauth: OAuthClient;
  let client: Registered;
  before(async () => {
    world = await openWorld();
    oauth = oauthClient(world.baseUrl);
    client = await oauth.registered();
  });
  after(() => world.stop());

  const invite = (email: string) => world.composition.container.get(AccountService).invite(email);
  const signIn = async (email: string, password: string, on = oauth.open()) =>
    on.press(await on.open(`${world.baseUrl}/oauth/sign-in`), 'Sign in', { email, password });

  describe('an invitation', () => {
    const chosen = 'seven grey herons at noon';

    it('sets the password of the invited user once, who can sign in with it', async () => {
      const { url, expiresAt } = await invite('new@example.com');
      expect(url).to.match(new RegExp(`^${world.baseUrl}/oauth/invitation/[\\w-]{43}$`));
      expect(Math.round((expiresAt.getTime() - Date.now()) / 86_400_000)).to.equal(7);
      const on = oauth.open();
      const page = await on.open(url);
      expect(page.headers.get('cache-control')).to.equal('no-store');
      expect(wordsOf(page)).to.include('Welcome, Newcomer. This sets the password of the account new@example.com.');
      const done = await on.press(page, 'Set the password', { password: chosen, again: chosen });
      expect(wordsOf(done)).to.include('The password is set');
      expect(done.text).to.include(`href="${world.baseUrl}/console"`);
      for (const again of [
        await on.open(url),
        await on.press(page, 'Set the password', { password: `${chosen}!`, again: `${chosen}!` }),
      ]) {
        expect(again.status).to.equal(404);
        expect(wordsOf(again)).to.include('This invitation was used already');
        expect(wordsOf(again), 'after a second press').to.include(
          'If you have just set your password, sign in with it.',
        );
      }
      expect(wordsOf(await signIn('New@Example.com ', chosen))).to.include('You are signed in as new@example.com.');
    });

    it('shows what is wrong with a password beside its field', async () => {
      const { url } = await invite('new@example.com');
      const on = oauth.open();
      let page = await on.open(url);
      const attempts: readonly (readonly [string, string, RegExp])[] = [
        ['short', 'short', /password-problem">Error: it must have at least 12 characters\./],
        [chosen, `${chosen} `, /again-problem">Error: the two do not match\./],
        ['Password2026!', 'Password2026!', /password-problem">Error: it is one of those that are guessed first/],
        ['', '', /password-problem">Error: it must have at least 12 characters\./],
      ];
      for (const [password, again, problem] of attempts) {
        page = await on.press(page, 'Set the password', { password, again });
        expect(page.status).to.equal(400);
        expect(page.text)
          .to.match(problem)
          .and.match(/aria-invalid="true" aria-describedby="(password|again)-problem/)
          .and.match(/<title>Error: /);
        expect(page.text).not.to.include(chosen);
      }
      expect(wordsOf(await on.press(page, 'Set the password', { password: chosen, again: chosen }))).to.include(
        'The password is set',
      );
    });

    it('ends where a newer one is made, and when its days are over', async () => {
      const [first, second] = [await invite('new@example.com'), await invite('new@example.com')];
      expect((await oauth.open().open(first.url)).status).to.equal(404);
      expect((await oauth.open().open(second.url)).status).to.equal(200);
      await world.query('update invitations set expires_at = now()');
      expect((await oauth.open().open(second.url)).status).to.equal(404);
      expect((await oauth.open().open(`${world.baseUrl}/oauth/invitation/${'x'.repeat(43)}`)).status).to.equal(404);
    });

    it('is for users only', async () => {
      const refused = await invite('nobody@example.com').catch((error: Error) => error.message);
      expect(refused).to.equal('There is no user nobody@example.com who is enabled.');
      await world.query(`update users set disabled_at = now() where email = 'new@example.com'`);
      const disabled = await invite('new@example.com').catch((error: Error) => error.message);
      await world.query(`update users set disabled_at = null where email = 'new@example.com'`);
      expect(disabled).to.equal('There is no user new@example.com who is enabled.');
    });

    it('signs everybody out who knew the old password, and ends what programs were allowed; API keys stay', async () => {
      const key = await world.key('bob@example.com');
      const byKey = () => fetch(`${world.baseUrl}/api/v1/agents`, { headers: { 'x-api-key': key } });
      const tokens = await oauth.granted(client, { scope: 'agents:read' }, 'bob@example.com');
      const others = await oauth.granted(client, { scope: 'agents:read' }, 'ada@example.com');
      const pending = await oauth.code(client, { scope: 'agents:read' }, 'bob@example.com');
      const on = oauth.of('bob@example.com');
      expect((await oauth.call('/api/v1/agents', tokens.access_token)).status).to.equal(200);
      expect(wordsOf(await on.open(`${world.baseUrl}/oauth/grants`))).to.include(
        'You are signed in as bob@example.com.',
      );
      const { visit: consent } = await oauth.asked(client, { scope: 'agents:read' }, 'bob@example.com');
      const { url } = await invite('bob@example.com');
      const elsewhere = oauth.open();
      const done = await elsewhere.press(await elsewhere.open(url), 'Set the password', {
        password: chosen,
        again: chosen,
      });
      expect(wordsOf(done)).to.include('programs that had access have to ask you again. API keys go on working.');
      expect((await oauth.call('/api/v1/agents', tokens.access_token)).status, 'an access token').to.equal(401);
      expect((await oauth.refresh(client, tokens.refresh_token)).status, 'a refresh token').to.equal(400);
      expect((await oauth.exchange(client, pending.code, pending.verifier)).status, 'a code').to.equal(400);
      expect((await on.press(consent, 'Allow')).left, 'a page that waits for consent').to.equal(null);
      expect(
        await world.query('select 1 from oauth_grants where user_id = $1', [await world.userId('bob@example.com')]),
      ).to.deep.equal([]);
      expect(wordsOf(await on.open(`${world.baseUrl}/oauth/grants`))).to.include('Sign in');
      expect((await byKey()).status, 'an API key').to.equal(200);
      expect((await oauth.call('/api/v1/agents', others.access_token)).status, 'a token of another user').to.equal(200);
      expect(wordsOf(await signIn('bob@example.com', PASSWORD))).to.include('is not right');
      const ada = oauth.of('ada@example.com');
      await ada.press(await ada.open(`${world.baseUrl}/oauth/grants`), 'Sign out');
    });

    it('ends a session that is being begun or kept at that moment', async () => {
      const sessions = () => world.query<{ row: string }>(`select hash from oauth_records where kind = 'Session'`);
      const before = new Set((await sessions()).map((row) => JSON.stringify(row)));
      const on = oauth.open();
      await signIn('bob@example.com', chosen, on);
      const kept = (await world.query<object>(`select * from oauth_records where kind = 'Session'`)).filter(
        (row) => !before.has(JSON.stringify({ hash: (row as { hash: string }).hash })),
      );
      expect(kept).to.have.length(1);
      const { url } = await invite('bob@example.com');
      const elsewhere = oauth.open();
      await elsewhere.press(await elsewhere.open(url), 'Set the password', { password: chosen, again: chosen });
      // What a request does that read the session before, and saves it after.
      const columns = 'kind, hash, other_hash, sealed, user_id, expires_at';
      await world.query(
        `insert into oauth_records (${columns}) select ${columns} from json_populate_record(null::oauth_records, $1)`,
        [JSON.stringify(kept[0])],
      );
      expect(wordsOf(await on.open(`${world.baseUrl}/oauth/grants`))).to.include('Sign in');
      expect(wordsOf(await on.open(oauth.authorization(client, { scope: 'agents:read' }).url))).to.include('Sign in');
    });
  });

  describe('signing in', () => {
    it('fails in the same words, whatever is wrong', async () => {
      const never = 'INSERT INTO users';
      await world.query(`update users set password_hash = null where email = 'new@example.com'`);
      for (const [email, password] of [
        ['ada@example.com', 'wrong'],
        ['nobody@example.com', PASSWORD],
        ['new@example.com', PASSWORD],
        ['', ''],
        ['\0', '\0'],
        [`${'a'.repeat(5000)}@example.com`, never],
      ] as const) {
        const page = await signIn(email, password);
        expect(page.status).to.equal(400);
        expect(page.text).to.include(
          '<p class="error" id="problem" role="alert">The email address or the password is not right.</p>',
        );
        expect(page.text).not.to.include(never);
      }
    });

    it('begins a session of its own: a cookie that was there before is worth nothing afterwards', async () => {
      const on = oauth.open();
      await signIn('ada@example.com', PASSWORD, on);
      const first = on.cookies().get('portico_session');
      await signIn('ada@example.com', PASSWORD, on);
      expect(on.cookies().get('portico_session')).to.be.a('string').and.not.to.equal(first);
      const old = await fetch(`${world.baseUrl}/oauth/grants`, {
        redirect: 'manual',
        headers: { cookie: `portico_session=${first}; portico_session.sig=${on.cookies().get('portico_session.sig')}` },
      });
      expect(old.status).to.equal(303);
      const signedOut = await on.press(await on.open(`${world.baseUrl}/oauth/grants`), 'Sign out');
      expect(wordsOf(signedOut)).to.include('Sign in to see which programs you have let in.');
      expect(
        (
          await world.query(
            `select 1 from oauth_records where kind = 'Session' and user_id = $1 and expires_at > now()`,
            [await world.userId('ada@example.com')],
          )
        ).length,
      ).to.equal(0);
    });

    it('is slowed down after wrong guesses, whether or not the account exists, while others can sign in', async () => {
      const own = oauth.open();
      await own.press(await signIn('ada@example.com', PASSWORD, own), 'Sign out');
      for (const email of ['ada@example.com', 'nobody@example.com']) {
        let page = await signIn(email, 'guess');
        for (let guesses = 0; guesses < 12 && page.status === 400; guesses += 1) page = await signIn(email, 'guess');
        expect(page.status, email).to.equal(429);
        expect(wordsOf(page)).to.match(/There were too many attempts to sign in\. Try again in \d+ minutes\./);
        expect(Number(page.headers.get('retry-after'))).to.be.within(1, 300);
      }
      expect((await signIn('ada@example.com', PASSWORD)).status, 'also with the right one').to.equal(429);
      const again = await signIn('ada@example.com', PASSWORD, own);
      expect(wordsOf(again), 'in her own browser').to.include('You are signed in as ada@example.com.');
      const pretended = oauth.open();
      await pretended.open(`${world.baseUrl}/oauth/sign-in`);
      const form = await pretended.open(`${world.baseUrl}/oauth/sign-in`);
      const body = new URLSearchParams({ email: 'ada@example.com', password: PASSWORD });
      body.set('form', /name="form" value="([^"]+)"/.exec(form.text)?.[1] ?? '');
      const cookie = [
        `portico_form=${pretended.cookies().get('portico_form')}`,
        `portico_browser=${own.cookies().get('portico_browser')}`,
        'portico_browser.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA',
      ].join('; ');
      const forged = await fetch(form.url, {
        method: 'POST',
        body,
        headers: { cookie, origin: form.url.origin },
        redirect: 'manual',
      });
      expect(forged.status, 'a cookie that we have not signed').to.equal(429);
      const { url } = await invite('bob@example.com');
      const on = oauth.open();
      await on.press(await on.open(url), 'Set the password', { password: PASSWORD, again: PASSWORD });
      expect(wordsOf(await signIn('bob@example.com', PASSWORD))).to.include('You are signed in as bob@example.com.');
    });
  });

  describe('the grants of a user', () => {
    it('is listed in words, and can be taken back: the tokens end at once', async () => {
      const tokens = await oauth.granted(client, { scope: 'runs:read' }, 'bob@example.com');
      const agent = await oauth.granted(
        client,
        { resource: world.mcpUrl(world.agent('Invoice reader')) },
        'bob@example.com',
      );
      await oauth.call('/api/v1/runs', tokens.access_token);
      const on = oauth.of('bob@example.com');
      let page = await on.open(`${world.baseUrl}/oauth/grants`);
      expect(wordsOf(page))
        .to.include('Read runs and their documents')
        .and.include('Use all tools of the agent Invoice reader');
      expect(wordsOf(page))
        .to.include('A program on a computer of yours')
        .and.include('It calls itself “Test client”.');
      const before = page.text.split('Take access away').length;
      for (let left = before; left > 1; left -= 1) page = await on.press(page, 'Take access away');
      expect(wordsOf(page))
        .to.include('The program has no access any more.')
        .and.include('There are none at the moment.');
      expect((await oauth.call('/api/v1/runs', tokens.access_token)).status).to.equal(401);
      expect((await oauth.refresh(client, agent.refresh_token)).status).to.equal(400);
    });

    it('cannot be seen or removed by another user', async () => {
      await oauth.granted(client, { scope: 'runs:read' }, 'bob@example.com');
      const [grant] = await world.query<{ id: string }>('select id from oauth_grants where user_id = $1', [
        await world.userId('bob@example.com'),
      ]);
      const { url } = await invite('new@example.com');
      const on = oauth.open();
      await on.press(await on.open(url), 'Set the password', { password: PASSWORD, again: PASSWORD });
      expect(wordsOf(await signIn('new@example.com', PASSWORD, on))).to.include('There are none at the moment.');
      await oauth.granted(client, { scope: 'runs:read' }, 'new@example.com', on);
      const page = await on.open(`${world.baseUrl}/oauth/grants`);
      const form = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await on.request(page.url, { method: 'POST', headers, body: `form=${form}&grant=${grant?.id}` });
      expect(await answer.text()).to.include('That access had ended already.');
      expect((await world.query('select 1 from oauth_grants where id = $1', [grant?.id])).length).to.equal(1);
    });
  });
});
