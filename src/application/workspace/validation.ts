import type { ValidationError } from '../../domain/errors.ts';
import { isPointer } from '../../domain/json.ts';
import type { Connectors } from '../ports/connectors.ts';
import type { Models } from '../ports/models.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { WebhookSignatures } from '../ports/webhooks.ts';
import { toolErrors } from '../tools/declarations.ts';
import type { AgentSpec, Audience, WebhookSpec, WorkspaceSpec } from './spec.ts';

const duplicates = (path: string, field: string, values: readonly (string | null)[]): ValidationError[] =>
  values.flatMap((value, index) =>
    value !== null && values.indexOf(value) !== index ? [{ path: `${path}[${index}].${field}`, message: `is the second ${value}` }] : [],
  );

/** The names of one kind. If some of them could not be read, any may be among them. */
type Names = Pick<ReadonlySet<string>, 'has'>;

const audience = (path: string, visibleTo: Audience | null, emails: Names): ValidationError[] =>
  visibleTo === null || visibleTo === 'everyone'
    ? []
    : visibleTo.flatMap((email, index) =>
        emails.has(email.toLowerCase())
          ? []
          : [{ path: `${path}.visible_to[${index}]`, message: `names ${email}, who is not among the users` }],
      );

/** Whether the value at a path is that of the file. */
type IsRead = (path: string) => boolean;

interface Checks {
  readonly models: Models;
  readonly connectors: Pick<Connectors, 'addressDefect'>;
  readonly schemas: SchemaValidator;
  readonly signatures: WebhookSignatures;
}

const extraction = (path: string, agent: AgentSpec, { schemas }: Checks, isRead: IsRead): ValidationError[] => {
  const { workflowType, documentSchema } = agent;
  const at = `${path}.document_schema`;
  const isTyped = isRead(`${path}.workflow_type`);
  if (isTyped && workflowType === 'assistant') {
    return documentSchema === null ? [] : [{ path: at, message: 'belongs to agents whose workflow_type is document_extraction' }];
  }
  if (documentSchema === null && !isTyped) return [];
  if (documentSchema === null) return [{ path: at, message: 'is needed: it says what a document of this agent looks like' }];
  if (documentSchema.type !== 'object') return [{ path: at, message: 'must be a JSON Schema of type object' }];
  const defect = schemas.defect(documentSchema);
  return defect === null ? [] : [{ path: at, message: `is not a usable JSON Schema: ${defect}` }];
};

const delivery = (path: string, { systemOfRecord, workflowType }: AgentSpec, connections: Names, isRead: IsRead): ValidationError[] => {
  if (systemOfRecord === null) return [];
  const at = `${path}.system_of_record`;
  const { connection, entity, columns, documentIdColumn } = systemOfRecord;
  return [
    ...(workflowType === 'assistant' && isRead(`${path}.workflow_type`)
      ? [{ path: at, message: 'belongs to agents whose workflow_type is document_extraction' }]
      : []),
    ...(connections.has(connection)
      ? []
      : [{ path: `${at}.connection`, message: `names ${connection}, which is not among the connections` }]),
    ...(/^[^.]+\.[^.]+$/.test(entity) ? [] : [{ path: `${at}.entity`, message: 'must be schema.table' }]),
    ...(Object.hasOwn(columns, documentIdColumn)
      ? [{ path: `${at}.columns.${documentIdColumn}`, message: 'is the document_id_column: Portico fills it' }]
      : []),
    ...Object.entries(columns).flatMap(([column, pointer]) =>
      isPointer(pointer) ? [] : [{ path: `${at}.columns.${column}`, message: `must be a JSON Pointer such as /total, not ${pointer}` }],
    ),
  ];
};

