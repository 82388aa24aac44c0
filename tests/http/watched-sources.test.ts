import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { reachableHosts } from '../../src/adapters/outbound/reachable-hosts.ts';
import { mailboxSources } from '../../src/adapters/sources/imap/imap.ts';
import type { Sources } from '../../src/application/ports/sources.ts';
import { type SourceWorker, sourceWorker } from '../../src/application/sources/source-worker.ts';
import { SourceQueue, SourceWakeups } from '../../src/composition/modules/postgres.ts';
import { SourceIntake } from '../../src/composition/modules/sources.ts';
import { Sealer } from '../../src/composition/modules/system.ts';
import { callApi } from '../support/api.ts';
import { type Dovecot, startDovecot } from '../support/dovecot.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { quiet } from '../support/log.ts';
import { until } from '../support/until.ts';

const USER = 'bills';

const workspace = (url: string) => `
workspace: watched
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
    document_schema: { type: object, properties: { total: { type: number } } }
sources:
  - { name: mails, agent: Reader, type: imap, url: "${url}", after: keep, every: 1h }
`;

const aMail = (n: number) => `From: billing@example.com\r\nSubject: Invoice ${n}\r\n\r\nTotal: ${n}\r\n`;

describe('a mailbox that is watched', () => {
  let dovecot: Dovecot;
  let place: Awaited<ReturnType<typeof aPlace>>;
  let here: Awaited<ReturnType<typeof serveHere>>;
  let worker: SourceWorker;

  before(async function () {
    const started = await startDovecot();
    if (started === null) return this.skip();
    dovecot = started;
    place = await aPlace();
    here = await serveHere({ ...place.settings, OUTBOUND_ALLOWED_HOSTS: 'localhost' });
    await here.apply(workspace(dovecot.url(USER)));
    const mailboxes = mailboxSources({
      hosts: reachableHosts({ allowedHosts: ['localhost'] }),
      tokens: { get: () => Promise.reject(new Error('no token is asked for')) },
      ca: await readFile(dovecot.ca, 'utf8'),
    });
    const open: Sources['open'] = ({ place: at, after, token }, signal) => {
      if (at.type !== 'imap') throw new Error('it is no mailbox');
      return mailboxes.open(at, after, signal, token);
    };
    worker = sourceWorker({
      queue: here.container.get(SourceQueue),
      wakeups: here.container.get(SourceWakeups),
      sources: { open },
      intake: here.container.get(SourceIntake),
      sealer: here.container.get(Sealer),
      log: quiet,
      settings: { concurrency: 1, leaseSeconds: 30, pollMs: 1000, lookSeconds: 900 },
    });
    worker.start();
  });

  after(async () => {
    await worker?.stop(0);
    await here?.stop();
    await place?.remove();
    await dovecot?.stop();
  });

  /** In whose names its runs are, in the order in which they began. */
  const owners = async () => {
    const { rows } = await here.composition.database.pool.query<{ name: string }>(
      'select u.name from runs r join users u on u.id = r.user_id order by r.created_at',
    );
    return rows.map(({ name }) => name);
  };

  it('has its runs in the name of the next user once the first one is disabled', async () => {
    await dovecot.deliver(USER, [aMail(1)]);
    await until('the first mail is a run', async () => (await owners()).length === 1);
    const key = await here.key('bob@example.com');
    const { body } = await callApi<{ data: { users: { id: string; email: string }[] } }>(here.url, key, '/users');
    const ada = body.data.users.find(({ email }) => email === 'ada@example.com')?.id;
    const disabling = { method: 'PATCH', body: { disabled: true } };
    expect((await callApi(here.url, key, `/users/${ada}`, disabling)).status).to.equal(200);
    await dovecot.deliver(USER, [aMail(2)]);
    await until('the second mail is a run', async () => (await owners()).length === 2);
    expect(await owners()).to.deep.equal(['Ada', 'Bob']);
  });

  it('is read from its beginning where its source has another account, whose mails may have the same UIDs', async () => {
    const before = await owners();
    const key = await here.key('bob@example.com');
    const { body } = await callApi<{ data: { items: { key: string }[] } }>(here.url, key, '/sources/mails/intake');
    const [, validity] = /UIDVALIDITY=(\d+)/.exec(body.data.items[0]?.key ?? '') ?? [];
    await dovecot.deliver('other', [aMail(3)]);
    await dovecot.forget('other', Number(validity));
    await here.apply(workspace(dovecot.url('other')));
    await until('its mail is a run', async () => (await owners()).length > before.length);
    const listed = await callApi<typeof body>(here.url, key, '/sources/mails/intake');
    expect(listed.body.data.items.map((item) => item.key)).to.have.length(3);
    expect(listed.body.data.items[0]?.key).to.equal(body.data.items.at(-1)?.key);
  });

  it('has its other mails as runs where the server cannot give one, and says which', async () => {
    const before = await owners();
    const key = await here.key('bob@example.com');
    await dovecot.deliver('third', [aMail(4), aMail(5), aMail(6)]);
    await dovecot.damage('third', 'Subject: Invoice 5\r\n');
    await here.apply(workspace(dovecot.url('third')));
    await until('the others are runs', async () => (await owners()).length === before.length + 2);
    const error = async () =>
      (await callApi<{ data: { sources: { error: string }[] } }>(here.url, key, '/sources')).body.data.sources[0]
        ?.error;
    await until('the look has ended', async () => (await error()) !== null);
    expect(await error()).to.equal('The mail server localhost does not give the mail with UID 2 of INBOX.');
  });
});
