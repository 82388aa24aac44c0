import { specTypeSchemas } from '@modelcontextprotocol/client';
import {
  CallToolResultSchema,
  ErrorCode,
  InitializeResultSchema,
  JSONRPCMessageSchema,
  LATEST_PROTOCOL_VERSION,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Peer } from '../../src/adapters/mcp/call.ts';
import { codes } from '../../src/adapters/mcp/messages.ts';
import { answer } from '../../src/adapters/mcp/protocol.ts';
import { legacyVersions, newestLegacy } from '../../src/adapters/mcp/revisions.ts';
import { servedAgent } from '../../src/adapters/mcp/served-agents.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import type { RowStream } from '../../src/application/ports/connectors.ts';
import { toolService } from '../../src/application/tools/tools.ts';
import { isObject, type JsonSchema } from '../../src/domain/json.ts';
import { anAgent, anId } from '../support/builders.ts';
import { toolWorld } from '../support/tools.ts';
import { modern } from './client.ts';
import { remoteTools } from './remote-tools.ts';

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

/** What a result of each method is, to clients of the revisions with a handshake. */
const results: Readonly<Record<string, Schema>> = {
  initialize: InitializeResultSchema,
  'tools/list': ListToolsResultSchema,
  'tools/call': CallToolResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'prompts/list': ListPromptsResultSchema,
};

const modernResults = {
  'tools/list': specTypeSchemas.ListToolsResult,
  'tools/call': specTypeSchemas.CallToolResult,
  'server/discover': specTypeSchemas.DiscoverResult,
} as const;

const caller = {
  userId: 'u',
  workspaceId: 'w',
  email: 'ada@example.com',
  role: 'admin' as const,
  door: 'mcp' as const,
  signedInAt: null,
  scopes: null,
  boundToAgent: null,
  credential: { id: 'k', kind: 'api_key' as const },
};

const peer: Peer = {
  caller,
  requestId: 'r',
  signal: () => new AbortController().signal,
  notify: () => {},
  whileAllowed: (work) => work(new AbortController().signal),
  showLimit: () => {},
};

const names = [
  'lab_echo',
  'lab_add',
  'lab_picture',
  'lab_refuse',
  'lab_lie',
  'lab_broken',
  'lab_big',
  'lab_steps',
  'nope',
];
const methods = [...Object.keys(results), 'server/discover', 'ping', 'nope', 'constructor'];

