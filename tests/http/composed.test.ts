import { expect } from 'chai';
import { operations } from '../../src/adapters/http/operations.ts';
import { composed } from '../support/composed.ts';
import { conformance } from './conformance.ts';
import { limitsConformance } from './conformance-limits.ts';
import { orderOfChecks } from './order-of-checks.ts';

/** Writing records takes a SQL Server: the connector's contract has it. On calls of tools people decide, and no keys: `approvals.test.ts` has that. */
const elsewhere = ['updateRecord', 'insertRecord', 'rehearseRecord', 'decideApproval'];
const served = operations.filter(({ id }) => !elsewhere.includes(id));

conformance('the composed server', (limits) => composed(limits), served);
limitsConformance('the composed server', (limits) => composed(limits), served);
orderOfChecks('the composed server', (limits) => composed(limits));

describe('the limit of table reads', () => {
  it('is a user’s, whatever their credentials', async () => {
    const server = await composed({ tableReads: 3 });
    try {
      const read = async (key: string) => {
        const answer = await fetch(`${server.baseUrl}/api/v1/tables/books.public.entries`, {
          headers: { 'x-api-key': key },
        });
        await answer.body?.cancel();
        return [answer.status, answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')];
      };
      const [one, two, neighbour] = [await server.key(), await server.key(), await server.key({ role: 'member' })];
      expect([await read(one), await read(two), await read(one), await read(two), await read(one)]).to.deep.equal([
        [200, '3', '2'],
        [200, '3', '1'],
        [200, '3', '0'],
        [429, '3', '0'],
        [429, '3', '0'],
      ]);
      expect(await read(neighbour)).to.deep.equal([200, '3', '2']);
    } finally {
      await server.stop();
    }
  });
});

describe('an error of a use case', () => {
  const cases: readonly [string, { path: string; body?: object }, object][] = [
    [
      'the whole body',
      { path: '/agents/{agent}/run', body: { files: [], user_message: ' ' } },
      { path: 'body', message: 'must have at least one file in files, or a user_message that is not blank' },
    ],
    [
      'an entry of a list in the body',
      {
        path: '/agents/{agent}/run',
        body: { files: [{ file_key: 'mine', file_name: 'a.txt', content_type: 'text/plain' }] },
      },
      { path: 'body.files[0].file_key', message: 'must be a key that was issued for an upload to this agent' },
    ],
    [
      'a property of the body',
      { path: '/query', body: { database_id: 'books', query: ' ' } },
      { path: 'body.query', message: 'must be one SELECT statement, not blank' },
    ],
    [
      'a place in a query parameter, as the client wrote it',
      {
        path: `/connections/{connection}/records?entity_id=a.b&filter=${encodeURIComponent('{"and": [{"fileKey": {"is": 1}}]}')}`,
      },
      {
        path: 'query.filter.and[0].fileKey.is',
        message: 'is not an operator: there are eq, ne, gt, gte, lt, lte, like, in and is_null',
      },
    ],
  ];

  it('names the field by its place in the request', async () => {
    const server = await composed();
    try {
      const headers = { 'x-api-key': await server.key(), 'content-type': 'application/json' };
      const [run, records] = [await server.request('createRun'), await server.request('listRecords')];
      for (const [what, { path, body }, error] of cases) {
        const address = path
          .replace('{agent}', run.params?.agent_id ?? '')
          .replace('{connection}', records.params?.connection_id ?? '');
        const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
        const answer = await fetch(`${server.baseUrl}/api/v1${address}`, sent);
        const { status, errors, detail } = (await answer.json()) as { status: number; errors: object; detail: string };
        expect([status, errors], what).to.deep.equal([400, [error]]);
        expect(detail, what).to.equal(Object.values(error).join(' '));
      }
    } finally {
      await server.stop();
    }
  });
});

describe('a file of a run', () => {
  it('is in it once: every further entry of it is an error', async () => {
    const server = await composed();
    try {
      const headers = { 'x-api-key': await server.key(), 'content-type': 'application/json' };
      const { params } = await server.request('createRun');
      const post = (path: string, body: object) =>
        fetch(`${server.baseUrl}/api/v1/agents/${params?.agent_id}/${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
      const named = ['a.txt', 'b.txt'].map((name) => ({ file_name: name, content_type: 'text/plain' }));
      const { data } = (await (await post('upload-urls', { files: named })).json()) as {
        data: { files: { upload_url: string; headers: Record<string, string> }[] };
      };
      for (const { upload_url: url, headers: sent } of data.files) {
        expect((await fetch(url, { method: 'PUT', headers: sent, body: 'Total: 12' })).ok).to.equal(true);
      }
      const [a, b] = data.files;
      const refused = await post('run', { files: [a, b, a, { ...b, file_name: 'c.txt' }] });
      expect(refused.status).to.equal(400);
      const { code, errors } = (await refused.json()) as { code: string; errors: object };
      expect(code).to.equal('invalid_request');
      expect(errors).to.deep.equal([
        { path: 'body.files[2].file_key', message: 'must not be that of files[0]: a file may stand once in a run' },
        { path: 'body.files[3].file_key', message: 'must not be that of files[1]: a file may stand once in a run' },
      ]);
      expect((await post('run', { files: [a, b] })).status).to.equal(200);
    } finally {
      await server.stop();
    }
  });
});
