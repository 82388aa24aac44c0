import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { calling, rawClient } from '../mcp/client.ts';
import { type OAuthClient, oauthClient } from '../oauth/client.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { documentMaker } from './documents-made.ts';

const agent = (name: string, review: string) => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    review: ${review}
    tools: [documents]`;

const rules = ['anyone', 'client', 'person', 'other_person'] as const;
const agents = agent('Always', 'always') + rules.map((by) => agent(by, `{ when: always, by: ${by} }`)).join('');

type Headers = Readonly<Record<string, string>>;

interface Shown {
  readonly revision: number;
  readonly review: Readonly<Record<string, unknown>>;
}

describe('who decides on documents', () => {
  let world: World;
  let oauth: OAuthClient;
  let key: string;
  before(async () => {
    world = await openWorld({ agents, env: { RATE_LIMIT_RUNS: '1000000', PERSON_HOURS: '0.5' } });
    oauth = oauthClient(world.baseUrl);
    key = await world.key('ada@example.com');
  });
  after(() => world.stop());

  const make = documentMaker(
    () => ({ ...world, agentId: world.agent }),
    () => key,
  );

  const withKey = async (email = 'ada@example.com', more: Headers = {}): Promise<Headers> => ({
    'x-api-key': await world.key(email),
    ...more,
  });
  const withToken = (token: string): Headers => ({ authorization: `Bearer ${token}` });

  const send = async (method: string, path: string, headers: Headers, body?: object) => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const read = (await answer.json()) as { data: Shown; code?: string; detail?: string };
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? '',
      code: read.code,
      detail: read.detail,
      data: read.data,
    };
  };
  const read = (id: string) => send('GET', `/documents/${id}`, { 'x-api-key': key });
  const decide = async (id: string, headers: Headers, decision = 'approve') =>
    send('POST', `/documents/${id}/review`, { ...headers, 'if-match': (await read(id)).etag }, { decision });
  const correct = async (id: string, headers: Headers, total: number) =>
    send(
      'PATCH',
      `/documents/${id}`,
      { ...headers, 'if-match': (await read(id)).etag },
      { patch: [{ op: 'replace', path: '/total', value: total }] },
    );

  /** What the tool answers over the tool endpoint. */
  const byTool = async (name: string, document: string, decision: string) => {
    const ask = rawClient(world.mcpUrl(world.agent(name)), key);
    const { body } = await ask(calling('review_document', { document_id: document, revision: 1, decision }));
    return body.result as { isError?: boolean; content: readonly { text: string }[] };
  };
  /** What the tool answers to a model that uses it in a conversation. */
  const byModel = async (document: string, decision: string) => {
    const [row] = await world.query<{ thread: string }>(
      'select conversation_id as thread from documents where id = $1',
      [document],
    );
    const message = `/review_document ${JSON.stringify({ document_id: document, revision: 1, decision })}`;
    const { data } = await send('POST', `/threads/${row?.thread}/messages`, { 'x-api-key': key }, { message });
    const { messages } = data as unknown as { messages: readonly { role: string; content: string }[] };
    return messages.find(({ role }) => role === 'tool')?.content ?? '';
  };

  describe('the door', () => {
    const doors: Readonly<Record<string, () => Promise<Headers>>> = {
      api_key: () => withKey(),
      command: () => withKey('ada@example.com', { 'user-agent': 'portico-cli/1.0.0' }),
      oauth: async () => {
        const { access_token: token } = await oauth.granted(await oauth.registered(), { scope: 'documents:review' });
        return withToken(token);
      },
      console: async () => withToken(await oauth.consoleToken('ada@example.com')),
    };
    for (const [door, headers] of Object.entries(doors)) {
      it(`is named in the review and in the history: ${door}`, async () => {
        const id = await make('Always');
        expect((await correct(id, await headers(), 13)).data.review).to.include({
          status: 'pending',
          decided_via: null,
        });
        const { status, data } = await decide(id, await headers());
        expect([status, data.review.status, data.review.decided_via]).to.deep.equal([200, 'approved', door]);
        const { revisions } = (await send('GET', `/documents/${id}/revisions`, { 'x-api-key': key }))
          .data as unknown as {
          revisions: readonly { by: object }[];
        };
        expect(revisions.map(({ by }) => by)).to.deep.equal([
          { type: 'user', name: 'Ada Lovelace', via: door },
          { type: 'agent', name: 'Always', via: null },
        ]);
        const { events } = (await send('GET', '/events?types=document.approved&limit=1000', { 'x-api-key': key }))
          .data as unknown as {
          events: readonly { document_id: string; data: Shown }[];
        };
        expect(events.find(({ document_id: of }) => of === id)?.data.review.decided_via).to.equal(door);
      });
    }

    it('is that of a tool endpoint or of a model, where these reject', async () => {
      const [overMcp, inChat] = [await make('Always'), await make('Always')];
      await byTool('Always', overMcp, 'reject');
      await byModel(inChat, 'reject');
      expect((await read(overMcp)).data.review).to.include({ status: 'rejected', decided_via: 'mcp' });
      expect((await read(inChat)).data.review).to.include({ status: 'rejected', decided_via: 'model' });
    });
  });

  const consoleOf = async (email = 'ada@example.com', on = oauth.of(email)) =>
    withToken(await oauth.consoleToken(email, on));
  const ADA = 'ada@example.com';
  const BOB = 'bob@example.com';

  describe('an approval', () => {
    /** By whom a document of an agent with each rule is approved; all others are refused. Ada starts the runs. */
    const by: Readonly<
      Record<
        string,
        { readonly headers: () => Promise<Headers>; readonly under: readonly string[]; readonly code: string }
      >
    > = {
      'a key of another user': { headers: () => withKey(BOB), under: ['anyone', 'client'], code: 'person_required' },
      'the command line': {
        headers: () => withKey(BOB, { 'user-agent': 'portico-cli/1' }),
        under: ['anyone', 'client'],
        code: 'person_required',
      },
      'a program with access': {
        headers: async () =>
          withToken((await oauth.granted(await oauth.registered(), { scope: 'documents:review' }, BOB)).access_token),
        under: ['anyone', 'client'],
        code: 'person_required',
      },
      'who started the run, in the console': {
        headers: () => consoleOf(ADA),
        under: ['anyone', 'client', 'person'],
        code: 'own_work',
      },
      'another person in the console': { headers: () => consoleOf(BOB), under: rules, code: '' },
    };
    for (const [who, { headers, under, code }] of Object.entries(by)) {
      it(`by ${who} counts under ${under.join(', ')}`, async () => {
        const as = await headers();
        for (const rule of rules) {
          const answer = await decide(await make(rule), as);
          expect([answer.status, answer.code], rule).to.deep.equal(
            under.includes(rule) ? [200, undefined] : [403, code],
          );
        }
      });
    }

    it('by a model counts under anyone alone, and says elsewhere where a person approves', async () => {
      for (const rule of ['Always', ...rules]) {
        const [overMcp, inChat] = [await make(rule), await make(rule)];
        const { isError = false, content } = await byTool(rule, overMcp, 'approve');
        const said = await byModel(inChat, 'approve');
        const statuses = [(await read(overMcp)).data.review.status, (await read(inChat)).data.review.status];
        if (rule === 'anyone') {
          expect([isError, ...statuses]).to.deep.equal([false, 'approved', 'approved']);
          continue;
        }
        expect([isError, ...statuses], rule).to.deep.equal([true, 'pending', 'pending']);
        expect(content[0]?.text, rule).to.include(`${world.baseUrl}/console/documents/${overMcp}`);
        expect(said, rule).to.include(`${world.baseUrl}/console/documents/${inChat}`);
      }
    });

    it('of a person is one who signed in lately: by then the token says so no more, and after signing in again it does', async () => {
      const on = oauth.open();
      const token = withToken(await oauth.consoleToken(ADA, on));
      const [early, late] = [await make('person'), await make('person')];
      expect((await decide(early, token)).status).to.equal(200);
      await world.query(
        `update oauth_records set signed_in_at = signed_in_at - interval '31 minutes' where signed_in_at is not null`,
      );
      // This process remembers for a second what it has read.
      await sleep(1100);
      const refused = await decide(late, token);
      expect([refused.status, refused.code]).to.deep.equal([403, 'person_required']);
      expect(refused.detail).to.include('within the last 0.5 hours: sign in again');
      expect((await decide(late, await consoleOf(ADA, oauth.open()))).status).to.equal(200);
    });

    it('is of the time of the sign-in, however often its token is renewed', async () => {
      const on = oauth.open();
      await oauth.consoleToken(ADA, on);
      const [before] = await world.query<{ at: Date }>(`select max(signed_in_at) as at from oauth_records`);
      await sleep(1100);
      await oauth.consoleToken(ADA, on);
      const [newest] = await world.query<{ at: Date }>(
        `select signed_in_at as at from oauth_records where kind = 'AccessToken' order by created_at desc limit 1`,
      );
      expect(newest?.at).to.deep.equal(before?.at);
    });

    it('of one’s own work is refused to who made a revision since the last approval, and to no one before it', async () => {
      const [ada, bob] = [await consoleOf(ADA), await consoleOf(BOB)];
      const newcomers = await world.key('new@example.com');
      const id = await documentMaker(
        () => ({ ...world, agentId: world.agent }),
        () => newcomers,
      )('other_person');
      expect((await correct(id, await withKey(BOB), 13)).data.revision).to.equal(2);
      expect((await decide(id, bob)).code).to.equal('own_work');
      expect((await decide(id, ada)).status, 'who has not worked on it').to.equal(200);
      expect((await correct(id, await withKey(ADA), 14)).data.revision).to.equal(3);
      expect((await decide(id, ada)).code).to.equal('own_work');
      expect((await decide(id, bob)).status, 'whose revision was approved').to.equal(200);
    });

    it('that is refused leaves the document as it was, to be rejected by any of them', async () => {
      for (const headers of [await withKey(), await consoleOf(ADA)]) {
        const id = await make('other_person');
        expect((await decide(id, headers)).status).to.equal(403);
        expect((await read(id)).data.review).to.include({ status: 'pending', decided_via: null });
        expect((await decide(id, headers, 'reject')).data.review.status).to.equal('rejected');
      }
      const id = await make('other_person');
      expect((await byTool('other_person', id, 'reject')).isError ?? false).to.equal(false);
    });
  });
});