/** Parameters that are sometimes as they should be, and otherwise anything. */
const params = fc.oneof(
  fc.record({
    name: fc.constantFrom(...names),
    arguments: fc.oneof(
      fc.constant({ message: 'hi' }),
      fc.constant({ a: 1, b: 2 }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
    ),
    protocolVersion: fc.oneof(fc.constantFrom('2025-11-25', '2025-03-26'), fc.string()),
  }),
  fc.record({
    name: fc.constantFrom(...names),
    _meta: fc.record({ progressToken: fc.oneof(fc.string(), fc.integer()) }),
  }),
  fc.dictionary(fc.string(), fc.jsonValue()),
  fc.jsonValue(),
);

const message = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.string(), fc.integer(), fc.constant(1)),
        method: fc.constantFrom(...methods),
        params,
      },
      { requiredKeys: ['jsonrpc', 'id', 'method'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      { jsonrpc: fc.jsonValue(), id: fc.jsonValue(), method: fc.jsonValue(), params },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** Every byte that is sent parses where it arrives, whatever was asked. */
const unused = (): Promise<never> => Promise.reject(new Error('no tool of these needs approval'));

describe('the replies of the tool endpoint', () => {
  const { sources } = toolWorld({ remote: remoteTools() });
  const tools = toolService({ ...sources, settings: { toolTimeoutSeconds: 5 } });
  const dependencies = {
    tools,
    approvedCalls: { make: unused },
    runs: sources.runs,
    schemas: ajvSchemas(),
    log: sources.log,
  };
  const agent = anAgent({ name: 'Reader', tools: [{ mcp: { name: 'lab', url: 'https://lab.example/mcp' } }] });
  const served = async () => servedAgent(agent, (await tools.toolsOf(agent, caller)).tools, caller, '1.0.0');

  const mustBeAMessage = (body: string) => {
    const value = JSON.parse(body);
    // Clients accept null for an id that the server could not read.
    const { id, ...rest } = value;
    const seen = JSONRPCMessageSchema.safeParse(id === null ? rest : value);
    expect(seen.success, `${body} ${seen.error}`).to.equal(true);
    return value;
  };

  it('are messages of the protocol, and results of the method, as the official client reads them', async () => {
    const prepared = await served();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(message, fc.array(message, { minLength: 1, maxLength: 4 })),
        fc.constantFrom(undefined, '2025-03-26', '2025-11-25'),
        async (sent, version) => {
          const headers = version === undefined ? {} : { 'mcp-protocol-version': version };
          const reply = await answer(sent, headers, prepared, peer, dependencies);
          if (!reply || reply.body === null) {
            expect(reply?.status).to.equal(202);
            return;
          }
          if (Array.isArray(sent)) {
            for (const each of JSON.parse(reply.body)) mustBeAMessage(JSON.stringify(each));
            return;
          }
          const { result } = mustBeAMessage(reply.body);
          const method = isObject(sent) && typeof sent.method === 'string' ? sent.method : '';
          const schema = Object.hasOwn(results, method) ? results[method] : undefined;
          if (result === undefined || !schema) return;
          const read = schema.safeParse(result);
          expect(read.success, `${reply.body} ${read.error}`).to.equal(true);
        },
      ),
      { numRuns: 500, verbose: true },
    );
  });

  it('are results of the newest revision, where that is asked', async () => {
    const prepared = await served();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('tools/list', 'tools/call', 'server/discover', 'ping'),
        params,
        async (method, given) => {
          const { message: sent, headers } = modern(method, isObject(given) ? given : {});
          const reply = await answer(sent, headers, prepared, peer, dependencies);
          const { result } = mustBeAMessage(reply?.body ?? '');
          if (result === undefined) return;
          expect(result).to.include({ resultType: 'complete' });
          expect(result._meta).to.deep.equal({
            'io.modelcontextprotocol/serverInfo': { name: 'reader', title: agent.name, version: '1.0.0' },
          });
          const read = await modernResults[method as keyof typeof modernResults]['~standard'].validate(result);
          expect(read.issues, `${reply?.body}`).to.equal(undefined);
          if (method !== 'tools/call') expect(result).to.include({ ttlMs: 60_000, cacheScope: 'private' });
        },
      ),
      { numRuns: 300, verbose: true },
    );
  });

  it('list the same tools in the same bytes, however they were declared', async () => {
    const { tools: all } = await tools.toolsOf(agent, caller);
    expect(servedAgent(agent, all.toReversed(), caller, '1.0.0').legacyList).to.equal((await served()).legacyList);
  });
});

/** What Portico's own tools answer is said beforehand, and held to. */
describe('the numbers of the protocol that stand in the program', () => {
  it('are those of the SDK: its revisions, and its codes of errors', () => {
    expect([newestLegacy, legacyVersions]).to.deep.equal([LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS]);
    const { ParseError, InvalidRequest, MethodNotFound, InvalidParams, InternalError } = ErrorCode;
    const { parseError, invalidRequest, methodNotFound, invalidParams, internal } = codes;
    const own = [parseError, invalidRequest, methodNotFound, invalidParams, internal];
    expect(own).to.deep.equal([ParseError, InvalidRequest, MethodNotFound, InvalidParams, InternalError]);
  });
});

