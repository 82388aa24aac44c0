import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { expect } from 'chai';
import { parse } from 'yaml';
import { httpApp } from '../../src/adapters/http/app.ts';
import { errorCodes } from '../../src/adapters/http/error-codes.ts';
import { operationRows, operations } from '../../src/adapters/http/operations.ts';
import type { JsonSchema } from '../../src/domain/json.ts';
import { runMachine } from '../../src/domain/run.ts';
import { webhookEvents } from '../../src/domain/webhook.ts';
import { type OpenApiDocument, operationsIn, TOOL_ENDPOINT } from '../support/http.ts';
import { listen } from '../support/listen.ts';
import { type StandIn, settingsOf, startStandIn, world } from './stand-in.ts';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** Every object in a document, with where it is. */
const objectsIn = (value: unknown, at = ''): { at: string; value: Json }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, each]) => objectsIn(each, `${at}/${key}`));
  return Array.isArray(value) ? below : [{ at, value: value as Json }, ...below];
};

const textOf = async (url: string) => (await fetch(url)).text();

describe('the OpenAPI description', () => {
  let server: StandIn;
  let yaml: string;
  let document: OpenApiDocument;
  before(async () => {
    server = await startStandIn({
      limits: { requests: 100, windowSeconds: 60, runs: 30, tableReads: 5, console: 1000 },
    });
    yaml = await textOf(`${server.baseUrl}/openapi.yaml`);
    document = parse(yaml) as OpenApiDocument;
  });
  after(() => server.stop());

  const valid = () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default.default(ajv);
    ajv.addSchema(document, 'openapi.json');
    return (schema: Json, value: unknown): string | null => {
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/')) as Json;
      return ajv.validate(local, value) ? null : ajv.errorsText();
    };
  };

  it('is the same in YAML and JSON, and the same from every server', async () => {
    expect(JSON.parse(await textOf(`${server.baseUrl}/openapi.json`))).to.deep.equal(document);
    const another = await listen(
      httpApp(settingsOf(world(), { limits: { requests: 100, runs: 30, tableReads: 5 } })).callback(),
    );
    expect(await textOf(`${another.baseUrl}/openapi.yaml`)).to.equal(yaml);
    await another.stop();
  });

  it('has the parts that OpenAPI 3.1 asks for', () => {
    expect(document)
      .to.include({ openapi: '3.1.0' })
      .and.to.include.keys('info', 'paths', 'components', 'servers', 'tags');
    expect(document.info).to.include.keys('title', 'version');
    const known = new Set((document.tags as { name: string }[]).map(({ name }) => name));
    for (const { id, operation } of operationsIn(document)) {
      expect(operation.tags, id).to.satisfy((tags: string[]) => tags.every((tag) => known.has(tag)));
    }
  });

  it('refers to nothing that is not there', () => {
    const refs = objectsIn(document).flatMap(({ at, value }) =>
      typeof value.$ref === 'string' ? [{ at, ref: value.$ref }] : [],
    );
    expect(refs.length).to.be.at.least(50);
    for (const { at, ref } of refs) {
      const found = ref
        .split('/')
        .slice(1)
        .reduce<unknown>((node, token) => (node as Json | undefined)?.[token], document);
      expect(found, `${ref} at ${at}`).to.be.an('object');
    }
  });

  it('has no component without a reference', () => {
    const text = JSON.stringify(document);
    const components = document.components as Readonly<Record<string, Json>>;
    for (const kind of ['schemas', 'responses', 'parameters'] as const) {
      for (const name of Object.keys(components[kind] ?? {})) {
        expect(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name}`).to.equal(true);
      }
    }
  });

  it('lists every event of webhooks, with a valid example', () => {
    const listed = document.webhooks as Readonly<Record<string, { post: Json }>>;
    expect(Object.keys(listed)).to.deep.equal([...webhookEvents]);
    const errorOf = valid();
    const ids = operationsIn(document).map(({ id }) => id);
    for (const [event, { post }] of Object.entries(listed)) {
      const { operationId, parameters, requestBody, responses } = post as Record<string, Json>;
      ids.push(String(operationId));
      expect(
        (parameters as unknown as Json[]).map(({ $ref }) => String($ref).split('/').at(-1)),
        event,
      ).to.deep.equal(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
      expect(responses, event).to.include.keys('2XX', '410', 'default');
      const { schema, example } =
        ((requestBody as Json).content as Record<string, { schema: Json; example: Json }>)['application/json'] ?? {};
      expect(errorOf(schema as Json, example), event).to.equal(null);
      expect(errorOf(schema as Json, { ...example, type: 'run.other' }), event).to.be.a('string');
      expect(example, event).to.include({ type: event });
    }
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('has each operation once, with a summary, a description, and every parameter of its path', () => {
    const all = operationsIn(document);
    expect(all.map(({ id }) => id).toSorted()).to.deep.equal(operations.map(({ id }) => id).toSorted());
    for (const { id, path, operation } of all) {
      expect(operation.summary, id).to.match(/^[A-Z][^.]{3,60}$/);
      expect(operation.description, id).to.match(/^[A-Z`].{20,}\.$/s);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = ((operation.parameters ?? []) as Parameter[]).filter((each) => each.in === 'path');
      expect(
        declared.map(({ name }) => name),
        id,
      ).to.deep.equal(named);
      expect(
        declared.every(({ required }) => required),
        id,
      ).to.equal(true);
    }
  });

  it('writes paths, parameters and properties in snake case', () => {
    const snake = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
    for (const { id, path, operation } of operationsIn(document)) {
      expect(path, id).to.match(/^(\/([a-z0-9]+(-[a-z0-9]+)*|\{[a-z]+(_[a-z]+)*\}))+$/);
      for (const each of (operation.parameters ?? []) as Parameter[]) {
        if (each.in !== 'header') expect(each.name, id).to.match(snake);
        expect(each.description, `${id} ${each.name}`).to.match(/^[A-Z].*\.$/);
      }
    }
    for (const { at, value } of objectsIn((document.components as Json).schemas, '')) {
      if (at.endsWith('/properties')) for (const name of Object.keys(value)) expect(name, at).to.match(snake);
    }
  });

  it('gives examples that its own schemas allow', () => {
    const check = valid();
    let checked = 0;
    for (const { at, value } of objectsIn(document)) {
      const { schema, example, examples } = value as {
        schema?: Json;
        example?: unknown;
        examples?: Readonly<Record<string, { value: unknown }>>;
      };
      if (schema === undefined || at.includes('/properties/')) continue;
      const given = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map((each) => each.value),
      ];
      for (const each of given) {
        checked++;
        expect(check(schema, each), `${at}: ${JSON.stringify(each)}`).to.equal(null);
      }
    }
    expect(checked).to.be.at.least(30);
    for (const { id, operation } of operationsIn(document)) {
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
      // Bytes have no example that JSON could show.
      expect(JSON.stringify(success), `an example of ${id}`).to.match(/"example"|"format":"binary"/);
    }
  });

  it('has bounds, defaults and enums', () => {
    const parameters = document.paths['/api/v1/runs']?.get?.parameters as Parameter[];
    const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    expect(schemas).to.deep.equal({
      agent_id: { type: 'string', format: 'uuid' },
      status: { $ref: '#/components/schemas/RunStatus' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
      after: { type: 'string', pattern: '^[A-Za-z0-9_-]{30}$' },
    });
    expect(((document.components as Json).schemas as Json).RunStatus).to.deep.equal({
      type: 'string',
      enum: Object.keys(runMachine.table),
    });
  });

  it('lists the errors of each operation that the specification lists', () => {
    const statuses: Readonly<Record<string, readonly number[]>> = {
      getIndex: [429],
      whoAmI: [401, 429],
      listKeys: [400, 401, 403, 404, 429],
      createKey: [400, 401, 403, 409, 429],
      rotateKey: [400, 401, 403, 404, 409, 429],
      revokeKey: [400, 401, 403, 404, 429],
      listGrants: [401, 403, 429],
      revokeGrant: [400, 401, 403, 404, 429],
      listUsers: [401, 403, 429],
      addUser: [400, 401, 403, 409, 429],
      changeUser: [400, 401, 403, 404, 409, 429],
      inviteUser: [400, 401, 403, 404, 409, 429],
      listAudit: [400, 401, 403, 429],
      exportAudit: [401, 403, 429],
      erase: [400, 401, 403, 404, 409, 429],
      listErasures: [400, 401, 403, 429],
      listWebhooks: [401, 403, 429],
      listDeliveries: [400, 401, 403, 429],
      listDeliveryAttempts: [400, 401, 403, 404, 429],
      redeliver: [400, 401, 403, 404, 409, 429],
      listSources: [401, 403, 429],
      listIntake: [400, 401, 403, 404, 429],
      checkSource: [400, 401, 403, 404, 429],
      listAgents: [401, 403, 429],
      listAgentTools: [400, 401, 403, 404, 429],
      listAgentVersions: [400, 401, 403, 404, 429],
      getAgentVersion: [400, 401, 403, 404, 429],
      publishAgentVersion: [400, 401, 403, 404, 409, 429],
      createUploadUrls: [400, 401, 403, 404, 429],
      createRun: [400, 401, 403, 404, 429],
      listRuns: [400, 401, 403, 429],
      getRun: [400, 401, 403, 404, 429],
      listRunFiles: [400, 401, 403, 404, 409, 429],
      getRunPage: [400, 401, 403, 404, 409, 429],
      listEvents: [400, 401, 403, 410, 429],
      listRunEvents: [400, 401, 403, 404, 410, 429],
      listDocuments: [400, 401, 403, 429],
      exportDocuments: [400, 401, 403, 429],
      getDocument: [400, 401, 403, 404, 429],
      listDocumentFiles: [400, 401, 403, 404, 409, 429],
      getDocumentPage: [400, 401, 403, 404, 409, 429],
      getDocumentFileText: [400, 401, 403, 404, 409, 429],
      getDocumentEInvoice: [400, 401, 403, 404, 409, 429],
      getDocumentPageWords: [400, 401, 403, 404, 409, 429],
      processDocument: [400, 401, 403, 404, 409, 429],
      rehearseDocument: [400, 401, 403, 404, 409, 429],
      deleteDocument: [400, 401, 403, 404, 409, 429],
      holdDocument: [400, 401, 403, 404, 429],
      releaseDocument: [400, 401, 403, 404, 429],
      restoreDocument: [400, 401, 403, 404, 409, 429],
      rereadDocument: [400, 401, 403, 404, 409, 429],
      dismissRun: [400, 401, 403, 404, 409, 429],
      countWork: [401, 403, 429],
      listFailedRuns: [400, 401, 403, 429],
      getUsage: [400, 401, 403, 429],
      listBudgets: [401, 403, 429],
      correctDocument: [400, 401, 403, 404, 409, 412, 428, 429],
      batchDocuments: [400, 401, 403, 429],
      reviewDocument: [400, 401, 403, 404, 409, 412, 428, 429],
      listRevisions: [400, 401, 403, 404, 429],
      listApprovals: [400, 401, 403, 429],
      getApproval: [400, 401, 403, 404, 429],
      decideApproval: [400, 401, 403, 404, 409, 412, 429],
      changeParts: [400, 401, 403, 404, 409, 412, 428, 429],
      cancelRun: [400, 401, 403, 404, 409, 429],
      // Beyond the specification's lists: 403 to keys whose scopes name other things and to viewers who write, 400 to bad bounds.
      listConnections: [400, 401, 403, 429],
      listEntities: [400, 401, 403, 404, 429],
      listRecords: [400, 401, 403, 404, 429],
      updateRecord: [400, 401, 403, 404, 429],
      insertRecord: [400, 401, 403, 404, 429],
      rehearseRecord: [400, 401, 403, 404, 429],
      listDatabases: [401, 403, 429],
      listTables: [400, 401, 403, 404, 429],
      getSchema: [400, 401, 403, 404, 429],
      readTable: [400, 401, 403, 404, 429],
      runQuery: [400, 401, 403, 404, 429],
      searchWeb: [400, 401, 403, 429],
      getThread: [400, 401, 403, 404, 429],
      continueThread: [400, 401, 403, 404, 409, 429],
      createSnapshot: [400, 401, 403, 404, 429],
      getSnapshot: [400, 401, 403, 429],
    };
    for (const { id, operation } of operationsIn(document)) {
      const errors = Object.keys(operation.responses)
        .map(Number)
        .filter((status) => status >= 400 && ![408, 413, 415, 500, 503].includes(status));
      expect(errors, id).to.deep.equal(statuses[id]);
    }
  });

  it('describes the tool endpoint, with the statuses that it answers', () => {
    const { parameters, ...methods } = document.paths[TOOL_ENDPOINT] ?? {};
    expect(parameters).to.have.length(1);
    const statuses = Object.entries(methods).map(([method, { responses }]) => [
      method,
      Object.keys(responses).map(Number),
    ]);
    expect(Object.fromEntries(statuses)).to.deep.equal({
      post: [200, 202, 400, 401, 403, 404, 408, 413, 429, 500, 503],
      get: [200, 400, 401, 403, 404, 405, 429, 500, 503],
      delete: [200, 401, 403, 404, 429, 500, 503],
    });
    for (const { operationId, tags, summary, description } of Object.values(methods)) {
      expect(tags, operationId).to.deep.equal(['Tools']);
      expect(summary, operationId).to.match(/^[A-Z][^.]{3,60}$/);
      expect(description, operationId).to.match(/^[A-Z`].{20,}\.$/s);
    }
    const ids = new Set([
      ...operationsIn(document).map(({ id }) => id),
      ...Object.values(methods).map(({ operationId }) => operationId),
    ]);
    expect(ids.size).to.equal(operations.length + 3);
  });

  it('names the credentials, the scopes and the limits of each operation', () => {
    const of = (path: string, method: string) => document.paths[path]?.[method];
    expect(of('/api/v1', 'get')).to.deep.include({
      security: [],
      'x-rate-limits': [{ name: 'ip', limit: 100, per: 'ip', window_seconds: 60 }],
    });
    expect(of('/api/v1/agents/{agent_id}/run', 'post')).to.deep.include({
      security: [{ apiKey: [] }, { bearer: [] }, { oauth2: ['runs:write'] }],
      'x-rate-limits': [
        { name: 'credential', limit: 100, per: 'credential', window_seconds: 60 },
        { name: 'agent-runs', limit: 30, per: 'agent', window_seconds: 60 },
      ],
    });
    const schemes = (document.components as Json).securitySchemes as Readonly<Record<string, Json>>;
    expect(Object.keys(schemes)).to.deep.equal(['apiKey', 'bearer', 'oauth2']);
    expect(JSON.stringify(schemes.oauth2))
      .to.contain('https://portico.example.com/oauth/authorize')
      .and.to.contain('agents:read');
  });

  it('has no error code that no operation gives, but for those of the server, of signed URLs and of the command line', () => {
    const text = JSON.stringify(document.paths) + JSON.stringify((document.components as Json).responses);
    const unused = Object.keys(errorCodes).filter((code) => !text.includes(`"${code}"`));
    const ofServer = ['forbidden', 'method_not_allowed'];
    const ofUploads = [
      'invalid_key',
      'invalid_content_type',
      'content_type_mismatch',
      'size_mismatch',
      'incomplete_upload',
    ];
    const ofUrls = ['invalid_signature', 'url_expired', 'uploaded_already', 'file_too_large', 'storage_full'];
    expect(unused).to.have.members([...ofServer, ...ofUploads, ...ofUrls, 'invalid_workspace_file']);
  });

  it('has rows for the README', () => {
    expect(operationRows()).to.deep.include({
      method: 'POST',
      path: '/api/v1/agents/{agent_id}/run',
      summary: 'Create a run',
      access: 'scope runs:write',
    });
    expect(operationRows()).to.have.length(operations.length);
  });
});

describe('the index', () => {
  it('has every field of the specification, and every address', async () => {
    const server = await startStandIn({
      limits: { requests: 7, windowSeconds: 9 },
      oauth: {
        metadataUrl: 'https://auth.example.com/.well-known/oauth-authorization-server',
        scopesSupported: ['runs:read'],
      },
    });
    const index = JSON.parse(await textOf(`${server.baseUrl}/api/v1`)) as Json;
    await server.stop();
    const base = 'https://portico.example.com';
    expect(index).to.deep.include({
      name: 'Portico',
      version: 'v1',
      base_url: base,
      documentation_url: `${base}/docs`,
      developers_url: `${base}/developers`,
      openapi_url: `${base}/openapi.yaml`,
      llms_txt_url: `${base}/llms.txt`,
    });
    expect(index.authentication).to.deep.equal({
      methods: [
        {
          type: 'api_key',
          documentation_url: `${base}/developers#authentication`,
          headers: ['X-API-Key', 'Authorization'],
          self_serve: false,
          credential_creation: 'available_after_account_access',
          account_access: 'invite_required',
        },
        {
          type: 'oauth2',
          documentation_url: `${base}/developers#authentication`,
          flow: 'authorization_code',
          metadata_url: 'https://auth.example.com/.well-known/oauth-authorization-server',
          scopes_supported: ['runs:read'],
        },
      ],
    });
    expect(index.onboarding).to.include.keys(
      'account_access',
      'access_request_url',
      'trial',
      'public_sandbox_available',
    );
    expect(index.rate_limits).to.include({ requests: 7, window_seconds: 9 });
    expect(index.versioning).to.deep.include({
      strategy: 'url_path',
      current_version: 'v1',
      deprecation_headers: ['Deprecation', 'Sunset'],
      minimum_sunset_notice_days: 180,
    });
    expect(index.resources).to.include({
      index: `${base}/api/v1`,
      agents: `${base}/api/v1/agents`,
      agent_run: `${base}/api/v1/agents/{agent_id}/run`,
      run: `${base}/api/v1/runs/{id}`,
      document: `${base}/api/v1/documents/{id}`,
      agent_mcp: `${base}/api/v1/agents/{agent_id}/mcp`,
    });
    expect(index.clients).to.include.keys('cli', 'cli_documentation_url');
  });
});
