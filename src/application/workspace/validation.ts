import { errorAt, type ValidationError } from '../../domain/errors.ts';
import { DRAFT_2020_12, isPointer, type JsonSchema } from '../../domain/json.ts';
import { usualPolicy } from '../../domain/review.ts';
import type {
  AgentSpec,
  Audience,
  BudgetSpec,
  PartSpec,
  WebhookSpec,
  WorkspaceSpec,
} from '../../domain/workspace-spec.ts';
import { toolErrors, unknownName } from '../agents/declarations.ts';
import { ruleErrors } from '../agents/rules.ts';
import type { CheckEngine } from '../ports/checks.ts';
import type { Connectors } from '../ports/connectors.ts';
import type { Models } from '../ports/models.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { WebhookSignatures } from '../ports/webhooks.ts';

/** The values of the field that identifies entries of one kind; null for an entry without it. */
interface Key {
  readonly kind: string;
  readonly field: string;
  readonly values: readonly (string | null)[];
}

const duplicates = ({ kind, field, values }: Key): readonly ValidationError[] =>
  values.flatMap((value, index) =>
    value !== null && values.indexOf(value) !== index
      ? [{ path: `${kind}[${index}].${field}`, message: `is the second ${value}` }]
      : [],
  );

/** The names of one kind. If some of them could not be read, any may be among them. */
type Names = Pick<ReadonlySet<string | null>, 'has'>;

const audience = (path: string, visibleTo: Audience | null, emails: Names): readonly ValidationError[] =>
  visibleTo === null || visibleTo === 'everyone'
    ? []
    : visibleTo.flatMap((email, index) => {
        const isKnown = emails.has(email.toLowerCase());
        return errorAt(`${path}.visible_to[${index}]`, isKnown ? null : `names ${email}, who is not among the users`);
      });

/** Whether the value at a path is that of the file. */
type IsRead = (path: string) => boolean;

/** What the entries of a file are checked with. */
export interface FileChecks {
  readonly models: Models;
  readonly connectors: Pick<Connectors, 'addressDefect'>;
  readonly schemas: SchemaValidator;
  readonly checks: CheckEngine;
  readonly signatures: WebhookSignatures;
}

/** Those that are given of the fields that only an agent with documents has. */
const documentFields = ({
  process,
  review,
  checks,
  duplicateKey,
  requiredValues,
  einvoice,
  listColumns,
}: AgentSpec): readonly string[] => [
  ...(process === 'manual' ? [] : ['process']),
  ...(review.when === usualPolicy.when && review.by === usualPolicy.by ? [] : ['review']),
  ...(checks.length === 0 ? [] : ['checks']),
  ...(duplicateKey.length === 0 ? [] : ['duplicate_key']),
  ...(requiredValues === null ? [] : ['required_values']),
  ...(einvoice === null ? [] : ['einvoice']),
  ...(listColumns === null ? [] : ['list_columns']),
];

/** What reads and merges documents knows the keywords of this draft alone. */
const draftDefect = ({ $schema = DRAFT_2020_12 }: JsonSchema): string | null =>
  [DRAFT_2020_12, `${DRAFT_2020_12}#`].includes(String($schema))
    ? null
    : `must be of draft 2020-12: write $schema as ${DRAFT_2020_12}, or leave it out`;

const MOST_PARTS = 50;
const FOR_ROUTING = 'belongs to agents whose workflow_type is document_routing';
const FOR_EXTRACTION = 'belongs to agents whose workflow_type is document_extraction';

const extraction = (
  path: string,
  agent: AgentSpec,
  { schemas, checks }: FileChecks,
  isRead: IsRead,
): readonly ValidationError[] => {
  const { workflowType, documentSchema } = agent;
  const at = `${path}.document_schema`;
  const isTyped = isRead(`${path}.workflow_type`);
  if (isTyped && workflowType !== 'document_extraction') {
    const misplaced = [
      ...(documentSchema === null ? [] : [at]),
      ...documentFields(agent).map((field) => `${path}.${field}`),
    ];
    return misplaced.flatMap((each) => errorAt(each, FOR_EXTRACTION));
  }
  if (documentSchema === null && !isTyped) return [];
  if (documentSchema === null) return errorAt(at, 'is needed: it describes a document of this agent');
  if (documentSchema.type !== 'object') return errorAt(at, 'must be a JSON Schema of type object');
  const draft = draftDefect(documentSchema);
  if (draft !== null) return errorAt(at, draft);
  const defect = schemas.defect(documentSchema);
  if (defect !== null) return errorAt(at, `is not a usable JSON Schema: ${defect}`);
  return isRead(at) ? ruleErrors(agent, checks).map((error) => ({ ...error, path: `${path}.${error.path}` })) : [];
};

