import * as t from 'io-ts';
import { isObject } from '../../domain/json.ts';
import {
  type ApprovalTerm,
  httpMethods,
  type StoredTool,
  type ToolDeclaration,
  untrustedPolicies,
} from '../../domain/tool.ts';
import { OWN, readTool } from '../../domain/tool-json.ts';
import { type Codec, codecOf } from '../../wire/kit/codec.ts';
import { failed } from '../../wire/kit/errors.ts';
import { list, map } from '../../wire/kit/structures.ts';
import { anyJson, boolean } from '../../wire/kit/values.ts';
import { suggestion } from './closest.ts';
import { field, form, jsonObject, line, omissible, oneOf, optional, ref, shownWith, text } from './codecs.ts';
import { webAddress } from './formats.ts';

const toolName = line(48, 'a name such as exchange_rate: lower-case letters, digits and _', /^[a-z][a-z0-9_]*$/);
/** JSON that is filled in and sent. */
const anything = shownWith({ title: 'JSON' }, anyJson);

const otherPerson = oneOf(['other_person']);
/** Whether a person approves, or one who did not ask for it. */
const approvalTerm: Codec<ApprovalTerm> = codecOf<ApprovalTerm>(
  (value, context) => (typeof value === 'string' ? otherPerson : boolean).validate(value, context),
  t.identity,
  (schemaOf) => ({ anyOf: [boolean, otherPerson].map(schemaOf) }),
);

const common = {
  requiresApproval: field(
    omissible(approvalTerm, false),
    'Whether a person has to approve each call: `other_person` is one who did not ask for it. The call waits until a person has decided. See approvals.md.',
    true,
  ),
  untrusted: field(
    optional(oneOf(untrustedPolicies), null),
    'What a tool that writes, sends or starts something does once the conversation holds content that no caller wrote, such as a file or a web page. Unset: it is refused.',
    'allow',
  ),
};

const server = {
  headers: field(
    optional(map(line(4000)), {}),
    'Headers of each request. They may hold secrets, which are encrypted at rest.',
    {
      Authorization: ref('RATES_TOKEN', 'Bearer '),
    },
  ),
  allowHosts: field(
    optional(list(line(300, 'a host, or a host and a port', null, (value) => URL.canParse(`http://${value}`))), []),
    'Hosts that this tool may reach at private addresses, which are closed otherwise.',
    ['rates.internal:8443'],
  ),
};

const http = form('HTTP tool', {
  name: field(toolName, 'What the model calls it.', 'exchange_rate'),
  description: field(
    optional(text(4000), ''),
    'What it does and when to use it, as the model reads it.',
    'The exchange rate of a day',
  ),
  method: field(optional(oneOf(httpMethods), 'GET'), 'The method of the request.', 'POST'),
  url: field(
    webAddress,
    'Where the request goes. After the host it may hold `{placeholders}`, each a property of `input_schema`.',
    'https://rates.example.com/{currency}',
  ),
  headers: server.headers,
  body: field(
    optional(anything, undefined),
    'The body, any JSON with `{placeholders}`; or text, in which values are written as its content-type needs it. Unset: the properties that the address does not use; a GET, HEAD or DELETE has them in its query instead.',
    { day: '{day}' },
  ),
  inputSchema: field(
    optional(jsonObject, {}),
    'The JSON Schema of the arguments, of type `object`. There are no other arguments than the properties that it names.',
    {
      type: 'object',
      properties: { currency: { type: 'string' }, day: { type: 'string', format: 'date' } },
      required: ['currency', 'day'],
    },
  ),
  allowHosts: server.allowHosts,
});

const mcp = form('MCP server', {
  name: field(
    optional(toolName, null),
    'What the names of its tools begin with. Unset: they keep the names that the server gives them.',
    'crm',
  ),
  url: field(webAddress, 'The address of its Streamable HTTP endpoint.', 'https://crm.example.com/mcp'),
  headers: server.headers,
  allowHosts: server.allowHosts,
});

const forms: Readonly<Record<string, t.Mixed>> = {
  connection: form('Tool: connection', {
    connection: field(
      line(200),
      'Offers the tables of this connection, by the name of its entry in `connections`.',
      'erp',
    ),
    write: field(optional(boolean, false), 'Whether the model may insert and update records as well.', true),
    ...common,
  }),
  database: form('Tool: database', {
    database: field(
      line(100),
      'Offers read-only queries on this database, by the id of its entry in `databases`.',
      'sales',
    ),
    ...common,
  }),
  http: form('Tool: http', { http: field(http, 'Offers one request to a web service as a tool.'), ...common }),
  mcp: form('Tool: mcp', { mcp: field(mcp, 'Offers the tools of an MCP server.'), ...common }),
  documents: form('Tool: documents', {
    documents: field(
      oneOf([OWN]),
      'Offers to find, read, rehearse, decide on and process the documents of this agent.',
      OWN,
    ),
    ...common,
  }),
  agent: form('Tool: agent', {
    agent: field(
      line(200),
      'Offers another agent as a tool, by the name of its entry in `agents`: a call starts a run.',
      'Order assistant',
    ),
    ...common,
  }),
};

/** Entries that are a word. */
const bare = ['search_web', 'documents'] as const;
const words = Object.keys(forms);
const expected = `${bare.join(', ')}, or a mapping with one of ${words.join(', ')}`;

const isOpen = (tool: StoredTool): tool is ToolDeclaration =>
  (tool.kind !== 'http' || !('sealed' in tool.http)) && (tool.kind !== 'mcp' || !('sealed' in tool.mcp));

/** Stands for an entry that cannot be read. */
const unread: ToolDeclaration = { kind: 'search_web', requiresApproval: false, untrusted: null };

const declaredBy = (value: unknown): ToolDeclaration => {
  const read = readTool(value);
  return read.kind !== 'unknown' && isOpen(read) ? read : unread;
};

/** One entry of an agent's `tools`. */
export const tool: Codec<ToolDeclaration> = codecOf<ToolDeclaration>(
  (value, context) => {
    if (bare.some((word) => word === value)) return t.success(declaredBy(value));
    if (!isObject(value)) return failed([{ value, context, message: `must be ${expected}` }], () => unread);
    const kinds = words.filter((word) => Object.hasOwn(value, word));
    const entry = forms[kinds[0] ?? ''];
    if (entry === undefined || kinds.length > 1) {
      const only = Object.keys(value).length === 1 ? `; ${suggestion(Object.keys(value)[0] ?? '', words)}` : '';
      return failed([{ value, context, message: `must be ${expected}${only}` }], () => unread);
    }
    const result = entry.validate(value, context);
    return result._tag === 'Left' ? failed(result.left, () => declaredBy(value)) : t.success(declaredBy(value));
  },
  t.identity,
  (schemaOf) => ({ title: 'Tool', anyOf: [oneOf(bare), ...Object.values(forms)].map(schemaOf) }),
);
