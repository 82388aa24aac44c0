import { isObject, type JsonSchema } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { wholeSchema } from './codec.ts';

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: isNumber,
  integer: isNumber,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const isSchema = (schema: unknown): schema is JsonSchema => isObject(schema);

/** Whether it is of the kind, whatever its parts are. */
const isOfKind = ({ type = [] }: JsonSchema, value: unknown): boolean => {
  const types = [type].flat() as readonly string[];
  return types.length === 0 || types.some((name) => kinds[name]?.(value));
};

const fits = (schema: JsonSchema, value: unknown): boolean => {
  const { anyOf, items, properties = {}, required = [], additionalProperties } = schema;
  if (!isOfKind(schema, value)) return false;
  if (Array.isArray(anyOf)) {
    // Which of several objects it is depends on words that a newer server may have more of.
    const [part, ...others] = (anyOf as readonly JsonSchema[]).filter((each) => isOfKind(each, value));
    return part !== undefined && (others.length > 0 || fits(part, value));
  }
  if (Array.isArray(value)) return !isSchema(items) || value.every((item) => fits(items, item));
  if (!isObject(value)) return true;
  const others = isSchema(additionalProperties) ? additionalProperties : {};
  const parts = properties as Readonly<Record<string, JsonSchema>>;
  const has = (name: string) => Object.hasOwn(value, name);
  return (
    (required as readonly string[]).every(has) &&
    Object.entries(value).every(([name, item]) => fits(Object.hasOwn(parts, name) ? (parts[name] ?? {}) : others, item))
  );
};

/**
 * Whether a value has the form of a codec: its fields, lists and kinds of values, with whatever else. Their bounds and words are not looked
 * at, so that a client reads the answers of a newer server too.
 */
export const hasForm = (codec: object, value: unknown): boolean => fits(wholeSchema(codec), value);
