import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { reachableHosts } from '../../src/adapters/outbound/reachable-hosts.ts';
import { accessTokens } from '../../src/adapters/sources/imap/access-tokens.ts';
import { parseMailbox } from '../../src/adapters/sources/imap/address.ts';
import { mailboxSources } from '../../src/adapters/sources/imap/imap.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import type { Outbound, OutboundRequest } from '../../src/application/ports/outbound.ts';
import { keptToken } from '../../src/application/sources/kept-token.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { lookAt, notRenewed } from '../contracts/source.ts';
import { type Dovecot, startDovecot } from '../support/dovecot.ts';
import { listen } from '../support/listen.ts';

const { signal } = new AbortController();

/** A provider that answers with this. */
const provider = (status: number, answer: unknown) => {
  const asked: OutboundRequest[] = [];
  const outbound: Outbound = {
    async send(request) {
      asked.push(request);
      const body = new TextEncoder().encode(typeof answer === 'string' ? answer : JSON.stringify(answer));
      return { status, headers: {}, body, url: request.url };
    },
  };
  return { outbound, asked };
};

describe('the addresses of mailboxes', () => {
  const family = mailboxSources({
    hosts: reachableHosts({ allowedHosts: [] }),
    tokens: accessTokens(provider(200, {}).outbound),
  });
  const defectOf = (url: string) => family.defect({ type: 'imap', url });

  it('say user, password, host, port and mailbox, percent-encoded', () => {
    expect(parseMailbox('imaps://ada%40example.com:p%40ss%2F%25+%23@Mail.example.com/INBOX/In%20voices')).to.deep.equal(
      {
        host: 'Mail.example.com',
        port: 993,
        isImplicitTls: true,
        user: 'ada@example.com',
        credential: { password: 'p@ss/%+#' },
        mailbox: 'INBOX/In voices',
      },
    );
    expect(parseMailbox('imap://ada:x@[2001:db8::1]:1143')).to.include({
      host: '2001:db8::1',
      port: 1143,
      isImplicitTls: false,
      mailbox: 'INBOX',
    });
  });

  it('name Microsoft, Google or another token endpoint', () => {
    const credentialOf = (query: string) => parseMailbox(`imaps://ada@example.com/INBOX?${query}`).credential;
    const secrets = 'client_id=app&refresh_token=a+b%2Fc';
    expect(credentialOf(`oauth=microsoft&tenant=contoso.com&${secrets}`)).to.deep.equal({
      tokenUrl: 'https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token',
      scope: 'https://outlook.office365.com/IMAP.AccessAsUser.All offline_access',
      clientId: 'app',
      clientSecret: null,
      refreshToken: 'a+b/c',
    });
    expect(credentialOf('oauth=microsoft&tenant=t&client_id=app&client_secret=s')).to.deep.equal({
      tokenUrl: 'https://login.microsoftonline.com/t/oauth2/v2.0/token',
      scope: 'https://outlook.office365.com/.default',
      clientId: 'app',
      clientSecret: 's',
      refreshToken: null,
    });
    expect(credentialOf(`oauth=google&client_secret=s&${secrets}`)).to.include({
      tokenUrl: 'https://oauth2.googleapis.com/token',
      scope: null,
      clientSecret: 's',
    });
    expect(credentialOf(`oauth=https://id.example.com/token&${secrets}`)).to.include({
      tokenUrl: 'https://id.example.com/token',
    });
  });

  it('are refused in words that do not repeat them', async () => {
    const wrong = [
      'https://ada:hunter2@example.com/',
      'imaps://ada:hunter2@/INBOX',
      'imaps://:hunter2@example.com/INBOX',
      'imaps://ada@example.com/INBOX',
      'imaps://ada:hunter2%@example.com/INBOX',
      'imaps://ada:hunter2@example.com/INBOX#hunter2',
      'imaps://ada:hunter2%0d%0a@example.com/INBOX',
      'imaps://ada:hunter2@example.com/INBOX?verify=hunter2',
      'imaps://ada:hunter2@example.com/INBOX?oauth=google&client_id=a&refresh_token=hunter2',
      'imaps://ada@example.com/INBOX?oauth=google&refresh_token=hunter2',
      'imaps://ada@example.com/INBOX?oauth=google&client_id=a&client_secret=hunter2',
      'imaps://ada@example.com/INBOX?oauth=microsoft&client_id=a&client_secret=hunter2',
      'imaps://ada@example.com/INBOX?oauth=http://hunter2.example.com/&client_id=a&refresh_token=hunter2',
      'imaps://ada@example.com/INBOX?oauth=google&tenant=x&client_id=a&refresh_token=hunter2',
    ];
    const defects = await Promise.all(wrong.map(defectOf));
    for (const [index, defect] of defects.entries())
      expect(defect, wrong[index]).to.be.a('string').that.does.not.include('hunter2');
    expect(new Set(defects).size).to.be.above(6);
    expect(await defectOf('imaps://ada:hunter2@example.com/INBOX')).to.equal(null);
  });
});

