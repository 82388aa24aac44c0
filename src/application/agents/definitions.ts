import type { AgentDefinition } from '../../domain/agent.ts';
import { errorAt, type ValidationError } from '../../domain/errors.ts';
import { HIDDEN } from '../../domain/hidden-names.ts';
import { differences } from '../../domain/json-difference.ts';
import { shortPolicy } from '../../domain/review.ts';
import type { PartKind } from '../../domain/routing/part.ts';
import type { SealedTarget, StoredTool, Target, ToolDeclaration } from '../../domain/tool.ts';
import { toolJson } from '../../domain/tool-json.ts';
import type { CheckEngine } from '../ports/checks.ts';
import type { Models } from '../ports/models.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { Nameable, StoredVersion } from '../ports/storage.ts';
import { openTarget, openTool, toolErrors, unknownName, withTarget } from './declarations.ts';
import { ruleErrors } from './rules.ts';

/** Stands for what may be a secret: the address, the headers and the body of a tool. */
const SECRET = '[secret]';

/** A target that was sealed with another key is compared by its sealed text. */
const readable = (stored: Target | SealedTarget, sealer: Sealer): Target => {
  if (!('sealed' in stored)) return stored;
  try {
    return openTarget(stored, sealer);
  } catch {
    return { url: stored.sealed, headers: {} };
  }
};

const hidden = ({ headers, body }: Target): Target => ({
  url: SECRET,
  headers: Object.fromEntries(Object.keys(headers).map((name) => [name, SECRET])),
  ...(body !== undefined && { body: SECRET }),
});

/** What a reader of definitions sees of what they name. */
export interface Seen extends Pick<Nameable, 'connections' | 'databases' | 'agents'> {
  /** Hosts at private addresses. */
  readonly hosts: boolean;
}

const seenOr = (name: string, names: ReadonlySet<string>) => (names.has(name) ? name : HIDDEN);

const withoutUnseen = (tool: StoredTool, seen: Seen): StoredTool => {
  const hostsOf = <T extends { readonly allowedHosts: readonly string[] }>(entry: T): T => ({
    ...entry,
    allowedHosts: seen.hosts ? entry.allowedHosts : entry.allowedHosts.map(() => HIDDEN),
  });
  switch (tool.kind) {
    case 'connection':
      return { ...tool, connection: seenOr(tool.connection, seen.connections) };
    case 'database':
      return { ...tool, database: seenOr(tool.database, seen.databases) };
    case 'agent':
      return { ...tool, agent: seenOr(tool.agent, seen.agents) };
    case 'http':
      return { ...tool, http: hostsOf(tool.http) };
    case 'mcp':
      return { ...tool, mcp: hostsOf(tool.mcp) };
    default:
      return tool;
  }
};

const shownTool = (tool: StoredTool, seen: Seen, sealer: Sealer): unknown =>
  tool.kind === 'unknown'
    ? SECRET
    : toolJson(withTarget(withoutUnseen(tool, seen), (stored) => hidden(readable(stored, sealer))));

/** A part as the file has it. */
const writtenPart = ({ name, agent, description }: PartKind) => ({
  name,
  ...(agent === null ? { ignore: true } : { agent }),
  description,
});

/** A definition in the words of the workspace file. */
const written = (definition: AgentDefinition, connection: string | null, tools: readonly unknown[]) => {
  const {
    workflowType,
    model,
    instructions,
    documentSchema,
    systemOfRecord: system,
    process,
    review,
    checks,
    duplicateKey,
    requiredValues,
    einvoice,
    listColumns,
    split,
    parts,
  } = definition;
  return {
    workflow_type: workflowType,
    model,
    instructions,
    document_schema: documentSchema,
    system_of_record: system && {
      connection,
      entity: system.entity,
      columns: system.columns,
      document_id_column: system.documentIdColumn,
      ...(system.constraintMessages && { constraint_messages: system.constraintMessages }),
    },
    process,
    tools,
    review: shortPolicy(review),
    checks,
    duplicate_key: duplicateKey,
    required_values: requiredValues,
    einvoice,
    list_columns: listColumns,
    ...(split && { split, parts: parts.map(writtenPart) }),
  };
};