const partDefects = (
  at: string,
  { name, agent, ignore }: PartSpec,
  parts: readonly PartSpec[],
  types: ReadonlyMap<string, string | null>,
): readonly ValidationError[] => {
  const type = agent === null ? null : types.get(agent);
  const isReader = type === undefined || type === null || type === 'document_extraction';
  return [
    ...errorAt(`${at}.name`, parts.some((part) => part.name === name) ? `is the second ${name}` : null),
    ...errorAt(at, (agent !== null) === ignore ? 'must have either agent or ignore: true' : null),
    ...errorAt(`${at}.agent`, isReader ? null : `names ${agent}, whose workflow_type is not document_extraction`),
  ];
};

/** What is wrong with how an agent divides files. */
const routing = (
  path: string,
  { workflowType, split, parts, tools }: AgentSpec,
  agents: readonly AgentSpec[],
  names: Names,
  isRead: IsRead,
): readonly ValidationError[] => {
  if (!isRead(`${path}.workflow_type`)) return [];
  const at = `${path}.parts`;
  if (workflowType !== 'document_routing')
    return [
      ...errorAt(`${path}.split`, split === null ? null : FOR_ROUTING),
      ...errorAt(at, parts.length === 0 ? null : FOR_ROUTING),
    ];
  const typeOf = ({ name, workflowType: type }: AgentSpec, index: number) =>
    [name, isRead(`agents[${index}].workflow_type`) ? type : null] as const;
  const types = new Map(agents.map(typeOf));
  return [
    ...errorAt(`${path}.tools`, tools.length === 0 ? null : 'are of no use: an agent that divides files calls none'),
    ...errorAt(at, parts.length === 0 ? 'are needed: they say what files are divided into' : null),
    ...errorAt(at, parts.length > MOST_PARTS ? `must be at most ${MOST_PARTS}` : null),
    ...parts.flatMap((part, index) => [
      ...(part.agent === null ? [] : unknownName(`${at}[${index}]`, 'agents', part.agent, { agents: names })),
      ...partDefects(`${at}[${index}]`, part, parts.slice(0, index), types),
    ]),
  ];
};

const delivery = (
  path: string,
  { systemOfRecord, workflowType, process }: AgentSpec,
  connections: Names,
  isRead: IsRead,
): readonly ValidationError[] => {
  const at = `${path}.system_of_record`;
  if (systemOfRecord === null) {
    const isAimless = process === 'automatic' && workflowType === 'document_extraction' && isRead(at);
    return errorAt(`${path}.process`, isAimless ? 'is automatic, which needs a system_of_record to deliver to' : null);
  }
  const { connection, entity, columns, documentIdColumn } = systemOfRecord;
  const isMisplaced = workflowType !== 'document_extraction' && isRead(`${path}.workflow_type`);
  const isTwice = Object.hasOwn(columns, documentIdColumn);
  return [
    ...errorAt(at, isMisplaced ? FOR_EXTRACTION : null),
    ...unknownName(at, 'connections', connection, { connections }),
    ...errorAt(`${at}.entity`, /^[^.]+\.[^.]+$/.test(entity) ? null : 'must be schema.table'),
    ...errorAt(`${at}.columns.${documentIdColumn}`, isTwice ? 'is the document_id_column: Portico fills it' : null),
    ...Object.entries(columns).flatMap(([column, pointer]) =>
      errorAt(
        `${at}.columns.${column}`,
        isPointer(pointer) ? null : `must be a JSON Pointer such as /total, not ${pointer}`,
      ),
    ),
  ];
};

/** Neither the address nor the secret is repeated. */
const notification = (
  path: string,
  { url, events, secret }: WebhookSpec,
  others: readonly WebhookSpec[],
  { signatures }: FileChecks,
): readonly ValidationError[] => {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  const isSecond = others.some((other) => other.url === url);
  return [
    ...errorAt(`${path}.url`, username + password === '' ? null : 'must not hold a user name or a password'),
    ...errorAt(`${path}.url`, isSecond ? 'is the address of a webhook before this one' : null),
    ...errorAt(`${path}.events`, events.length === 0 ? 'must name at least one event' : null),
    ...secret.flatMap((each, index) =>
      errorAt(secret.length === 1 ? `${path}.secret` : `${path}.secret[${index}]`, signatures.defect(each)),
    ),
  ];
};