describe('access tokens of mailboxes', () => {
  const { credential } = parseMailbox(
    'imaps://ada@example.com/?oauth=google&client_id=app&client_secret=s%26s&refresh_token=r',
  );
  if (!('tokenUrl' in credential)) throw new Error('it is a password');

  it('are asked for with the refresh token', async () => {
    const { outbound, asked } = provider(200, { access_token: 'fresh', expires_in: 3600 });
    expect(await accessTokens(outbound).get(credential, notRenewed, signal)).to.equal('fresh');
    expect(asked).to.deep.equal([
      {
        method: 'POST',
        url: 'https://oauth2.googleapis.com/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: 'client_id=app&grant_type=refresh_token&refresh_token=r&client_secret=s%26s',
      },
    ]);
  });

  it('are asked for with the token that the provider gave last, until the address has another one', async () => {
    const sealer = aesSealer(randomBytes(32));
    let sealedToken: string | null = null;
    const queue = {
      async keepToken(_: string, sealed: string) {
        sealedToken = sealed;
      },
    };
    const ask = async (refreshToken: string, answered: string | undefined) => {
      const { outbound, asked } = provider(200, { access_token: 'fresh', refresh_token: answered });
      const kept = keptToken({ id: 'source', sealedToken }, { queue, sealer });
      await accessTokens(outbound).get({ ...credential, refreshToken }, kept, signal);
      return new URLSearchParams(asked[0]?.body as string).get('refresh_token');
    };
    expect(await ask('r1', 'r2')).to.equal('r1');
    expect(sealedToken).to.be.a('string').that.does.not.include('r2');
    expect([await ask('r1', undefined), await ask('r1', 'r2'), await ask('r1', 'r3')]).to.deep.equal([
      'r2',
      'r2',
      'r2',
    ]);
    expect(await ask('r1', undefined)).to.equal('r3');
    sealedToken = aesSealer(randomBytes(32)).seal('{"given":"r1","latest":"r9"}');
    expect(await ask('r1', undefined), 'sealed with a key that is lost').to.equal('r1');
    expect(await ask('other', 'r4')).to.equal('other');
    expect(await ask('other', undefined)).to.equal('r4');
  });

  it('are asked for in the name of an application', async () => {
    const own = parseMailbox(
      'imaps://ada@example.com/?oauth=microsoft&tenant=t&client_id=app&client_secret=s',
    ).credential;
    const { outbound, asked } = provider(200, { access_token: 'fresh' });
    if ('password' in own) throw new Error('it is a password');
    await accessTokens(outbound).get(own, notRenewed, signal);
    expect(asked[0]?.body).to.equal(
      'client_id=app&grant_type=client_credentials&client_secret=s&scope=https%3A%2F%2Foutlook.office365.com%2F.default',
    );
  });

  it('that are refused are so in words of the provider', async () => {
    const refusal = async (status: number, answer: unknown) => {
      const error = await accessTokens(provider(status, answer).outbound)
        .get(credential, notRenewed, signal)
        .catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(DomainError);
      return (error as Error).message;
    };
    const expired = { error: 'invalid_grant', error_description: 'Token has been\r\nexpired or revoked.' };
    expect(await refusal(400, expired)).to.equal(
      'oauth2.googleapis.com refuses an access token for the mailbox (invalid_grant: Token has been expired or revoked.).',
    );
    expect(await refusal(502, '<html>')).to.equal(
      'oauth2.googleapis.com refuses an access token for the mailbox (it answers 502).',
    );
    expect(await refusal(200, { access_token: 7 })).to.match(/it answers 200/);
  });

  it('are never asked for in the own network', async () => {
    const own = { ...credential, tokenUrl: 'https://127.0.0.1:1/token' };
    const error = await accessTokens(safeOutbound({ allowedHosts: [] }))
      .get(own, notRenewed, signal)
      .catch((caught: unknown) => caught);
    expect((error as Error).message).to.match(/is a loopback address, which requests are not sent to/);
  });
});

describe('mailboxes that are opened by an access token, in a Dovecot', () => {
  let dovecot: Dovecot;
  let stop: () => Promise<unknown>;

  before(async function () {
    const checker = await listen((request, response) => {
      const isGood = new URL(request.url ?? '', 'http://localhost').searchParams.get('token') === 'good';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isGood ? { active: true, username: 'ada' } : { active: false }));
    });
    stop = checker.stop;
    const started = await startDovecot({ introspectionUrl: `${checker.baseUrl}/check?token=` });
    if (started === null) return this.skip();
    dovecot = started;
  });
  after(async () => {
    await dovecot?.stop();
    await stop?.();
  });

  const look = async (accessToken: string) => {
    const url = `imaps://ada@localhost:${dovecot.ports.imaps}/INBOX?oauth=google&client_id=a&refresh_token=r`;
    const family = mailboxSources({
      hosts: reachableHosts({ allowedHosts: ['localhost'] }),
      tokens: accessTokens(provider(200, { access_token: accessToken }).outbound),
      ca: await readFile(dovecot.ca, 'utf8'),
    });
    const source = await family.open({ type: 'imap', url }, { act: 'keep', to: null }, signal, notRenewed);
    try {
      return (await lookAt(source)).items.map(({ subject }) => subject);
    } finally {
      await source.close();
    }
  };

  it('are read with a good one, and refuse a bad one', async () => {
    await dovecot.deliver('ada', ['From: a@example.com\r\nSubject: hello\r\n\r\ntext\r\n']);
    expect(await look('good')).to.deep.equal(['hello']);
    const error = await look('bad').catch((caught: unknown) => caught);
    expect((error as Error).message).to.match(/^The mail server localhost refuses the login of ada/);
  });
});