describe('the structured results of Portico’s own tools', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const cells = fc.array(fc.dictionary(fc.string(), cell), { maxLength: 20 });
  const name = fc.string({ minLength: 1 });
  const schemas = ajvSchemas();

  const stream = (rows: readonly object[], more: boolean): RowStream => ({
    columns: [{ name: 'n', dataType: 'numeric' }],
    chunks: (async function* () {
      yield new TextEncoder().encode(
        rows
          .map((row) => JSON.stringify(row))
          .join(',')
          .replaceAll('"exact"', '12345678901234567890.10'),
      );
    })(),
    end: () => ({ rowCount: rows.length, more }),
  });

  const inputs: Readonly<Record<string, object>> = {
    search_web: { query: 'q' },
    run_invoice_reader: { message: 'm' },
    erp_list_entities: {},
    erp_list_records: { entity: 'a.b' },
    erp_insert_record: { entity: 'a.b', values: { n: 1 } },
    erp_update_record: { entity: 'a.b', key_column: 'n', key_value: 1, values: { n: 2 } },
    general_ledger_list_tables: {},
    general_ledger_describe_table: { table: 'public.t' },
    general_ledger_query: { query: 'select 1' },
  };

  const serving = async (rows: readonly object[], names: readonly string[], more: boolean) => {
    const detail = { name: 'n', dataType: 'numeric', nullable: true, primaryKey: false, position: 1, default: null };
    const table = { schema: 'public', name: 't', type: 'table' as const };
    const { sources } = toolWorld({
      connections: {
        entities: async () => names.map((identifier) => ({ identifier, label: identifier })),
        records: async () => stream(rows, more),
        insert: async () => 1,
        update: async () => 0,
      },
      databases: {
        tables: async () => names.map((each) => ({ ...table, name: each, id: each })),
        schema: async () => [{ ...table, id: 't', columns: [detail] }],
        query: async () => stream(rows, more),
      },
      runs: { start: async () => ({ run: { id: anId(), status: 'queued' } }) as never },
    });
    const service = toolService({ ...sources, settings: { toolTimeoutSeconds: 5 } });
    const declared = [
      'search_web',
      { connection: 'erp', write: true },
      { database: 'books' },
      { agent: 'Invoice reader' },
    ];
    const own = anAgent({ name: 'Clerk', tools: declared });
    const prepared = servedAgent(own, (await service.toolsOf(own, caller)).tools, caller, '1.0.0');
    return async (method: string, params: Record<string, unknown>, version: string | undefined) => {
      const { message: sent, headers } =
        version === '2026-07-28'
          ? modern(method, params)
          : {
              message: { jsonrpc: '2.0', id: 1, method, params },
              headers: version === undefined ? {} : { 'mcp-protocol-version': version },
            };
      const reply = await answer(sent, headers, prepared, peer, {
        tools: service,
        approvedCalls: { make: unused },
        runs: sources.runs,
        schemas,
        log: sources.log,
      });
      return JSON.parse(reply?.body ?? '').result;
    };
  };

  it('are what their output schema says, beside the same text, and unknown to clients of older revisions', async () => {
    await fc.assert(
      fc.asyncProperty(cells, fc.array(name, { maxLength: 5 }), fc.boolean(), async (rows, names, more) => {
        const ask = await serving([...rows, { n: 'exact' }], names, more);
        for (const version of [undefined, '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
          const { tools } = (await ask('tools/list', {}, version)) as {
            tools: readonly { name: string; outputSchema?: object }[];
          };
          expect(tools.map((tool) => tool.name)).to.have.members(Object.keys(inputs));
          const isKnown = version !== undefined && version >= '2025-06-18';
          for (const { name: tool, outputSchema } of tools) {
            const { content, structuredContent, isError } = await ask(
              'tools/call',
              { name: tool, arguments: inputs[tool] },
              version,
            );
            expect(isError, `${tool} ${content[0].text}`).to.equal(undefined);
            expect([outputSchema !== undefined, structuredContent !== undefined], `${tool} ${version}`).to.deep.equal([
              isKnown,
              isKnown,
            ]);
            if (!isKnown) continue;
            expect(schemas.errors(outputSchema as JsonSchema, structuredContent)).to.deep.equal([]);
            expect(structuredContent).to.deep.equal(JSON.parse(content[0].text));
          }
        }
      }),
      { numRuns: 30, verbose: true },
    );
  });

  it('keep every digit', async () => {
    const { sources } = toolWorld({ connections: { records: async () => stream([{ n: 'exact' }], false) } });
    const service = toolService({ ...sources, settings: { toolTimeoutSeconds: 5 } });
    const own = anAgent({ tools: [{ connection: 'erp' }] });
    const [, list] = (await service.toolsOf(own, caller)).tools;
    if (!list) throw new Error('a tool was expected');
    const context = { caller, signal: new AbortController().signal, mayStartRuns: true, untrusted: false };
    const { structured } = await service.execute(list, { entity: 'a.b' }, context);
    expect(JSON.stringify(structured)).to.contain('"n":12345678901234567890.1}');
  });
});
