import type { AgentDefinition } from './agent.ts';
import {
  EVERY_ITEM,
  escapeToken,
  type JsonObject,
  type JsonValue,
  memberOf,
  resolvePointer,
  tokensOf,
} from './json.ts';
import { isVisible } from './text.ts';

/** 0 and false are values, and so is an empty list. */
export const isMissing = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && !isVisible(value));

type Found = readonly [pointer: string, value: JsonValue | undefined];

/** What stands at a pointer, which may name every item of a list; undefined of what is absent. */
export const valuesAt = (root: JsonValue, pointer: string): readonly Found[] => {
  const tokens = tokensOf(pointer);
  const steps = tokens.map((token) => `/${escapeToken(token)}`);
  const values: Found[] = [];
  const visit = (at: string, value: JsonValue | undefined, depth: number): void => {
    const token = tokens[depth];
    if (token === undefined) values.push([at, value]);
    else if (token !== EVERY_ITEM) visit(`${at}${steps[depth]}`, memberOf(value, token), depth + 1);
    else if (Array.isArray(value))
      value.forEach((item: JsonValue, index) => void visit(`${at}/${index}`, item, depth + 1));
    else if (memberOf(value, token) !== undefined) visit(`${at}/${token}`, memberOf(value, token), depth + 1);
  };
  visit('', root, 0);
  return values;
};

type Rules = Pick<AgentDefinition, 'requiredValues' | 'systemOfRecord' | 'duplicateKey'>;

/** JSON Pointers of the values that a document of the agent should have and does not; `named`: by its checks. */
export const missingValues = (data: JsonObject, rules: Rules, named: readonly string[]): readonly string[] => {
  const { requiredValues, systemOfRecord, duplicateKey } = rules;
  const listed = requiredValues?.filter((pointer) => {
    const value = resolvePointer(data, pointer);
    return isMissing(value) || (Array.isArray(value) && value.length === 0);
  });
  if (listed !== undefined) return [...new Set(listed)];
  const places = new Set([...Object.values(systemOfRecord?.columns ?? {}), ...duplicateKey, ...named]);
  const values = [...places].flatMap((place) => valuesAt(data, place));
  return [...new Set(values.flatMap(([pointer, value]) => (isMissing(value) ? [pointer] : [])))];
};
