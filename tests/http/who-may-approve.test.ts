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

type Headers = Readonly<Record<string, string>>;

interface Shown {
  readonly revision: number;
  readonly review: Readonly<Record<string, unknown>>;
}

describe('who decides on documents', function () {
  this.timeout(120_000);
  let world: World;
  let oauth: OAuthClient;
  let key: string;
  before(async () => {
    world = await openWorld({ agents: agent('Always', 'always'), env: { RATE_LIMIT_RUNS: '1000000' } });
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
      ...{ method, headers: { ...headers, 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    });
    const read = (await answer.json()) as { data: Shown; code?: string; detail?: string };
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', code: read.code, detail: read.detail, data: read.data };
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
    const [row] = await world.query<{ thread: string }>('select conversation_id as thread from documents where id = $1', [document]);
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
        expect((await correct(id, await headers(), 13)).data.review).to.include({ status: 'pending', decided_via: null });
        const { status, data } = await decide(id, await headers());
        expect([status, data.review.status, data.review.decided_via]).to.deep.equal([200, 'approved', door]);
        const { revisions } = (await send('GET', `/documents/${id}/revisions`, { 'x-api-key': key })).data as unknown as {
          revisions: readonly { by: object }[];
        };
        expect(revisions.map(({ by }) => by)).to.deep.equal([
          { type: 'user', name: 'Ada Lovelace', via: door },
          { type: 'agent', name: 'Always', via: null },
        ]);
        const { events } = (await send('GET', '/events?types=document.approved&limit=1000', { 'x-api-key': key })).data as unknown as {
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
});
