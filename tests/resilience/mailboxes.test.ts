import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { type Dovecot, startDovecot } from '../support/dovecot.ts';
import { quiet } from '../support/log.ts';
import { aFolder, postmasterOf } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type IntakeWorkers, intakeWorkers, items as itemsIn, runs as runsIn } from './intake.ts';
import { sql } from './stage.ts';

/** A thousand of them take some minutes. */
const MAILS = Number(process.env.TEST_KILLED_MAILS ?? 150);
const USER = 'bills';

const aMail = (n: number, from = 'billing@example.com') =>
  `From: Billing <${from}>\r\nSubject: Invoice ${n}\r\nMessage-ID: <${n}@example.com>\r\n\r\nTotal: ${n}\r\n`;

describe('mails that come while workers, PostgreSQL and the mail server are killed', function () {
  this.timeout(1_800_000);
  let folder: string;
  let dovecot: Dovecot;
  let postgres: EmbeddedPostgres;
  let workers: IntakeWorkers;

  const items = () => itemsIn(postgres.url);
  const runs = () => runsIn(postgres.url);

  before(async function () {
    const started = await startDovecot();
    if (started === null) return this.skip();
    dovecot = started;
    folder = await aFolder();
    postgres = await startEmbeddedPostgres({ dir: path.join(folder, 'postgres'), log: quiet });
    workers = await intakeWorkers({
      folder,
      database: postgres.url,
      sources: { mails: `type: imap, url: "\${MAILBOX}", after: "move:Done", from: [billing@example.com]` },
      variables: { MAILBOX: dovecot.url(USER) },
      env: { OUTBOUND_ALLOWED_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: dovecot.ca },
    });
  });

  after(async () => {
    await workers?.close();
    await postgres?.stop();
    await dovecot?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const inMailbox = async (mailbox: string) => (await dovecot.mails(USER, mailbox)).map(({ text }) => text);

  /** Mails that the mail server had copied to their mailbox, and not yet taken out of the first, when it was killed: they are moved again. */
  const halfMoved: string[] = [];
  const killMailServer = async () => {
    await dovecot.kill();
    const moved = await inMailbox('Done');
    halfMoved.push(...(await inMailbox('INBOX')).filter((text) => moved.includes(text)));
    await sleep(500);
    await dovecot.start();
  };

  /** It is started again by itself. */
  const killPostgres = async () => {
    const pid = await postmasterOf(folder);
    if (pid !== null) process.kill(pid, 'SIGKILL');
    await until('another PostgreSQL answers', async () => {
      const next = await postmasterOf(folder);
      return next !== null && next !== pid && (await sql(postgres.url, 'select').catch(() => null)) !== null;
    });
  };

  it('become one run each, and are moved once', async () => {
    await workers.start();
    let isDelivered = false;
    const delivering = (async () => {
      for (let n = 0; n < MAILS; n += 1) {
        await dovecot.deliver(USER, [aMail(n)]);
        if (n % 50 === 0) await dovecot.deliver(USER, [aMail(n, 'spam@example.net')]);
        await sleep(60);
      }
      isDelivered = true;
    })();
    const killing = (async () => {
      for (let kills = 0; !isDelivered || kills < 9; kills += 1) {
        await sleep(1000 + Math.random() * 2000);
        if (kills % 3 === 0) await killMailServer();
        else if (kills % 3 === 1) await killPostgres();
        else await workers.killOne();
      }
    })();
    await Promise.all([delivering, killing]);
    const spam = Math.ceil(MAILS / 50);
    const settled = async () => {
      const listed = await items();
      return listed.length === MAILS + spam && listed.every(({ unsettled }) => !unsettled);
    };
    await until('all are listed and settled', settled, 900_000);

    const moved = await inMailbox('Done');
    const delivered = Array.from({ length: MAILS }, (_, n) => aMail(n));
    expect(
      delivered.filter((text) => !moved.includes(text)),
      'not moved',
    ).to.deep.equal([]);
    const doubled = moved.filter((text, index) => moved.indexOf(text) !== index);
    expect(halfMoved, 'moved twice').to.include.members(doubled);
    expect(
      moved.filter((text) => !delivered.includes(text)),
      'nobody sent them',
    ).to.deep.equal([]);
    expect(await dovecot.count(USER)).to.equal(spam);
    const stored = await runs();
    const subjects = Array.from({ length: MAILS }, (_, n) => `Invoice ${n}`).sort();
    expect(stored.map(({ source }) => source.subject).sort()).to.deep.equal(subjects);
    expect(new Set(stored.map(({ source }) => source.from))).to.deep.equal(new Set(['billing@example.com']));
    const listed = await items();
    const taken = listed.filter(({ why_not: whyNot }) => whyNot === null);
    expect(taken.map(({ run_id: id }) => id)).to.have.members(stored.map(({ id }) => id));
    expect(listed.filter(({ why_not: whyNot }) => whyNot === 'not from a sender of this source')).to.have.length(spam);
    for (const log of await workers.logs()) expect(log).to.not.include(new URL(dovecot.url(USER)).password);
  });

  it('are no new runs under another UIDVALIDITY', async () => {
    const before = await runs();
    await dovecot.deliver(
      USER,
      (await dovecot.mails(USER, 'Done')).slice(0, 5).map(({ text }) => text),
    );
    const again = async () => (await items()).filter(({ why_not: whyNot }) => whyNot === 'already taken').length;
    await until('they are listed', async () => (await again()) === 5, 60_000);
    await dovecot.kill();
    await dovecot.forget(USER, 4_000_000_000);
    await dovecot.start();
    await until('they are listed once more', async () => (await again()) === 10, 120_000);
    expect(await runs()).to.have.length(before.length);
    for (const { key } of (await items()).slice(-5)) expect(key).to.match(/^INBOX;UIDVALIDITY=4000000000\/;UID=\d+$/);
  });
});
