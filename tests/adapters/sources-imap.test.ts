import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { expect } from 'chai';
import { ImapFlow } from 'imapflow';
import { reachableHosts } from '../../src/adapters/outbound/reachable-hosts.ts';
import { parseMailbox } from '../../src/adapters/sources/imap/address.ts';
import { mailboxSources } from '../../src/adapters/sources/imap/imap.ts';
import {
  ItemGone,
  ItemUnreadable,
  NotTaken,
  type OpenSource,
  type SourceItem,
} from '../../src/application/ports/sources.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { SourceAfter } from '../../src/domain/source.ts';
import { lookAt, notRenewed, onlyItem, sourceContract } from '../contracts/source.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { type Dovecot, startDovecot } from '../support/dovecot.ts';

const { signal } = new AbortController();
const OLD_MAILS = Number(process.env.TEST_OLD_MAILS ?? 3000);

const aMail = (name: string, text = name, headers = '') =>
  `From: Ada <ada@example.com>\r\nTo: bills@example.org\r\nSubject: ${name}\r\nMessage-ID: <${name}@example.com>\r\n${headers}\r\n${text}\r\n`;

describe('mailboxes as sources, in a Dovecot', () => {
  let dovecot: Dovecot;
  let ca: string;
  let users = 0;
  let user: string;
  const closers: OpenSource[] = [];

  before(async function () {
    const started = await startDovecot();
    if (started === null) return this.skip();
    dovecot = started;
    ca = await readFile(dovecot.ca, 'utf8');
  });
  after(() => dovecot?.stop());
  beforeEach(() => {
    users += 1;
    user = `user${users}`;
  });
  afterEach(async () => {
    for (const source of closers.splice(0)) await source.close();
  });

  const noTokens = { get: () => Promise.reject(new Error('no token is asked for')) };
  const family = (over: Partial<Parameters<typeof mailboxSources>[0]> = {}) =>
    mailboxSources({ hosts: reachableHosts({ allowedHosts: ['localhost'] }), tokens: noTokens, ca, ...over });
  const open = async (
    act: SourceAfter['act'] = 'keep',
    {
      url = dovecot.url(user),
      over = {},
      until = signal,
    }: { url?: string; over?: Partial<Parameters<typeof mailboxSources>[0]>; until?: AbortSignal } = {},
  ) => {
    const after = { act, to: act === 'move' ? 'Done' : null };
    const source = await family(over).open({ type: 'imap', url }, after, until, notRenewed);
    closers.push(source);
    return source;
  };
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(DomainError);
    return (error as Error).message;
  };
  const texts = async (mailbox?: string) => (await dovecot.mails(user, mailbox)).map(({ text }) => text).sort();

  sourceContract(async () => ({
    open: (act, until) => open(act, { until }),
    put: (name, text) => dovecot.deliver(user, [aMail(name, text)]),
    remove: (name) => dovecot.take(user, `Subject: ${name}\r\n`),
    there: () => texts(),
    moved: () => texts('Done'),
    bytesOf: (name, text) => aMail(name, text),
  }));

  it('name a mail by mailbox, UIDVALIDITY and UID, and tell its sender, subject and message id', async () => {
    await dovecot.deliver(user, [
      aMail('=?utf-8?q?Rechnung_=E2=82=AC_4711?=').replace('<=?utf-8?q?Rechnung_=E2=82=AC_4711?=', '<4711'),
    ]);
    const item = await onlyItem(await open());
    expect(item.keyOf('any')).to.match(/^INBOX;UIDVALIDITY=\d+\/;UID=1$/);
    expect(item.ref).to.equal(`imap://${user}@localhost/${item.keyOf('any')}`);
    expect(item).to.include({
      name: 'Rechnung € 4711 - ada@example.com - 4711@example.com.eml',
      contentType: 'message/rfc822',
      from: 'ada@example.com',
      subject: 'Rechnung € 4711',
      whyNot: null,
    });
  });

  it('know the sender by the only address of the only From header', async () => {
    const from = async (headers: string): Promise<string | null> => {
      users += 1;
      user = `user${users}`;
      await dovecot.deliver(user, [`${headers}Subject: x\r\n\r\nhello\r\n`]);
      return (await onlyItem(await open())).from;
    };
    expect(await from('From: ada@example.com\r\n')).to.equal('ada@example.com');
    expect(await from('FROM:\r\n "Ada, of London" <Ada@Example.com> (work)\r\n')).to.equal('Ada@Example.com');
    expect(await from('From: "ada@example.com" <eve@example.net>\r\n')).to.equal('eve@example.net');
    expect(await from('From: =?utf-8?q?ada=40example=2Ecom?= <eve@example.net>\r\n')).to.equal('eve@example.net');
    expect(await from('From: =?utf-8?q?=3Cada=40example=2Ecom=3E=2C?= <eve@example.net>\r\n')).to.not.equal(
      'ada@example.com',
    );
    expect(await from('From: =?utf-8?q?ada=40example=2Ecom?=\r\n')).to.equal(null);
    expect(await from('From: ada@example.com, eve@example.net\r\n')).to.equal(null);
    expect(await from('From: ada@example.com\r\nFrom: eve@example.net\r\n')).to.equal(null);
    expect(await from('From: ada@example.com\r\nfrom : eve@example.net\r\n')).to.equal(null);
    expect(await from('From: group: ada@example.com;\r\n')).to.equal(null);
    expect(await from('Sender: ada@example.com\r\n')).to.equal(null);
    expect(await from('From: nobody\r\n')).to.equal(null);
    expect(
      await from(`From: ada@example.com\r\nSubject: ${'x '.repeat(40_000)}\r\nFrom: eve@example.net\r\n`),
    ).to.equal(null);
  });

  it('change nothing of a mail that is kept, not even that nobody has read it', async () => {
    await dovecot.deliver(user, [aMail('one')]);
    const source = await open('keep');
    await buffer((await onlyItem(source)).read(signal));
    const [mail] = await dovecot.mails(user);
    expect(mail?.flags).to.equal('');
  });

  it('take what other programs flag during a look for no mail of its own', async () => {
    const mails = Array.from({ length: 401 }, (_, n) => aMail(`mail ${n}`));
    await dovecot.deliver(user, mails);
    const [source, other] = [await open(), await open('flag')];
    const last = (await lookAt(other)).items.at(-1) as SourceItem;
    const found: SourceItem[] = [];
    for await (const { items } of source.pages(null, signal)) {
      if (found.length === 0) await other.settle(last.ref, signal);
      found.push(...items);
    }
    expect(found.map(({ subject, whyNot }) => [subject, whyNot])).to.have.deep.members(
      mails.map((_, n) => [`mail ${n}`, null]),
    );
  });

  it('flag what was taken', async () => {
    await dovecot.deliver(user, [aMail('one'), aMail('two')]);
    const source = await open('flag');
    const { items } = await lookAt(source);
    await source.settle(items[0]?.ref ?? '', signal);
    const flags = (await dovecot.mails(user)).map((mail) => [/^Subject: (.*)\r$/m.exec(mail.text)?.[1], mail.flags]);
    expect(Object.fromEntries(flags)).to.deep.equal({ one: 'F', two: '' });
  });

  it('move to another mailbox, which is made if it is not there', async () => {
    await dovecot.deliver(user, [aMail('one'), aMail('two')]);
    const source = await open('move');
    for (const { ref } of (await lookAt(source)).items) await source.settle(ref, signal);
    expect(await dovecot.count(user)).to.equal(0);
    expect(await texts('Done')).to.deep.equal([aMail('one'), aMail('two')]);
  });

  it('move on to a mailbox that somebody deletes during a session', async () => {
    await dovecot.deliver(user, [aMail('one'), aMail('two')]);
    const source = await open('move');
    const [first, second] = (await lookAt(source)).items as [SourceItem, SourceItem];
    await source.settle(first.ref, signal);
    const { host, port, ...address } = parseMailbox(dovecot.url(user));
    const auth = { user, pass: 'password' in address.credential ? address.credential.password : '' };
    const client = new ImapFlow({ host, port, secure: true, tls: { ca }, auth, logger: false });
    await client.connect();
    await client.mailboxDelete('Done');
    await client.logout();
    await source.settle(second.ref, signal);
    expect(await texts('Done')).to.deep.equal([aMail('two')]);
  });

  it('leave alone what has the UID of a mail of an earlier UIDVALIDITY, and show it as another item of the same bytes', async () => {
    await dovecot.deliver(user, [aMail('one')]);
    const digest = async (item: SourceItem) =>
      createHash('sha256')
        .update(await buffer(item.read(signal)))
        .digest('hex');
    const source = await open('move');
    const { items, cursor } = await lookAt(source);
    const before = items[0] as SourceItem;
    const was = await digest(before);
    await dovecot.kill();
    await dovecot.forget(user, 4_000_000_000);
    await dovecot.start();
    await source.settle(before.ref, signal);
    expect(await buffer(before.read(signal)).catch((error: unknown) => error)).to.be.instanceOf(ItemGone);
    expect(await dovecot.count(user)).to.equal(1);
    const after = await lookAt(source, cursor);
    expect(after.items).to.have.length(1);
    expect(after.items[0]?.keyOf(null)).to.equal('INBOX;UIDVALIDITY=4000000000/;UID=1');
    expect(await digest(after.items[0] as SourceItem)).to.equal(was);
  });

  it('tell the mails of one account from those of another, which may have the same UIDVALIDITY and UIDs', async () => {
    const accounts = [user, `other-${user}`] as const;
    for (const account of accounts) await dovecot.deliver(account, [aMail(account)]);
    await dovecot.kill();
    for (const account of accounts) await dovecot.forget(account, 4_000_000_000);
    await dovecot.start();
    const before = await onlyItem(await open('move', { url: dovecot.url(accounts[0]) }));
    const source = await open('move', { url: dovecot.url(accounts[1]) });
    const after = await onlyItem(source);
    expect(after.keyOf(null)).to.equal(before.keyOf(null));
    expect(after.ref).to.not.equal(before.ref);
    await source.settle(before.ref, signal);
    expect(await dovecot.count(accounts[1])).to.equal(1);
  });

  it('go on by themselves when the server was away between two looks', async () => {
    await dovecot.deliver(user, [aMail('one')]);
    const source = await open();
    const { cursor } = await lookAt(source);
    await dovecot.kill();
    // The session may learn of the end while it asks.
    const refused = await refusal(lookAt(source, cursor)).finally(dovecot.start);
    expect(refused).to.match(
      /^The (mail server localhost refuses the connection|connection to the mail server localhost was closed)\.$/,
    );
    await dovecot.deliver(user, [aMail('two')]);
    expect((await lookAt(source, cursor)).items.map(({ subject }) => subject)).to.deep.equal(['two']);
  });

  it('tell when something comes, also if it came during the look, and else when the time is over', async () => {
    const source = await open();
    await lookAt(source);
    const waiting = source.news?.(600, signal);
    await dovecot.deliver(user, [aMail('one')]);
    await waiting;
    expect((await lookAt(source)).items).to.have.length(1);
    await source.news?.(1, signal);
    await dovecot.kill();
    await dovecot.start();
    await source.news?.(600, signal);
    expect((await lookAt(source)).items).to.have.length(1);
    const woken = new AbortController();
    const ended = source.news?.(600, woken.signal).catch((error: unknown) => error);
    woken.abort(new Error('someone asks'));
    expect(await ended).to.be.an('error');
    expect((await lookAt(source)).items).to.have.length(1);
  });

  it('keep a session that is silent for long, and still hear of what comes', async () => {
    const source = await open('keep', { over: { timeoutSeconds: 3 } });
    await lookAt(source);
    let isOver = false;
    const waiting = source.news?.(600, signal).then(() => {
      isOver = true;
    });
    await sleep(9000);
    expect(isOver).to.equal(false);
    await dovecot.deliver(user, [aMail('one')]);
    await waiting;
    expect((await lookAt(source)).items).to.have.length(1);
  });

  it('read mails that are broken, and say of those without a body that there is nothing to read', async () => {
    const broken = [
      'no header at all',
      '\r\n\r\n',
      'Subject: only headers\r\n',
      `Content-Type: multipart/mixed; boundary="x"\r\n\r\n--y\r\n\r\nlost\r\n`,
      'From: =?utf-9?q?=ZZ?= <\r\nSubject: =?x?\r\n\r\nbody\r\n',
      Buffer.concat([Buffer.from('Subject: \xff\xfe\0\x01\r\n\r\n', 'latin1'), Buffer.from([0, 255, 13, 10, 254])]),
      aMail('blank', '\r\n \t\r\n'),
      aMail('good'),
    ];
    await dovecot.deliver(user, broken);
    const { items } = await lookAt(await open());
    expect(items).to.have.length(broken.length);
    const ends = [];
    for (const item of items) {
      const read = await buffer(item.read(signal)).catch((error: unknown) => error);
      ends.push(read instanceof NotTaken ? read.whyNot : Buffer.isBuffer(read));
      expect(item.name).to.match(/^.+\.eml$/);
    }
    expect(ends.filter((end) => end === true)).to.have.length(4);
    expect(ends.filter((end) => end === 'nothing to read')).to.have.length(4);
    expect(items.at(-1)?.subject).to.equal('good');
  });

  it('have all other mails where the server cannot give one, which they name', async () => {
    const mails = Array.from({ length: 9 }, (_, n) => aMail(`mail ${n}`));
    await dovecot.deliver(user, mails);
    await dovecot.damage(user, 'Subject: mail 4\r\n');
    const { items } = await lookAt(await open());
    expect(items.map(({ subject }) => subject)).to.deep.equal(mails.map((_, n) => (n === 4 ? null : `mail ${n}`)));
    expect(items.filter(({ unreadable }) => unreadable !== undefined)).to.have.length(1);
    expect(items[4]?.unreadable?.message).to.equal(
      'The mail server localhost does not give the mail with UID 5 of INBOX.',
    );
  });

  it('name a mail whose body the server does not give, which says nothing about the others', async () => {
    await dovecot.deliver(user, [aMail('one'), aMail('two'), aMail('three')]);
    const { items } = await lookAt(await open());
    for (const name of ['one', 'two']) await dovecot.damage(user, `Subject: ${name}\r\n`);
    for (const [at, item] of items.slice(0, 2).entries()) {
      const error = await buffer(item.read(signal)).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(ItemUnreadable);
      expect((error as Error).message).to.equal(
        `The mail server localhost does not give the mail with UID ${at + 1} of INBOX.`,
      );
    }
    expect((await buffer((items[2] as SourceItem).read(signal))).toString()).to.include('Subject: three');
  });

  it('tell of what comes during a look in which the session was opened again', async () => {
    await dovecot.deliver(user, [aMail('one'), aMail('two')]);
    await dovecot.damage(user, 'Subject: two\r\n');
    const source = await open();
    const [one] = (await lookAt(source)).items as [SourceItem];
    await dovecot.deliver(user, [aMail('three')]);
    // The server tells of it here.
    await buffer(one.read(signal));
    await source.news?.(600, signal);
    expect((await lookAt(source)).items.map(({ subject }) => subject)).to.deep.equal(['one', null, 'three']);
  });

  it('pass over headers of any length, and over any number of them, which hide no other mail', async () => {
    await dovecot.deliver(user, [
      aMail('long', 'long', `X-Long: ${'x'.repeat(20_000_000)}\r\n`),
      aMail('subject').replace('Subject: subject', `Subject: ${'s'.repeat(20_000_000)}`),
      aMail('many', 'many', 'Received: by nobody\r\n'.repeat(500_000)),
      aMail('senders', 'senders', 'From: Eve <eve@example.net>\r\n'.repeat(500_000)),
      aMail('good'),
    ]);
    const { items } = await lookAt(await open());
    expect(items).to.have.length(5);
    expect(items.at(-1)).to.include({ subject: 'good', from: 'ada@example.com' });
    for (const { name, from, subject } of items) {
      expect(name.length).to.be.at.most(250);
      expect(subject?.length ?? 0).to.be.at.most(500);
      expect(['ada@example.com', null]).to.include(from);
    }
    expect(items[3]?.from).to.equal(null);
  });

  it('read a mail of 50 MB a part at a time', async () => {
    const line = `${'A'.repeat(76)}\r\n`;
    const mail = Buffer.from(aMail('large', line.repeat(50 * 13_443)));
    await dovecot.deliver(user, [mail]);
    const item = await onlyItem(await open());
    expect(item.sizeBytes).to.equal(mail.byteLength);
    const digest = createHash('sha256');
    let longest = 0;
    for await (const chunk of item.read(signal)) {
      longest = Math.max(longest, chunk.byteLength);
      digest.update(chunk);
    }
    expect(longest).to.be.at.most(1024 * 1024);
    expect(digest.digest('hex')).to.equal(createHash('sha256').update(mail).digest('hex'));
  });

  it(`with ${OLD_MAILS} old mails tell only of the new ones behind the cursor`, async function () {
    this.timeout(900_000);
    await dovecot.deliver(
      user,
      Array.from({ length: OLD_MAILS }, (_, n) => aMail(`old${n}`)),
    );
    const source = await open();
    const { items, cursor } = await lookAt(source);
    expect(new Set(items.map(({ ref }) => ref)).size).to.equal(OLD_MAILS);
    const pages = async () => {
      let count = 0;
      for await (const page of source.pages(cursor, signal)) count += 1 + page.items.length;
      return count;
    };
    expect(await pages()).to.equal(0);
    await dovecot.deliver(user, [aMail('new')]);
    expect((await lookAt(source, cursor)).items.map(({ subject }) => subject)).to.deep.equal(['new']);
  });

  describe('say in words why they cannot be looked at', () => {
    const at = (change: (url: URL) => void): string => {
      const url = new URL(dovecot.url(user));
      change(url);
      return url.href;
    };

    it('a wrong password, which they do not repeat', async () => {
      const url = at((each) => {
        each.password = 'hunter2';
      });
      const error = await open('keep', { url }).catch((caught: unknown) => caught);
      expect((error as Error).message).to.match(
        /^The mail server localhost refuses the login of user\d+: Authentication failed\.$/,
      );
      const everything = JSON.stringify([
        String(error),
        (error as Error).stack,
        (error as Error).cause,
        { ...(error as object) },
      ]);
      expect(everything).to.not.include('hunter2').and.not.include(Buffer.from('hunter2').toString('base64'));
    });

    it('a mailbox that is not there', async () => {
      expect(await refusal(open('keep', { url: dovecot.url(user, 'Nowhere') }))).to.match(
        /^There is no mailbox "Nowhere" on localhost: .*\.$/,
      );
    });

    it('a certificate of an authority that is not trusted, or of another host', async () => {
      const stranger = await readFile(dovecot.stranger, 'utf8');
      const wrong =
        /^The TLS certificate of localhost is not valid \((?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)\)\.$/;
      expect(await refusal(open('keep', { over: { ca: stranger } }))).to.match(wrong);
      const elsewhere = reachableHosts({
        allowedHosts: ['mail.example.com'],
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      });
      const url = dovecot.url(user).replace('@localhost', '@mail.example.com');
      expect(await refusal(open('keep', { url, over: { hosts: elsewhere } }))).to.equal(
        'The TLS certificate of mail.example.com is not valid (ERR_TLS_CERT_ALTNAME_INVALID).',
      );
    });

    it('a host in the own network, which only the operator allows', async () => {
      const hosts = reachableHosts({ allowedHosts: [] });
      expect(await refusal(open('keep', { over: { hosts } }))).to.match(
        /^The host localhost leads to a loopback address/,
      );
    });

    it('a server that is silent, refuses, or speaks no TLS', async () => {
      const silent = createServer(() => {});
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const address = silent.address();
      const port = typeof address === 'object' ? String(address?.port) : '';
      const toPort = (number: string, protocol = 'imaps') =>
        at((each) => {
          each.port = number;
        }).replace(/^imaps/, protocol);
      try {
        const over = { timeoutSeconds: 1 };
        const late = 'The mail server localhost did not answer in time.';
        expect(await refusal(open('keep', { url: toPort(port), over }))).to.equal(late);
        expect(await refusal(open('keep', { url: toPort(port, 'imap'), over }))).to.equal(late);
      } finally {
        silent.close();
      }
      expect(await refusal(open('keep', { url: toPort(port) }))).to.equal(
        'The mail server localhost refuses the connection.',
      );
      const plain = toPort(String(dovecot.ports.imap));
      expect(await refusal(open('keep', { url: plain }))).to.equal(
        'The mail server localhost does not speak TLS at this port.',
      );
    });

    it('a server without TLS, which gets neither user nor password; with STARTTLS it is looked at', async () => {
      let heard = '';
      const server = createServer((socket) => {
        socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello\r\n');
        socket.on('error', () => {});
        socket.on('data', (text) => {
          heard += text;
          const tag = String(text).split(' ')[0];
          socket.write(`${tag} OK done\r\n`);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? String(address?.port) : '';
      const url = dovecot.url(user).replace('imaps:', 'imap:').replace(`:${dovecot.ports.imaps}`, `:${port}`);
      expect(await refusal(open('keep', { url }))).to.equal(
        'The mail server localhost does not offer TLS, without which nothing is sent to it.',
      );
      expect(heard).to.not.include(user);
      server.close();
      const upgraded = dovecot
        .url(user)
        .replace('imaps:', 'imap:')
        .replace(`:${dovecot.ports.imaps}`, `:${dovecot.ports.imap}`);
      await dovecot.deliver(user, [aMail('one')]);
      expect((await onlyItem(await open('keep', { url: upgraded }))).subject).to.equal('one');
    });
  });
});

describe('a mailbox of a mail server that lies', () => {
  let certified: Certified;

  before(async function () {
    const made = await certify('DNS:localhost');
    if (made === null) return this.skip();
    certified = made;
  });
  after(() => certified?.remove());

  /** A mail server of one mailbox; `answers` are what it says to each command. */
  const serving = async (answers: Readonly<Record<string, readonly string[]>>) => {
    const [cert, key, ca] = await Promise.all(
      [certified.cert, certified.key, certified.ca].map((file) => readFile(file, 'utf8')),
    );
    const server = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => {}).write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
      createInterface({ input: socket }).on('line', (line) => {
        const [tag, name = '', more] = line.split(' ');
        const said = answers[name === 'UID' ? `UID ${more}` : name] ?? [];
        socket.write([...said, `${tag} OK done`, ''].join('\r\n'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const noTokens = { get: () => Promise.reject(new Error('no token is asked for')) };
    const family = mailboxSources({ hosts: reachableHosts({ allowedHosts: ['localhost'] }), tokens: noTokens, ca });
    const url = `imaps://ada:secret@localhost:${port}/INBOX`;
    const source = await family.open({ type: 'imap', url }, { act: 'keep', to: null }, signal, notRenewed);
    return {
      source,
      async stop() {
        await source.close();
        server.close();
      },
    };
  };

  it('has the mails that were asked for, each once, whatever else the server sends', async () => {
    const head = 'Subject: x\r\n\r\n';
    const mail = (uid: number) =>
      `* ${uid} FETCH (UID ${uid} RFC822.SIZE 40 BODY[HEADER]<0> {${head.length}}\r\n${head})`;
    const mailbox = ['* 3 EXISTS', '* OK [UIDVALIDITY 7] valid', '* OK [UIDNEXT 4] next'];
    const { source, stop } = await serving({
      LIST: ['* LIST () "/" INBOX'],
      SELECT: mailbox,
      EXAMINE: mailbox,
      'UID SEARCH': ['* SEARCH 1 2 3'],
      'UID FETCH': [1, 2, 2, 3, 9, 1, 3].map(mail),
    });
    try {
      const { items } = await lookAt(source);
      expect(items.map(({ keyOf }) => keyOf('any'))).to.deep.equal(
        [1, 2, 3].map((uid) => `INBOX;UIDVALIDITY=7/;UID=${uid}`),
      );
    } finally {
      await stop();
    }
  });
});
