import type { Tool } from '../../application/tools/tool.ts';
import type { Agent } from '../../domain/agent.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { snakeCase } from '../../domain/tool.ts';
import { type Mirrored, mirroredIn } from './header-values.ts';
import { allVersions, meta } from './versions.ts';

export interface Offer {
  readonly tool: Tool;
  readonly mirrored: readonly Mirrored[];
}

/** An agent as the tool endpoint shows it, prepared once: what does not change between two calls is JSON already. */
export interface ServedAgent {
  readonly id: string;
  readonly name: string;
  readonly offers: ReadonlyMap<string, Offer>;
  readonly legacyList: string;
  readonly modernList: string;
  readonly discovery: string;
  /** What `initialize` answers, but for the revision. */
  readonly handshake: object;
  /** `_meta` of results in revisions without a handshake. */
  readonly self: object;
}

/** How long clients may rely on a list. */
const TTL_MS = 60_000;

/** Clients read a property's schema as an object, and drop every tool where one is not: `true` and `false` have their equals. */
const portable = (schema: JsonSchema): JsonSchema => {
  const { properties } = schema;
  if (!isObject(properties) || Object.values(properties).every(isObject)) return schema;
  const asObject = (property: unknown) => (property === true ? {} : property === false ? { not: {} } : property);
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, asObject(property)])) };
};

const described = ({ name, description, inputSchema, outputSchema, annotations }: Tool) => ({
  name,
  title: annotations.title,
  description,
  inputSchema: portable(inputSchema),
  ...(outputSchema && { outputSchema: portable(outputSchema) }),
  annotations: {
    title: annotations.title,
    readOnlyHint: annotations.readOnly,
    destructiveHint: annotations.destructive,
    idempotentHint: annotations.idempotent,
    openWorldHint: annotations.openWorld,
  },
});

/** In one order always: what a model is told of the tools can then be cached. */
const inOrder = (tools: readonly Tool[]) => tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Tools that a person has to approve are not offered: nobody could ask one here. */
export const servedAgent = ({ id, name, description }: Agent, tools: readonly Tool[], version: string): ServedAgent => {
  const offered = inOrder(tools.filter(({ requiresApproval }) => !requiresApproval));
  const serverInfo = { name: snakeCase(name, 'agent'), title: name, version };
  const self = { [meta.server]: serverInfo };
  const instructions = description === '' ? {} : { instructions: description };
  const capabilities = { tools: {} };
  const listed = offered.map(described);
  const kept = { ttlMs: TTL_MS, cacheScope: 'private', _meta: self };
  return {
    id,
    name,
    offers: new Map(offered.map((tool) => [tool.name, { tool, mirrored: mirroredIn(tool.inputSchema) }])),
    legacyList: JSON.stringify({ tools: listed }),
    modernList: JSON.stringify({ resultType: 'complete', tools: listed, ...kept }),
    discovery: JSON.stringify({ resultType: 'complete', supportedVersions: allVersions, capabilities, ...instructions, ...kept }),
    handshake: { capabilities, serverInfo, ...instructions },
    self,
  };
};
