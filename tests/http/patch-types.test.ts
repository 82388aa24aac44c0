import { expect } from 'chai';
import { openWorld, type World } from '../mcp/world.ts';
import { documentMaker } from './documents-made.ts';

const file = `
workspace: acme
users: [{ email: ada@example.com, name: Ada, role: admin }]
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties: { total: { type: [number, 'null'] }, supplier: { type: object }, note: { type: string } }
      required: [total]
`;

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const TYPES = `application/json, ${JSON_PATCH}, ${MERGE_PATCH}`;

describe('the media types of a correction', () => {
  let world: World;
  let key: string;
  let id: string;
  before(async () => {
    world = await openWorld({ workspace: file });
    key = await world.key();
    const make = documentMaker(
      () => world,
      () => key,
    );
    id = await make('Reader', { data: { total: 12, supplier: { name: 'ACME', city: 'Ulm' }, note: 'x' } });
  });
  after(() => world.stop());

  const at = () => `${world.baseUrl}/api/v1/documents/${id}`;
  const read = () => fetch(at(), { headers: { 'x-api-key': key } });
  const patch = async (type: string, body: string) => {
    const tag = (await read()).headers.get('etag') ?? '';
    const headers = { 'x-api-key': key, 'if-match': tag, ...(type !== '' && { 'content-type': type }) };
    const answer = await fetch(at(), { method: 'PATCH', headers, body: new TextEncoder().encode(body) });
    const { data, errors, code } = (await answer.json()) as {
      data?: { document_data: object };
      code?: string;
      errors?: { path: string; message: string }[];
    };
    return {
      status: answer.status,
      types: answer.headers.get('accept-patch'),
      data: data?.document_data,
      code,
      errors,
    };
  };

  it('are announced with the document and with every answer to a patch', async () => {
    expect((await read()).headers.get('accept-patch')).to.equal(TYPES);
    expect((await fetch(at(), { method: 'PATCH' })).headers.get('accept-patch')).to.equal(TYPES);
    expect(
      (await fetch(`${world.baseUrl}/api/v1/documents`, { headers: { 'x-api-key': key } })).headers.has('accept-patch'),
    ).to.equal(false);
  });

  it('take a JSON Patch by itself, and name its places', async () => {
    const done = await patch(JSON_PATCH, '[{"op":"replace","path":"/total","value":9007199254740993}]');
    expect([done.status, done.types]).to.deep.equal([200, TYPES]);
    expect(await (await read()).text()).to.include('"total":9007199254740993');
    expect(await patch(`${JSON_PATCH}; charset=utf-8`, '[]')).to.include({ status: 200 });
    expect((await patch(JSON_PATCH, '[{"op":"add"}]')).errors?.map(({ path }) => path)).to.deep.equal(['body[0].path']);
    expect(
      (await patch(JSON_PATCH, '[{"op":"remove","path":"/nothing"}]')).errors?.map(({ path }) => path),
    ).to.deep.equal(['body[0].path']);
    expect((await patch(JSON_PATCH, '{"patch":[]}')).errors?.map(({ path }) => path)).to.deep.equal(['body']);
  });

  it('take a merge patch: null removes, and what is required cannot be removed', async () => {
    const done = await patch(MERGE_PATCH, '{"total":1.50,"supplier":{"city":null,"country":"DE"},"note":null}');
    expect(done).to.deep.include({ status: 200, data: { total: 1.5, supplier: { name: 'ACME', country: 'DE' } } });
    const refused = await patch(MERGE_PATCH, '{"total":null}');
    expect(refused).to.include({ status: 400, code: 'invalid_request' });
    expect(refused.errors).to.have.length(1);
    for (const body of ['[]', '1', 'null'])
      expect((await patch(MERGE_PATCH, body)).errors?.map(({ path }) => path)).to.deep.equal(['body']);
    expect((await patch(MERGE_PATCH, '{')).status).to.equal(400);
  });

  it('are no others', async () => {
    for (const type of ['text/plain', 'application/xml', `${JSON_PATCH}; charset=utf-16`, ''])
      expect(await patch(type, '[]'), type).to.include({ status: 415, types: TYPES, code: 'unsupported_media_type' });
  });
});
