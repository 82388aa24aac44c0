import { isObject, type JsonSchema, type JsonValue, resolvePointer } from '../../../domain/json.ts';
import { compareNumbers, isMultipleOf, isNumber, type JsonNumber } from '../../../domain/json-number.ts';
import { type Conventions, readBoolean, readDate, readDateTime, readNumber } from './values.ts';
import { canonical } from './words.ts';

/** A schema as the filler sees it: references followed, `allOf` merged, the first branch that is not null taken. */
export interface View {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly nullable: boolean;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'const' | 'enum';
}

type Node = Readonly<Record<string, unknown>>;
export type Resolve = (ref: string) => unknown;

/** Looks a `$ref` up in the first root that has it: a document schema keeps its own `$defs` wherever it is embedded. */
export const resolver =
  (...roots: readonly JsonSchema[]): Resolve =>
  (ref) => {
    if (!ref.startsWith('#')) return undefined;
    let pointer = ref.slice(1);
    try {
      pointer = decodeURIComponent(pointer);
    } catch {
      return undefined;
    }
    for (const root of roots) {
      const found = resolvePointer(root as unknown as JsonValue, pointer);
      if (found !== undefined) return found;
    }
    return undefined;
  };

const merge = (a: Node, b: Node): Node => ({
  ...a,
  ...b,
  ...(isObject(a.properties) || isObject(b.properties) ? { properties: { ...(a.properties ?? {}), ...(b.properties ?? {}) } } : {}),
  ...(Array.isArray(a.required) && Array.isArray(b.required) ? { required: [...a.required, ...b.required] } : {}),
});

const flatten = (node: unknown, resolve: Resolve, hops: number): Node => {
  if (!isObject(node) || hops > 16) return {};
  const { $ref, allOf, ...own } = node;
  const from = typeof $ref === 'string' ? flatten(resolve($ref), resolve, hops + 1) : {};
  const parts = Array.isArray(allOf) ? allOf.map((part) => flatten(part, resolve, hops + 1)) : [];
  return [...parts, own].reduce<Node>(merge, from);
};

const typesOf = (node: Node): readonly string[] =>
  (Array.isArray(node.type) ? node.type : [node.type]).filter((type) => typeof type === 'string');

const onlyNull = (node: Node) => node.const === null || (typesOf(node).length === 1 && typesOf(node)[0] === 'null');

const kindOf = (node: Node): View['kind'] => {
  if (Object.hasOwn(node, 'const')) return 'const';
  if (Array.isArray(node.enum)) return 'enum';
  const [type] = typesOf(node).filter((each) => each !== 'null');
  if (type === undefined && typesOf(node).length > 0) return 'null';
  if (type === 'object' || type === 'array' || type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type === undefined && isObject(node.properties)) return 'object';
  return type === undefined && isObject(node.items) ? 'array' : 'string';
};

/** Whether nothing says what the value is: then null is as good as anything. */
const open = (node: Node) => typesOf(node).length === 0 && kindOf(node) === 'string';

export const viewOf = (node: unknown, resolve: Resolve, hops = 0): View => {
  const whole = flatten(node, resolve, hops);
  const { anyOf, oneOf, ...own } = whole;
  const branches = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : [])).map((each) => flatten(each, resolve, hops + 1));
  const branch = branches.find((each) => !onlyNull(each));
  const schema = branch && hops < 16 ? viewOf(merge(own, branch), resolve, hops + 1).schema : own;
  const admitsNull =
    typesOf(own).includes('null') ||
    own.nullable === true ||
    (Array.isArray(own.enum) && own.enum.includes(null)) ||
    (open(own) && branches.length === 0);
  const nullable =
    (admitsNull || branches.some((each) => onlyNull(each) || typesOf(each).includes('null') || each.nullable === true)) &&
    !(Array.isArray(schema.enum) && !schema.enum.includes(null));
  return { schema, nullable, kind: branches.length > 0 && branch === undefined ? 'null' : kindOf(schema) };
};

const within = (value: JsonNumber, low: unknown, high: unknown) =>
  !(isNumber(low) && compareNumbers(value, low) < 0) && !(isNumber(high) && compareNumbers(value, high) > 0);

const numberFits = (value: JsonNumber, schema: Node): boolean => {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  if ((isNumber(above) && compareNumbers(value, above) <= 0) || (isNumber(below) && compareNumbers(value, below) >= 0)) return false;
  if (isNumber(step) && compareNumbers(step, 0) > 0 && !isMultipleOf(value, step)) return false;
  return within(value, schema.minimum, schema.maximum);
};

const formats: Readonly<Record<string, RegExp>> = {
  email: /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i,
  uri: /^https?:\/\/[^\s<>"{}|\\^`[\]]{1,2000}$/i,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  time: /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
};

const patternFits = (text: string, pattern: unknown): boolean => {
  if (typeof pattern !== 'string') return true;
  // A pattern is the agent's own, the text anybody's: short texts bound what a careless pattern can cost.
  if (text.length > 200) return false;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
};

const stringFits = (text: string, schema: Node): boolean => {
  const format = typeof schema.format === 'string' ? schema.format : '';
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known ? !known.test(text) : format !== '' && format !== 'date' && format !== 'date-time') return false;
  return within([...text].length, schema.minLength, schema.maxLength) && patternFits(text, schema.pattern);
};

const readEnum = (text: string, options: readonly unknown[], conventions: Conventions): JsonValue | undefined => {
  const words = canonical(text).join(' ');
  const same = options.find((option) => typeof option === 'string' && (option === text || canonical(option).join(' ') === words));
  if (typeof same === 'string') return same;
  const amount = readNumber(text, false, conventions);
  if (amount !== null && options.some((option) => isNumber(option) && compareNumbers(option, amount) === 0)) return amount;
  const truth = readBoolean(text);
  if (truth !== null && options.includes(truth)) return truth;
  const inside = options.filter(
    (option): option is string => typeof option === 'string' && option !== '' && text.split(/[^\p{L}\p{N}_-]+/u).includes(option),
  );
  return inside.length === 1 ? inside[0] : undefined;
};

const readString = (text: string, schema: Node, conventions: Conventions): string | undefined => {
  const read =
    schema.format === 'date' ? readDate(text, conventions) : schema.format === 'date-time' ? readDateTime(text, conventions) : text.trim();
  return read !== null && read !== '' && stringFits(read, schema) ? read : undefined;
};

/** What the text says as a value of this schema; undefined where it says no such thing. */
export const readScalar = (text: string, { schema, kind }: View, conventions: Conventions): JsonValue | undefined => {
  if (kind === 'enum') return readEnum(text, schema.enum as readonly unknown[], conventions);
  if (kind === 'boolean') return readBoolean(text) ?? undefined;
  if (kind === 'string') return readString(text, schema, conventions);
  if (kind !== 'number' && kind !== 'integer') return undefined;
  const value = readNumber(text, kind === 'integer', conventions);
  return value !== null && numberFits(value, schema) ? value : undefined;
};
