// Keeps docs/workspace.md and docs/workspace.schema.json, which tell what a workspace file may hold; with --check it only says whether they are up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { workspaceSchema } from '../src/adapters/workspace-file/schema.ts';

const docs = path.resolve(import.meta.dirname, '../docs');

/** @typedef {Record<string, any>} Schema */

/** @param {string} title */
const link = (title) =>
  `[${title}](#${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')})`;

/** @param {Schema} schema */
const kindOf = ({ type }) => (Array.isArray(type) ? type[0] : type);

/** What a mapping, a list or a choice is made of. @param {Schema} schema @returns {Schema[]} */
const partsOf = ({ properties = {}, items, additionalProperties, anyOf = [] }) =>
  [...Object.values(properties), ...anyOf, items, additionalProperties].filter((part) => typeof part === 'object');

/** @param {Schema} schema @returns {string} */
const typeOf = (schema) => {
  const { title, properties, items, additionalProperties, anyOf = [] } = schema;
  const choice = anyOf.find((/** @type {Schema} */ part) => part.enum)?.enum;
  if (choice && kindOf(schema) === 'string')
    return choice.map((/** @type {string} */ word) => `\`${word}\``).join(', ');
  if (properties || title === 'Tool') return link(title);
  if (items)
    return items.title === 'Tool' || items.properties ? `list of ${typeOf(items)}` : `list, each ${typeOf(items)}`;
  if (kindOf(schema) === 'object')
    return additionalProperties ? `mapping, each value ${typeOf(additionalProperties)}` : 'mapping';
  if (kindOf(schema) === 'boolean') return 'true or false';
  if (title) return title.replaceAll('<', '&lt;');
  return anyOf
    .filter((/** @type {Schema} */ part) => part.type !== 'null')
    .map(typeOf)
    .join(', or ');
};

/** The example of a part: its own, or one made of the examples of its parts. @param {Schema} schema @returns {unknown} */
const exampleOf = (schema) => {
  const { properties, items, examples = [], title } = schema;
  // What only a routing agent has stands in an example of such an agent.
  if (title === 'Tool' || title === 'Split' || items?.title === 'Part') return undefined;
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, exampleOf(part)]));
  if (items?.title === 'Tool')
    return items.anyOf.map((/** @type {Schema} */ part) => part.anyOf?.[0].enum[0] ?? exampleOf(part));
  return items?.properties ? [exampleOf(items), ...examples.flat()] : examples[0];
};

/** @param {unknown} value */
const flow = (value) => stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true }).trim();

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {string} key @param {Schema} schema @param {boolean} isRequired */
const row = (key, schema, isRequired) => {
  const absent = isRequired ? 'required' : 'default' in schema ? `\`${flow(schema.default)}\`` : '';
  const isShown = schema.examples && !schema.items?.properties;
  const example = isShown ? `\`${key}: ${flow(schema.examples[0])}\`` : '';
  return `| ${[`\`${key}\``, typeOf(schema), absent, schema.description, example].map(cell).join(' | ')} |`;
};

/** @param {Schema} schema */
const section = ({ title, properties, required = [] }) => [
  `## ${title}`,
  '',
  '| Field | Type | Default | Meaning | Example |',
  '| - | - | - | - | - |',
  ...Object.entries(properties).map(([key, part]) => row(key, part, required.includes(key))),
  '',
];

/** @param {Schema} schema */
const toolSection = ({ anyOf }) => {
  const forms = anyOf.filter((/** @type {Schema} */ part) => part.properties);
  const links = forms.map((/** @type {Schema} */ part) => link(part.title)).join(', ');
  return [
    '## Tool',
    '',
    `An entry of \`tools\` is \`search_web\`, which searches the web, \`documents\`, short for \`{ documents: own }\`, or a mapping: ${links}.`,
    '',
  ];
};

/** Every mapping there is, each once and in the order in which it is met. @param {Schema} schema @returns {Schema[]} */
const sectionsOf = (schema) => {
  const isSection = schema.properties || schema.title === 'Tool';
  return [...(isSection ? [schema] : []), ...partsOf(schema).flatMap(sectionsOf)];
};

const sections = new Map(sectionsOf(workspaceSchema).map((schema) => [schema.title, schema]));
const printed = [
  ...[...sections.values()].flatMap((schema) => (schema.properties ? section(schema) : toolSection(schema))),
  '## A file with all of it',
  '',
  '```yaml',
  stringify(exampleOf(workspaceSchema), { lineWidth: 0, aliasDuplicateObjects: false }).trim(),
  '```',
].join('\n');

const page = readFileSync(path.join(docs, 'workspace.md'), 'utf8');
const files = {
  'workspace.md': page.replace(
    /(<!-- fields: [^\n]*-->\n)[\s\S]*?(<!-- end -->)/,
    (_, start, end) => `${start}${printed}\n${end}`,
  ),
  'workspace.schema.json': `${JSON.stringify(workspaceSchema, null, 1)}\n`,
};
for (const [name, text] of Object.entries(files)) {
  const file = path.join(docs, name);
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`docs/${name} is not up to date: run \`npm run docs\`.`);
    process.exit(1);
  }
  writeFileSync(file, text);
}
