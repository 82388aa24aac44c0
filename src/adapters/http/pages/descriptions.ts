import { DESCRIPTION } from '../api-index.ts';
import type { OpenApi } from '../openapi.ts';
import { API, accessOf, type Operation, type Urls } from '../operation.ts';
import { type Page, pagesUnder } from './pages.ts';

const line = (op: Operation, { base }: Urls) =>
  `- [${op.summary}](${base}/docs#/${encodeURIComponent(op.tag)}/${op.id}): \`${op.method.toUpperCase()} ${API}${op.path}\`, ${accessOf(op)}. ${op.description}`;

/** The form of llmstxt.org: a heading, a summary, and lists of links with notes. */
const llmsTxt = (operations: readonly Operation[], urls: Urls): string => {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => [
    `## ${tag}`,
    '',
    ...operations.filter((op) => op.tag === tag).map((op) => line(op, urls)),
    '',
  ]);
  return [
    '# Portico',
    '',
    `> ${DESCRIPTION}`,
    '',
    `The base address is \`${urls.base}\`. Send an API key as \`X-API-Key\` or as \`Authorization: Bearer\`. Most answers wrap their payload in \`data\`;`,
    'errors never do: they are `{"type", "title", "detail", "status", "code", "request_id"}`. On 429 wait for the seconds in `Retry-After`.',
    '',
    `Each agent offers its tools over the Model Context Protocol at its \`mcp_url\`, \`${urls.base}${API}/agents/{agent_id}/mcp\`.`,
    '',
    `What happens to runs and documents is one log: \`GET ${API}/events?wait=25\` answers as soon as there is something; ask again with its \`next\` as`,
    `\`after\`. \`GET ${API}/runs/{id}/events\` with \`Accept: text/event-stream\` is the stream of a run, which \`Last-Event-ID\` resumes.`,
    '',
    '## Docs',
    '',
    `- [Guide](${urls.base}/developers): quick start, authentication, events, agent versions, tools over MCP, limits, errors, versioning, clients`,
    `- [OpenAPI 3.1 description](${urls.base}/openapi.yaml): every operation, parameter, answer and error; also as [JSON](${urls.base}/openapi.json)`,
    `- [API index](${urls.base}${API}): the same facts for programs`,
    '',
    ...sections.flat(),
    '## Optional',
    '',
    `- [Reference](${urls.base}/docs): try operations from the browser`,
    '',
  ].join('\n');
};

/** Quotes text that YAML 1.1 reads as a date or a boolean. */
const YAML = { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' } as const;

const json = 'application/json';
/** Programs read them: they load nothing. */
const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Written when they are first asked for: a start does not wait for them. */
export const descriptions = (
  operations: readonly Operation[],
  urls: Urls,
  description: () => OpenApi,
): readonly Page[] => {
  const page = pagesUnder(POLICY);
  return [
    page('/openapi.yaml', 'application/yaml; charset=utf-8', async () =>
      (await import('yaml')).stringify(description(), YAML),
    ),
    page('/openapi.json', json, () => JSON.stringify(description())),
    page('/llms.txt', 'text/plain; charset=utf-8', () => llmsTxt(operations, urls)),
  ];
};
