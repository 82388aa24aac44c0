import type { ErrorObject } from 'ajv';
import type { ValidationError } from '../../domain/errors.ts';
import { escapeToken } from '../../domain/json.ts';
import { shorten } from '../../domain/text.ts';

const MAX_ERRORS = 50;
const MAX_SHOWN = 200;

const cut = (text: string) => shorten(text, MAX_SHOWN);
const shown = (value: unknown) => cut(JSON.stringify(value) ?? 'nothing');
const list = (values: readonly unknown[]) =>
  cut(values.slice(0, 20).map(shown).join(', ') + (values.length > 20 ? ', …' : ''));
const several = (count: number, thing: string, plural = `${thing}s`) => `${count} ${count === 1 ? thing : plural}`;

const article: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};
const isA = (value: unknown) =>
  typeof value === 'boolean' ? String(value) : (article[typeOf(value)] ?? typeOf(value));
const types = (type: string | readonly string[]) =>
  [type]
    .flat()
    .map((each) => article[each] ?? each)
    .join(' or ');

const formats: Readonly<Record<string, string>> = {
  date: 'a date, such as 2026-11-20',
  time: 'a time with an offset, such as 09:30:00Z',
  'date-time': 'a date and time with an offset, such as 2026-11-20T09:30:00Z',
  duration: 'an ISO 8601 duration, such as P30D',
  email: 'an e-mail address',
  uri: 'an absolute URI',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  hostname: 'a host name',
};

const bounds: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '>': 'more than',
  '<=': 'at most',
  '<': 'less than',
};

const bound = ({ params }: ErrorObject) => `must be ${bounds[params.comparison]} ${params.limit}`;
const unknownProperty = () => 'is not a property this schema knows';

/** What each keyword expects, as the end of a sentence that begins with the place. */
const messages: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: ({ params, data }) => `must be ${types(params.type)}, not ${isA(data)}`,
  required: () => 'is required',
  dependentRequired: ({ params }) => `is required if ${params.property} is given`,
  dependencies: ({ params }) => `is required if ${params.property} is given`,
  additionalProperties: unknownProperty,
  unevaluatedProperties: unknownProperty,
  'false schema': () => 'is not allowed here',
  enum: ({ params }) => `must be one of ${list(params.allowedValues)}`,
  const: ({ params }) => `must be ${shown(params.allowedValue)}`,
  format: ({ params }) => `must be ${formats[params.format] ?? `in the form ${shown(params.format)}`}`,
  pattern: ({ params }) => `must match the pattern ${cut(params.pattern)}`,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ({ params }) => `must be a multiple of ${params.multipleOf}`,
  minLength: ({ params }) => `must be at least ${several(params.limit, 'character')} long`,
  maxLength: ({ params }) => `must be at most ${several(params.limit, 'character')} long`,
  minItems: ({ params }) => `must have at least ${several(params.limit, 'item')}`,
  maxItems: ({ params }) => `must have at most ${several(params.limit, 'item')}`,
  additionalItems: ({ params }) => `must have at most ${several(params.limit, 'item')}`,
  items: ({ params }) => `must have at most ${several(params.limit, 'item')}`,
  unevaluatedItems: ({ params }) => `must have at most ${several(params.len, 'item')}`,
  uniqueItems: ({ params }) => `must not repeat itself: items ${params.j} and ${params.i} are the same`,
  contains: ({ params }) =>
    `must contain at least ${several(params.minContains, 'item')} of the kind the schema asks for`,
  minProperties: ({ params }) => `must have at least ${several(params.limit, 'property', 'properties')}`,
  maxProperties: ({ params }) => `must have at most ${several(params.limit, 'property', 'properties')}`,
  propertyNames: ({ params }) => `has a property name that is not allowed: ${shown(params.propertyName)}`,
  anyOf: () => 'must match one of the forms the schema allows',
  oneOf: ({ params }) =>
    `must match exactly one of the forms the schema allows${params.passingSchemas ? ', and matches more' : ''}`,
  not: () => 'must not be of the form the schema excludes',
  if: ({ params }) => `must match what the schema asks for in its "${params.failingKeyword}"`,
};

const pathOf = ({ instancePath, params }: ErrorObject) => {
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return property === undefined ? instancePath : `${instancePath}/${escapeToken(property)}`;
};

const errorOf = (error: ErrorObject): ValidationError => ({
  path: pathOf(error),
  message: messages[error.keyword]?.(error) ?? cut(error.message ?? 'is not valid'),
});

const isChoice = ({ keyword, params }: ErrorObject) =>
  keyword === 'anyOf' || (keyword === 'oneOf' && !params.passingSchemas);

/** Reduces the errors of a choice to those that help: the types it takes, or what the one form that was meant still lacks. */
const settle = (errors: readonly ErrorObject[], choice: ErrorObject): readonly ErrorObject[] => {
  const inside = errors.filter(({ schemaPath }) => schemaPath.startsWith(`${choice.schemaPath}/`));
  const branches = Map.groupBy(
    inside,
    ({ schemaPath }) => schemaPath.slice(choice.schemaPath.length + 1).split('/')[0],
  );
  const mistyped = (error: ErrorObject) => error.keyword === 'type' && error.instancePath === choice.instancePath;
  const meant = [...branches.values()].filter((branch) => !branch.some(mistyped));
  const rest = errors.filter((error) => !inside.includes(error) && error !== choice);
  if (inside.length === 0 || branches.size !== choice.parentSchema?.[choice.keyword]?.length) return errors;
  if (meant.length === 1) return [...rest, ...(meant[0] ?? [])];
  if (meant.length > 1) return [...rest, choice];
  const type = inside.filter(mistyped).flatMap(({ params }) => params.type);
  return [...rest, { ...choice, keyword: 'type', params: { type: [...new Set(type)] } }];
};

/** Ajv's errors as validation errors: each once, in the order of the value, no more than a person reads. */
export const explain = (all: readonly ErrorObject[]): readonly ValidationError[] => {
  const first = all.slice(0, MAX_ERRORS * 10);
  const settled = first.filter(isChoice).reduce(settle, first);
  const relevant = settled.filter(({ keyword }) => keyword !== 'if' || settled.length === 1);
  const errors = new Map(relevant.map(errorOf).map((error) => [`${error.path} ${error.message}`, error]));
  return [...errors.values()].slice(0, MAX_ERRORS);
};