const isSeen = (connection: string | null, { connections }: Seen) => connection === null || connections.has(connection);

/** The definition as the workspace file has it, `connection` the name of its system of record, without secrets and what the reader does not see. */
export const shownDefinition = (definition: AgentDefinition, connection: string | null, seen: Seen, sealer: Sealer) => {
  const seenParts = definition.parts.map((part) => ({ ...part, agent: part.agent && seenOr(part.agent, seen.agents) }));
  const { system_of_record: system, ...shown } = written(
    { ...definition, parts: seenParts },
    connection,
    definition.tools.map((tool) => shownTool(tool, seen, sealer)),
  );
  const unseen = { connection: HIDDEN, entity: HIDDEN, columns: {}, document_id_column: HIDDEN };
  return { ...shown, system_of_record: system && (isSeen(connection, seen) ? system : unseen) };
};

/** Changes without the parts of a system of record that the reader does not see. */
export const shownChanges = (
  changes: readonly string[],
  connections: readonly (string | null)[],
  seen: Seen,
): readonly string[] => {
  if (connections.every((connection) => isSeen(connection, seen))) return changes;
  return [
    ...new Set(changes.map((pointer) => (pointer.startsWith('/system_of_record/') ? '/system_of_record' : pointer))),
  ];
};

const MOST_CHANGES = 100;

/** JSON Pointers of what one definition has otherwise than another, secrets too; where they are many, of its fields alone. */
export const changesBetween = (before: AgentDefinition, after: AgentDefinition, sealer: Sealer): readonly string[] => {
  // A connection that only has another name is the same one.
  const whole = (each: AgentDefinition) =>
    written(
      each,
      each.systemOfRecord?.connectionId ?? null,
      each.tools.map((tool) => toolJson(withTarget(tool, (stored) => readable(stored, sealer)))),
    );
  const pointers = differences(whole(before), whole(after));
  return pointers.length <= MOST_CHANGES
    ? pointers
    : [...new Set(pointers.map((pointer) => pointer.split('/', 2).join('/')))];
};

/** What a definition is checked with. */
export interface DefinitionChecks {
  readonly models: Pick<Models, 'defect'>;
  readonly schemas: SchemaValidator;
  readonly checks: CheckEngine;
  readonly sealer: Sealer;
}

const opened = (tool: StoredTool, sealer: Sealer): ToolDeclaration | null => {
  try {
    return openTool(tool, sealer);
  } catch {
    return null;
  }
};

/** Why a definition that a workspace file once gave would not work today: what it names, or what it needs of the server, may be gone. */
export const presentErrors = (
  stored: StoredVersion,
  names: Nameable,
  { models, schemas, checks, sealer }: DefinitionChecks,
): readonly ValidationError[] => {
  const { model, systemOfRecord: system, connectionName, tools, parts } = stored;
  const isConnected = system === null || names.connectionIds.has(system.connectionId);
  return [
    ...errorAt('model', models.defect(model)),
    ...errorAt(
      'system_of_record.connection',
      isConnected ? null : `names ${connectionName}, which is not among the connections`,
    ),
    ...ruleErrors(stored, checks),
    ...parts.flatMap(({ agent }, index) =>
      agent === null ? [] : unknownName(`parts[${index}]`, 'agents', agent, names),
    ),
    ...tools.flatMap((declared, index) => {
      const path = `tools[${index}]`;
      const tool = opened(declared, sealer);
      if (tool === null) return errorAt(path, 'was sealed with another ENCRYPTION_KEY');
      if (tool.kind === 'unknown') return errorAt(path, `cannot be read: ${tool.defect}`);
      return toolErrors('tools', [tool], names, schemas).map((error) => ({
        ...error,
        path: error.path.replace('tools[0]', path),
      }));
    }),
  ];
};
