import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import type { ConnectionService } from '../../src/application/connections/connections.ts';
import type { DatabaseService } from '../../src/application/databases/databases.ts';
import type { DocumentService } from '../../src/application/documents/documents.ts';
import type { Outbound } from '../../src/application/ports/outbound.ts';
import type { Clock, Log } from '../../src/application/ports/runtime.ts';
import type { Sealer } from '../../src/application/ports/secrets.ts';
import type { RemoteTools } from '../../src/application/ports/tools.ts';
import type { RunService } from '../../src/application/runs/runs.ts';
import type { UploadService } from '../../src/application/runs/uploads.ts';
import type { ToolSources } from '../../src/application/tools/catalogue.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { Database } from '../../src/domain/database.ts';
import type { ToolDeclaration } from '../../src/domain/tool.ts';
import { readTool } from '../../src/domain/tool-json.ts';

const at = new Date('2026-01-01T00:00:00.000Z');
const common = { workspaceId: 'w', visibleTo: null, createdAt: at, updatedAt: at };

const connection = (id: string, type: Connection['type']): Connection => ({
  ...common,
  id,
  name: id,
  type,
  sealedUrl: '',
});
const erp = connection('erp', 'sqlserver');
const database: Database = { ...common, id: 'books', name: 'General ledger', connectionId: 'erp', schemas: null };

const unused = (): Promise<never> => Promise.reject(new Error('no test asks for this'));

/** A tool as a workspace file declares it. */
export const declared = (entry: unknown): ToolDeclaration => {
  const tool = readTool(entry);
  if ((tool.kind === 'http' && 'sealed' in tool.http) || (tool.kind === 'mcp' && 'sealed' in tool.mcp))
    throw new Error('it is sealed');
  return tool as ToolDeclaration;
};

/** What each use case answers unless a test says otherwise. */
export const doubleOf = {
  annotations: { title: 'x', readOnly: true, destructive: false, idempotent: true, openWorld: true },
  remote: { list: async () => [], call: unused } satisfies RemoteTools,
};

export interface ToolWorld {
  readonly connections?: Partial<ConnectionService>;
  readonly databases?: Partial<DatabaseService>;
  readonly documents?: Partial<DocumentService>;
  readonly runs?: Partial<RunService>;
  readonly uploads?: Partial<UploadService>;
  readonly outbound?: Outbound;
  readonly remote?: RemoteTools;
  readonly sealer?: Sealer;
}

/** The use cases behind tools, with one connection of each type, one database and one other agent; and what was logged. */
export const toolWorld = (
  over: ToolWorld,
): { sources: ToolSources & { clock: Clock; log: Log }; logged: unknown[] } => {
  const logged: unknown[] = [];
  const note = (fields: object) => void logged.push(fields);
  const sources = {
    connections: {
      list: async () => [erp, connection('books', 'postgresql')],
      entities: unused,
      records: unused,
      insert: unused,
      update: unused,
      rehearse: unused,
      ...over.connections,
    },
    databases: {
      list: async () => [{ ...database, connection: erp }],
      tables: unused,
      schema: unused,
      rows: unused,
      query: unused,
      ...over.databases,
    },
    documents: {
      export: unused,
      list: unused,
      print: unused,
      get: unused,
      getHead: unused,
      printOne: unused,
      process: unused,
      rehearse: unused,
      correct: unused,
      decide: unused,
      revisions: unused,
      remove: unused,
      reopen: unused,
      hold: unused,
      release: unused,
      restore: unused,
      restoreAny: unused,
      ...over.documents,
    },
    agents: {
      list: async () => [
        { id: 'reader', name: 'Invoice reader', description: '', workflowType: 'assistant' as const, posts: false },
      ],
      get: unused,
    },
    runs: { start: unused, get: unused, watch: unused, list: unused, cancel: unused, stop() {}, ...over.runs },
    uploads: {
      createUrls: unused,
      store: unused,
      receive: unused,
      mustBeThere: unused,
      measure: unused,
      removeUnused: unused,
      ...over.uploads,
    },
    outbound: over.outbound ?? { send: unused },
    webSearch: {
      search: async () => ({ summary: 'It is so [1].', sources: [{ title: 'A', url: 'https://a.example/' }] }),
    },
    remote: over.remote ?? doubleOf.remote,
    schemas: ajvSchemas(),
    sealer: over.sealer ?? aesSealer(new Uint8Array(32).fill(1)),
    clock: { now: () => at },
    log: { debug() {}, info() {}, warn: note, error: note },
  };
  return { sources, logged };
};