/** Neither the address nor the secret is repeated. */
const notification = (
  path: string,
  { url, events, secret }: WebhookSpec,
  others: readonly WebhookSpec[],
  { signatures }: Checks,
): ValidationError[] => {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  const defect = signatures.defect(secret);
  return [
    ...(username + password === '' ? [] : [{ path: `${path}.url`, message: 'must not hold a user name or a password' }]),
    ...(others.some((other) => other.url === url) ? [{ path: `${path}.url`, message: 'is the address of a webhook before this one' }] : []),
    ...(events.length === 0 ? [{ path: `${path}.events`, message: 'must name at least one event' }] : []),
    ...(defect === null ? [] : [{ path: `${path}.secret`, message: defect }]),
  ];
};

const within = (path: string, whole: string) =>
  whole === '' || path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);

/** Everything in the file that contradicts itself or cannot work here, at once; nothing of what stands at `unread` paths or follows from it. */
export const workspaceErrors = (
  spec: WorkspaceSpec,
  checks: Checks,
  unread: ReadonlySet<string> = new Set(),
): readonly ValidationError[] => {
  const isRead: IsRead = (path) => ![...unread].some((each) => within(path, each));
  const isWhole: IsRead = (path) => ![...unread].some((each) => within(each, path));
  const named = (kind: string, field: string, values: readonly string[]): Names => {
    const areRead = isRead(kind) && values.every((_, index) => isRead(`${kind}[${index}].${field}`));
    return areRead ? new Set(values) : { has: () => true };
  };
  const emails = named(
    'users',
    'email',
    spec.users.map(({ email }) => email.toLowerCase()),
  );
  const connections = named(
    'connections',
    'name',
    spec.connections.map(({ name }) => name),
  );
  const names = {
    connections,
    databases: named(
      'databases',
      'id',
      spec.databases.map(({ id }) => id),
    ),
    agents: named(
      'agents',
      'name',
      spec.agents.map(({ name }) => name),
    ),
  };
  const each = <T>(path: string, items: readonly T[], errors: (at: string, item: T) => ValidationError[]) =>
    items.flatMap((item, index) => errors(`${path}[${index}]`, item));
  const errors = [
    ...duplicates(
      'users',
      'email',
      spec.users.map(({ email }) => email.toLowerCase()),
    ),
    ...duplicates(
      'connections',
      'name',
      spec.connections.map(({ name }) => name),
    ),
    ...duplicates(
      'connections',
      'id',
      spec.connections.map(({ id }) => id),
    ),
    ...duplicates(
      'databases',
      'id',
      spec.databases.map(({ id }) => id),
    ),
    ...duplicates(
      'agents',
      'name',
      spec.agents.map(({ name }) => name),
    ),
    ...duplicates(
      'agents',
      'id',
      spec.agents.map(({ id }) => id),
    ),
    ...each('connections', spec.connections, (at, { type, url, visibleTo }) => {
      const defect = isRead(`${at}.type`) ? checks.connectors.addressDefect(type, url) : null;
      return [...(defect === null ? [] : [{ path: `${at}.url`, message: defect }]), ...audience(at, visibleTo, emails)];
    }),
    ...each('databases', spec.databases, (at, { connection, visibleTo }) => [
      ...(connections.has(connection)
        ? []
        : [{ path: `${at}.connection`, message: `names ${connection}, which is not among the connections` }]),
      ...audience(at, visibleTo, emails),
    ]),
    ...each('agents', spec.agents, (at, agent) => {
      const defect = checks.models.defect(agent.model);
      return [
        ...(defect === null ? [] : [{ path: `${at}.model`, message: defect }]),
        ...extraction(at, agent, checks, isRead),
        ...delivery(at, agent, connections, isRead),
        // A tool is kept as it is written, so what its form lacks would be found twice.
        ...toolErrors(at, agent.tools, names, checks.schemas).filter(({ path }) => !path.endsWith(']') || isWhole(path)),
        ...audience(at, agent.visibleTo, emails),
      ];
    }),
    ...each('webhooks', spec.webhooks, (at, webhook) =>
      notification(at, webhook, spec.webhooks.slice(0, spec.webhooks.indexOf(webhook)), checks),
    ),
  ];
  return errors.filter(({ path }) => isRead(path));
};