const budgetErrors = (
  path: string,
  { agent }: BudgetSpec,
  prices: WorkspaceSpec['prices'],
  agents: Names,
  isRead: IsRead,
): readonly ValidationError[] => [
  ...(agent === null ? [] : unknownName(path, 'agents', agent, { agents })),
  ...errorAt(path, prices === null && isRead('prices') ? 'needs prices: without them nothing has a cost' : null),
];

const within = (path: string, whole: string) =>
  whole === '' || path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);

/** Everything in the file that contradicts itself or cannot work here, at once; nothing of what stands at `unread` paths or follows from it. */
export const workspaceErrors = (
  spec: WorkspaceSpec,
  checks: FileChecks,
  unread: ReadonlySet<string> = new Set(),
): readonly ValidationError[] => {
  const isRead: IsRead = (path) => ![...unread].some((each) => within(path, each));
  const keys = {
    emails: { kind: 'users', field: 'email', values: spec.users.map(({ email }) => email.toLowerCase()) },
    connections: { kind: 'connections', field: 'name', values: spec.connections.map(({ name }) => name) },
    connectionIds: { kind: 'connections', field: 'id', values: spec.connections.map(({ id }) => id) },
    databases: { kind: 'databases', field: 'id', values: spec.databases.map(({ id }) => id) },
    agents: { kind: 'agents', field: 'name', values: spec.agents.map(({ name }) => name) },
    budgets: { kind: 'budgets', field: 'name', values: spec.budgets.map(({ name }) => name) },
    sources: { kind: 'sources', field: 'name', values: spec.sources.map(({ name }) => name) },
    agentIds: { kind: 'agents', field: 'id', values: spec.agents.map(({ id }) => id) },
  } satisfies Record<string, Key>;
  const namesOf = ({ kind, field, values }: Key): Names => {
    const areRead = isRead(kind) && values.every((_, index) => isRead(`${kind}[${index}].${field}`));
    return areRead ? new Set(values) : { has: () => true };
  };
  const emails = namesOf(keys.emails);
  const connections = namesOf(keys.connections);
  const names = { connections, databases: namesOf(keys.databases), agents: namesOf(keys.agents) };
  const errorsOf = <T>(
    path: string,
    items: readonly T[],
    errors: (at: string, item: T) => readonly ValidationError[],
  ) => items.flatMap((item, index) => errors(`${path}[${index}]`, item));
  const errors = [
    ...Object.values(keys).flatMap(duplicates),
    ...errorsOf('connections', spec.connections, (at, { type, url, visibleTo }) => {
      const defect = isRead(`${at}.type`) ? checks.connectors.addressDefect(type, url) : null;
      return [...errorAt(`${at}.url`, defect), ...audience(at, visibleTo, emails)];
    }),
    ...errorsOf('databases', spec.databases, (at, { connection, visibleTo }) => [
      ...unknownName(at, 'connections', connection, names),
      ...audience(at, visibleTo, emails),
    ]),
    ...errorsOf('agents', spec.agents, (at, agent) => [
      ...errorAt(`${at}.model`, checks.models.defect(agent.model)),
      ...extraction(at, agent, checks, isRead),
      ...delivery(at, agent, connections, isRead),
      ...routing(at, agent, spec.agents, names.agents, isRead),
      ...toolErrors(`${at}.tools`, agent.tools, names, checks.schemas),
      ...audience(at, agent.visibleTo, emails),
    ]),
    ...errorsOf('sources', spec.sources, (at, { agent }) => unknownName(at, 'agents', agent, names)),
    ...errorsOf('webhooks', spec.webhooks, (at, webhook) =>
      notification(at, webhook, spec.webhooks.slice(0, spec.webhooks.indexOf(webhook)), checks),
    ),
    ...errorsOf('budgets', spec.budgets, (at, budget) => budgetErrors(at, budget, spec.prices, names.agents, isRead)),
  ];
  return errors.filter(({ path }) => isRead(path));
};
