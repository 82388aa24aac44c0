import { expect } from 'chai';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { toolErrors } from '../../src/application/agents/declarations.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { declared } from '../support/tools.ts';

const names = { connections: new Set(['erp']), databases: new Set(['sales']), agents: new Set(['Reader']) };
const errors = (...tools: readonly JsonValue[]) =>
  toolErrors('agents[0].tools', tools.map(declared), names, ajvSchemas()).map(
    ({ path, message }) => `${path} ${message}`,
  );
const http = (fields: object): JsonValue => ({
  http: { name: 'rate', url: 'https://x.example/{a}', input_schema: { properties: { a: {} } }, ...fields },
});

describe('the tools of a workspace file', () => {
  it('may name what the file has', () => {
    expect(
      errors(
        'search_web',
        { connection: 'erp' },
        { database: 'sales' },
        { agent: 'Reader' },
        { mcp: { url: 'https://x.example' } },
        http({}),
      ),
    ).to.deep.equal([]);
  });

  it('that name nothing, or could never be called, are errors by their place', () => {
    const found = errors(
      { connection: 'epr' },
      { database: 'Sales' },
      { agent: 'reader' },
      http({ url: 'https://{a}.example' }),
      http({ url: 'https://x.example/{b}' }),
      http({ input_schema: { type: 'string' } }),
      http({ input_schema: { properties: { a: { type: 'text' } } } }),
      http({ body: { a: '{a}' } }),
      http({ url: 'https://x.example/{a}?Limit=10', input_schema: { properties: { a: {}, limit: {} } } }),
      http({
        url: 'https://x.example/{a}?q={a}',
        input_schema: { properties: { a: {} }, allOf: [{ properties: { q: {} } }] },
      }),
      http({ method: 'POST', body: '{"a":{a}}', input_schema: { properties: { a: {} } } }),
    );
    const expected = [
      'agents[0].tools[0].connection names epr, which is not among the connections',
      'agents[0].tools[1].database names Sales, which is not among the databases',
      'agents[0].tools[2].agent names reader, which is not among the agents',
      'agents[0].tools[3].http has a {placeholder} in its host: it may only stand after it',
      'agents[0].tools[4].http fills in {b}, which is no property of its input_schema',
      'agents[0].tools[5].http.input_schema is not a usable input_schema: it must be of type object',
      /^agents\[0\].tools\[6\].http.input_schema is not a usable input_schema: /,
      'agents[0].tools[7].http has a body, which a GET does not take',
      'agents[0].tools[8].http has the property limit in its input_schema, which its url sets already: write {limit} there, or leave one out',
      'agents[0].tools[9].http has the property q in its input_schema, which its url sets already: write {q} there, or leave one out',
      'agents[0].tools[10].http has a body that is text, and no JSON with what stands for its {placeholders}: write the body as an object, or say its content-type in headers',
    ];
    expect(found).to.have.length(expected.length);
    for (const [index, each] of expected.entries()) {
      if (typeof each === 'string') expect(found[index]).to.equal(each);
      else expect(found[index]).to.match(each);
    }
  });

  it('may have a body and hosts at private addresses', () => {
    const file = (tool: string) =>
      `{ workspace: w, agents: [{ name: A, workflow_type: assistant, model: offline, instructions: Help., tools: [${tool}] }] }`;
    const tool = `{ http: { name: rate, method: POST, url: "https://10.0.0.7:8080/x", body: { a: "{a}", b: [1, null] }, headers: { x: "\${T}" }, allow_hosts: ["10.0.0.7:8080"] } }`;
    const [agent] = readWorkspaceFile(file(tool), { T: 'token' }).agents;
    expect(agent?.tools[0]).to.deep.equal({
      kind: 'http',
      requiresApproval: false,
      untrusted: null,
      http: {
        name: 'rate',
        description: '',
        method: 'POST',
        url: 'https://10.0.0.7:8080/x',
        body: { a: '{a}', b: [1, null] },
        headers: { x: 'token' },
        allowedHosts: ['10.0.0.7:8080'],
        inputSchema: { type: 'object', properties: {} },
      },
    });
    for (const wrong of [
      '{ http: { name: rate, url: "https://x", allow_hosts: ["a b"] } }',
      '{ mcp: { url: "https://x", allow_hosts: 7 } }',
    ]) {
      expect(() => readWorkspaceFile(file(wrong), {}), wrong).to.throw(/allow_hosts/);
    }
  });
});
