import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { portico } from '../../src/client/portico.ts';
import { RunQueue } from '../../src/composition/modules/postgres.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { finished } from '../support/builders.ts';
import { reload } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { canDecide } from './decisions.ts';
import { busyFor, refusedToken } from './problems.ts';
import { type ConsoleWorld, enterPassword, signIn } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** Longer than the client tries by itself. */
const TRIES_MS = 4000;

/** Longer than a person needs to see what is shown. */
const SEEN_MS = 700;

const data = { supplier: 'Meyer', total: 12, lines: [] };
const always = {
  reviewStatus: 'pending',
  reviewReasons: [{ code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' }],
} as const;

/** So often the client asks by itself. */
const CLIENT_TRIES = 3;

/** Tests of what goes on by itself once a lost connection is back, in the browser and on the server of the others. */
export const lostConnection = (world: () => ConsoleWorld, go: Go): void => {
  const lost = (page: Page) => page.getByText('The server does not answer. This page goes on');
  const make = (name: string) => world().newDocument(name, finished({ data, ...always }));

  it('posts what became due while the connection was lost', async () => {
    const ids = [await make('due first.txt'), await make('due second.txt')];
    const page = await world().open();
    await go(page, `/documents/${ids[0]}?review=pending&from=inbox`);
    for (const name of ['due first.txt', 'due second.txt']) {
      await page.getByRole('heading', { name }).waitFor();
      await canDecide(page);
      await page.keyboard.press('Shift+A');
      await page.getByText(`${name} is approved. It is posted in 10 seconds.`).waitFor();
    }
    await page.context().setOffline(true);
    await lost(page).waitFor();
    await page.getByText('It is posted in 10 seconds.').waitFor({ state: 'detached' });
    await page.waitForTimeout(TRIES_MS);
    await page.context().setOffline(false);
    const posted = () => world().query('select from ledger.bills where document_id = any($1)', [ids]);
    await page.getByText('due second.txt is in the system of record.').waitFor({ timeout: 20_000 });
    expect(await posted()).to.have.length(2);
    await page.context().close();
  });

  it('posts what became due while the connection was lost, also where the page is loaded anew before it is back', async () => {
    const id = await make('due before a reload.txt');
    const page = await world().open();
    await go(page, `/documents/${id}?review=pending&from=inbox`);
    await canDecide(page);
    await page.route('**/api/v1/documents/batch', (route) => route.abort('connectionreset'));
    await page.keyboard.press('Shift+A');
    await page.getByText('It is posted in 10 seconds.').waitFor();
    await lost(page).waitFor({ timeout: 30_000 });
    await page.unrouteAll();
    await reload(page);
    await page.getByText('due before a reload.txt is in the system of record.').waitFor({ timeout: 20_000 });
    expect(await world().query('select from ledger.bills where document_id = $1', [id])).to.have.length(1);
    await page.context().close();
  });

  it('posts what became due while the session was over, once the user has signed in again', async () => {
    const id = await make('due before a sign-in.txt');
    const page = await world().open();
    await go(page, `/documents/${id}?review=pending&from=inbox`);
    await canDecide(page);
    await page.keyboard.press('Shift+A');
    await page.getByText('It is posted in 10 seconds.').waitFor();
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.waitForTimeout(11_000);
    await signIn(page, `${world().baseUrl}/console/runs`);
    await page.getByText('due before a sign-in.txt is in the system of record.').waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('follows what is read again across a lost connection', async () => {
    const id = await world().newDocument('read again.pdf', 'read again.pdf is damaged.', await invoicePdf());
    const page = await world().open();
    await page.route('**/api/v1/runs/*?wait=*', (route) => route.abort('connectionreset'));
    await go(page, `/documents/${id}`);
    await page
      .getByRole('button', { name: 'Retry', exact: true })
      .and(page.locator(':enabled:not([aria-disabled])'))
      .click();
    await lost(page).waitFor();
    await page.waitForTimeout(TRIES_MS);
    expect(await page.getByText('Check the connection and try again.').count()).to.equal(0);
    await page.unrouteAll();
    await world().working(true);
    await page.getByText('read again.pdf was read again.').waitFor({ timeout: 40_000 });
    await world().working(false);
    await page.context().close();
  });

  /** Lets the server do what is asked for there, and loses each of its answers until that is undone. */
  const loseAnswers = async (page: Page, path: string | RegExp) => {
    let asked = 0;
    await page.route(path, async (route) => {
      asked += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    return () => asked;
  };

  /** Ends the oldest run that waits. */
  const failNext = async () => {
    const lease = await world().lease();
    const reason = { code: 'model_error', message: 'No answer.' } as const;
    await world().composition.container.get(RunQueue).finish(lease, { event: 'fail', reason, error: 'No answer.' });
  };

  const runsOf = (message: string) => world().query('select from runs where user_message = $1', [message]);

  it('starts one run of what is sent, however many answers are lost', async () => {
    const message = 'Sent over a bad line';
    const page = await world().open();
    await go(page, '/runs');
    const asked = await loseAnswers(page, '**/api/v1/agents/*/run');
    await page.getByRole('button', { name: 'Send files' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Message').fill(message);
    await form.getByRole('button', { name: 'Start' }).click();
    await until('the client has given up', () => asked() >= CLIENT_TRIES, 20_000);
    await form.getByRole('button', { name: 'Sending…' }).or(form.locator('.failure')).waitFor();
    await page.waitForTimeout(TRIES_MS);
    await page.unrouteAll({ behavior: 'wait' });
    const again = form.getByRole('button', { name: 'Start' });
    if (await again.isVisible()) await again.click();
    await page.waitForURL('**/console/runs/*');
    expect(await runsOf(message)).to.have.length(1);
    await failNext();
    await page.context().close();
  });

  it('reads a document again once, however many answers are lost', async () => {
    const id = await world().newDocument('again once.pdf', 'again once.pdf is damaged.', await invoicePdf());
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const asked = await loseAnswers(page, '**/reread');
    const retry = page
      .getByRole('button', { name: 'Retry', exact: true })
      .and(page.locator(':enabled:not([aria-disabled])'));
    await retry.click();
    await until('the client has given up', () => asked() >= CLIENT_TRIES, 20_000);
    await page.waitForTimeout(TRIES_MS);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('again once.pdf is being read again.').waitFor({ timeout: 20_000 });
    expect(await world().query('select from runs where reread_of = $1', [id])).to.have.length(1);
    await failNext();
    await page.context().close();
  });

  it('retries a failed run once, however many answers are lost, and takes it off', async () => {
    const message = 'Fails at first';
    await world().query("update runs set dismissed_at = now() where status = 'failed'");
    const client = portico({ baseUrl: world().baseUrl, apiKey: await world().key('ada@example.com') });
    const params = { path: { agent_id: world().agent('Clerk') } };
    await client.post('/api/v1/agents/{agent_id}/run', { params, body: { user_message: message } });
    await failNext();
    const page = await world().open();
    await go(page, '/inbox');
    const retry = page.getByRole('button', { name: 'Retry: Clerk' });
    const asked = await loseAnswers(page, /\/run$|\/dismiss$/);
    await retry.and(page.locator('button:not([aria-disabled])')).click();
    for (const tries of [1, 2]) {
      await until('the client has given up', () => asked() >= tries * CLIENT_TRIES, 20_000);
      await page.waitForTimeout(TRIES_MS);
    }
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('Clerk is being read again.').waitFor({ timeout: 20_000 });
    await retry.waitFor({ state: 'detached' });
    expect(await runsOf(message), 'the failed one, and one more').to.have.length(2);
    await failNext();
    await page.context().close();
  });

  it('gives a message back that no agent has, and shows the answer to one whose stream broke off', async () => {
    const page = await world().open();
    await go(page, `/agents/${world().agent('Clerk')}`);
    await world().working(true);
    const message = page.getByLabel('Message to the agent');
    await message.fill('Hello');
    await message.press('Enter');
    await page.getByText('I am the offline model').first().waitFor({ timeout: 30_000 });
    await page.context().setOffline(true);
    await message.fill('Was it heard?');
    await message.press('Enter');
    await lost(page).waitFor();
    await page.waitForTimeout(TRIES_MS);
    await page.context().setOffline(false);
    await lost(page).waitFor({ state: 'detached' });
    await until('it is given back', async () => (await message.inputValue()) === 'Was it heard?', 10_000);
    let sent = 0;
    await page.route('**/messages', async (route) => {
      sent += 1;
      if (sent === 1) await route.fetch();
      await route.abort('connectionreset');
    });
    await message.press('Enter');
    await page.locator('.talk .user').nth(1).waitFor();
    await until('it is answered', async () => (await page.getByText('I am the offline model').count()) === 2, 20_000);
    await lost(page).waitFor({ state: 'detached' });
    expect([await message.inputValue(), await page.locator('.panel .failure').count()]).to.deep.equal(['', 0]);
    await world().working(false);
    await page.context().close();
  });

  it('shows more of a text, also where that was asked for while the connection was lost', async () => {
    const text = `${'A line of a long text\n'.repeat(6000)}The end of it`;
    const file = { fileName: 'long.txt', contentType: 'text/plain' };
    const id = await world().newDocument('long text.txt', finished({ data }), Buffer.from(text), file);
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const more = page.getByRole('button', { name: 'Show more of it' });
    await more.waitFor();
    await page.context().setOffline(true);
    await lost(page).waitFor();
    await more.click();
    await page.waitForTimeout(TRIES_MS);
    await page.context().setOffline(false);
    await page.getByText('The end of it').waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('shows what was decided, however late an answer is that was given before', async () => {
    const id = await make('late answer.txt');
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await canDecide(page);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let given = false;
    await page.route(`**/api/v1/documents/${id}`, async (route) => {
      const response = await route.fetch();
      given = true;
      await held;
      await route.fulfill({ response }).catch(() => {});
    });
    await page.context().setOffline(true);
    await lost(page).waitFor();
    await page.context().setOffline(false);
    await until('it is asked again', () => given);
    await canDecide(page);
    await page.keyboard.press('a');
    await page.getByText('late answer.txt is approved.').waitFor();
    await page.locator('.facts').getByText('Ready to post').waitFor();
    answer();
    await page.waitForTimeout(1000);
    expect(await page.locator('.facts').getByText('Ready to post').count()).to.equal(1);
    await page.context().close();
  });

  it('does not say that the session is over while the server that knows it does not answer', async () => {
    await make('a list needs one.txt');
    const page = await world().open();
    await go(page, '/runs');
    await page.getByLabel('Status').waitFor();
    await page.route('**/api/v1/runs?*', (route) => route.fulfill(refusedToken));
    await page.route('**/oauth/authorize?*', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    const over = page.getByText('Your session is over');
    await page.getByLabel('Status').selectOption('completed');
    await lost(page).or(over).first().waitFor();
    expect(await over.count()).to.equal(0);
    await page.unrouteAll();
    await lost(page).waitFor({ state: 'detached' });
    expect([await over.count(), await page.locator('.failure').count()]).to.deep.equal([0, 0]);
    await page.context().close();
  });

  it('says that the session is over, and not that the server does not answer', async () => {
    await make('a list needs one.txt');
    const page = await world().open();
    await go(page, '/runs');
    await page.getByLabel('Status').waitFor();
    await page.context().clearCookies();
    await page.route('**/api/v1/**', (route) => route.fulfill(refusedToken));
    await page.evaluate(`window.lost = 0;
      new MutationObserver(() => { if (document.body.innerText.includes('The server does not answer')) window.lost += 1; })
        .observe(document.body, { subtree: true, childList: true })`);
    await page.getByLabel('Status').selectOption('completed');
    await page.getByText('Your session is over. What').waitFor();
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.waitForTimeout(TRIES_MS);
    expect(await page.evaluate('window.lost')).to.equal(0);
    await page.context().close();
  });

  it('takes back what was done once the connection is back, where it was lost', async () => {
    const ids = [await make('taken back.txt'), await make('restored.txt')];
    const page = await world().open();
    for (const [index, id] of ids.entries()) {
      await go(page, `/documents/${id}`);
      await canDecide(page);
      if (index === 0) await page.keyboard.press('a');
      else await page.getByRole('button', { name: 'Trash', exact: true }).click();
      const undo = page.getByRole('button', { name: 'Undo' });
      await undo.waitFor();
      await page.context().setOffline(true);
      await lost(page).waitFor();
      await page.waitForTimeout(SEEN_MS);
      await undo.click();
      await page.waitForTimeout(TRIES_MS);
      await page.context().setOffline(false);
      await page.getByText(/\.txt is as it was before\./).waitFor({ timeout: 20_000 });
    }
    const stored = await world().query('select status, review_status as review from documents where id = any($1)', [
      ids,
    ]);
    expect(stored).to.deep.equal([
      { status: 'ready', review: 'pending' },
      { status: 'ready', review: 'pending' },
    ]);
    await page.context().close();
  });

  it('keeps the reason of a rejection until it has arrived', async () => {
    const id = await make('reason kept.txt');
    const page = await world().open();
    await go(page, `/documents/${id}`);
    await canDecide(page);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why?').fill('It is not ours.');
    await page.context().setOffline(true);
    const reject = dialog.getByRole('button', { name: 'Reject' });
    await reject.click();
    await page.getByText('Check the connection and try again.').waitFor();
    await page.context().setOffline(false);
    await lost(page).waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('Why?').inputValue()).to.equal('It is not ours.');
    await reject.click();
    await page.getByText('reason kept.txt is rejected.').waitFor();
    const [stored] = await world().query<{ note: string }>('select review_note as note from documents where id = $1', [
      id,
    ]);
    expect(stored?.note).to.equal('It is not ours.');
    await page.context().close();
  });

  for (const [what, lose] of [
    ['has not arrived', (route: Route) => route.abort('connectionreset')],
    [
      'has arrived, and whose answer was lost',
      (route: Route) => route.fetch().then(() => route.abort('connectionreset')),
    ],
  ] as const)
    it(`saves a change once, and sends a rejection again that ${what}`, async () => {
      const id = await make(`rejected with ${what.length}.txt`);
      const page = await world().open();
      await go(page, `/documents/${id}`);
      await page.getByLabel('Supplier').fill('Schulze');
      await page.getByLabel('Supplier').press('Escape');
      await canDecide(page);
      await page.route('**/review', lose);
      await page.getByRole('button', { name: 'Reject' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Why?').fill('It is not ours.');
      const reject = dialog.getByRole('button', { name: 'Reject' });
      await reject.click();
      await page.getByText('Check the connection and try again.').waitFor();
      await page.unrouteAll();
      await lost(page).waitFor({ state: 'detached' });
      await reject.click();
      await page.getByText('.txt is rejected.').waitFor();
      const [stored] = await world().query(
        'select review_note as note, revision, review_status as status from documents where id = $1',
        [id],
      );
      expect(stored).to.deep.equal({ note: 'It is not ours.', revision: 2, status: 'rejected' });
      await page.context().close();
    });

  it('keeps what is entered into a dialog while the user signs in again', async () => {
    const message = 'Written before the session was over';
    const page = await world().open();
    await go(page, '/runs');
    await page.getByRole('button', { name: 'Send files' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Message').fill(message);
    await page.context().clearCookies();
    await page.route('**/api/v1/**', (route) => route.fulfill(refusedToken));
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByText('Your session is over.').waitFor();
    await page.unrouteAll();
    const opened = page.waitForEvent('popup');
    await form.getByRole('link', { name: 'Sign in in another window' }).click();
    const other = await opened;
    await enterPassword(other);
    await other.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    expect(await form.getByLabel('Message').inputValue()).to.equal(message);
    await form.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL('**/console/runs/*');
    expect(await page.getByText('Your session is over').count()).to.equal(0);
    expect(await runsOf(message)).to.have.length(1);
    await failNext();
    await page.context().close();
  });

  it('follows what happens, and draws the pages, also where the server was busy for longer than the client tries', async () => {
    const id = await world().newDocument('busy.pdf', finished({ data, ...always }), await invoicePdf());
    const page = await world().open();
    const asked = { events: 0, image: 0 };
    const busyAtFirst = (which: keyof typeof asked, path: string | RegExp) =>
      page.route(path, (route) => {
        asked[which] += 1;
        return asked[which] > CLIENT_TRIES ? route.continue() : route.fulfill(busyFor(1));
      });
    await busyAtFirst('events', '**/api/v1/events?*');
    await busyAtFirst('image', /pages\/1\?width/);
    await go(page, `/documents/${id}`);
    await page.getByRole('img', { name: 'Page 1 of invoice.pdf' }).waitFor({ timeout: 20_000 });
    await page.getByRole('link', { name: 'Documents', exact: true }).first().click();
    await page.getByRole('link', { name: 'busy.pdf' }).waitFor();
    await until('events are followed', () => asked.events > CLIENT_TRIES, 20_000);
    await make('came later.txt');
    await page.getByRole('link', { name: 'came later.txt' }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('follows what happens also where its token was refused', async () => {
    await make('before the refusal.txt');
    const page = await world().open();
    let asked = 0;
    await page.route('**/api/v1/events?*', (route) => {
      asked += 1;
      return asked > 1 ? route.continue() : route.fulfill(refusedToken);
    });
    await go(page, '/documents');
    await page.getByRole('link', { name: 'before the refusal.txt' }).waitFor();
    // The second answer says where the log is now, and the third request waits behind it.
    await until('events are followed', () => asked > 2, 20_000);
    await make('after the refusal.txt');
    await page.getByRole('link', { name: 'after the refusal.txt' }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('says what to do where something else answers in the place of the server', async () => {
    const page = await world().open();
    await go(page, '/runs');
    const body = '<title>Guest network</title>';
    await page.route(/\/api\/v1\/documents\?/, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('alert').getByText('such as a proxy or the sign-in page of a network').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-row]').first().waitFor();
    await page.context().close();
  });

  it('is loaded again by itself where a part of it broke off', async () => {
    const id = await make('broke off.txt');
    const page = await world().open();
    for (const part of ['main.*.js', 'dialogs.*.js', 'page.*.js', 'style.*.css', 'authorize?*', 'token']) {
      let broken = 0;
      await page.route(`**/${part}`, (route) => {
        broken += 1;
        return broken > 1 ? route.continue() : route.abort('connectionreset');
      });
      await go(page, `/documents/${id}`);
      await until(`${part} was loaded again`, () => broken > 1, 20_000);
      await page.getByRole('heading', { name: 'broke off.txt' }).waitFor();
      await page.waitForFunction('document.styleSheets.length === 1');
      await page.unrouteAll();
    }
    await page.context().close();
  });

  it('is loaded again by itself also where it was loaded anew before', async () => {
    const page = await world().open();
    await go(page, '/runs');
    await reload(page);
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    let broken = 0;
    for (const name of ['Usage', 'Sources']) {
      await page.route(`**/files/${name.toLowerCase()}.*.js`, (route) => {
        broken += 1;
        return route.abort('connectionreset');
      });
      await page.getByRole('link', { name, exact: true }).click();
      await until(`${name} broke off`, () => broken > 0);
      await page.unrouteAll();
      await page.getByRole('heading', { name, exact: true }).waitFor({ timeout: 20_000 });
      broken = 0;
    }
    await page.context().close();
  });

  it('says that it was not loaded, until the server answers', async () => {
    const page = await world().open();
    const isLost = (route: Route) => route.request().resourceType() !== 'document';
    await page.route('**/console/**', (route) => (isLost(route) ? route.abort('connectionreset') : route.continue()));
    await go(page, '/runs');
    await page.getByText('This page was not loaded whole. It is loaded again').waitFor();
    await page.waitForTimeout(TRIES_MS);
    expect(await page.getByText('It is loaded again as soon as the server answers.').count()).to.equal(1);
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it('leaves it to the user where loading again did not help', async () => {
    const page = await world().open();
    let broken = 0;
    await page.route('**/files/usage.*.js', (route) => {
      broken += 1;
      return route.abort('connectionreset');
    });
    await go(page, '/usage');
    const tryAgain = page.getByRole('button', { name: 'Try again' });
    await tryAgain.waitFor();
    await page.waitForTimeout(TRIES_MS);
    expect(broken).to.equal(2);
    await page.unrouteAll();
    await tryAgain.click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.context().close();
  });
};
