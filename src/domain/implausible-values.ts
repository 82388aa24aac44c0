import {
  EVERY_ITEM,
  eachLeaf,
  eachMember,
  escapeToken,
  inEveryItem,
  isObject,
  type JsonObject,
  type JsonSchema,
} from './json.ts';
import { itemsOf, partsOf } from './schema-parts.ts';

/** A schema may contain itself. */
const MOST_LEVELS = 8;
const MOST_NAMES = 10_000;

const LONGEST_LABEL = 80;

/** Labels and names differ in case, spaces and a colon behind them. */
const folded = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/\s+/g, '')
    .replace(/[:：]$/, '');

type Name = readonly [place: string, name: string];

/** The name of every field, and its title, each with its place; those of the items of a list have one place. */
function* namesIn(schema: unknown, root: JsonSchema, place: string, level: number): Generator<Name> {
  if (level > MOST_LEVELS) return;
  for (const part of partsOf(schema, root)) {
    if (typeof part.title === 'string') yield [place, part.title];
    for (const items of itemsOf(part)) yield* namesIn(items, root, `${place}/${EVERY_ITEM}`, level + 1);
    if (!isObject(part.properties)) continue;
    for (const [name, property] of Object.entries(part.properties)) {
      const below = `${place}/${escapeToken(name)}`;
      yield [below, name];
      yield* namesIn(property, root, below, level + 1);
    }
  }
}

/** By folded name: where the fields are that have it. */
const placesByName = (schema: JsonSchema) => {
  const places = new Map<string, Set<string>>();
  let left = MOST_NAMES;
  for (const [place, name] of namesIn(schema, schema, '', 0)) {
    if (left-- === 0) break;
    if (place === '') continue;
    const known = places.get(folded(name)) ?? new Set();
    places.set(folded(name), known.add(place));
  }
  return places;
};

interface Subject {
  readonly data: JsonObject;
  readonly schema: JsonSchema | null;
  readonly evidence: Readonly<Record<string, { readonly support: string; readonly quote: string }>>;
}

/** What stands before each colon, behind the last figure. A pattern that looks for it anywhere would go back at every character of a long quote. */
const labelsOf = (quote: string): readonly string[] =>
  quote
    .split(/[:：]/)
    .slice(0, -1)
    .map((text) => folded(text.slice(-LONGEST_LABEL).replace(/^.*\d/s, '')))
    .filter((label) => label !== '');

function* labelsIn({ evidence }: Subject): Generator<void, ReadonlySet<string>> {
  const quotes = new Set<string>();
  const labels = new Set<string>();
  for (const [, { quote }] of eachMember(evidence)) {
    yield;
    if (quotes.has(quote)) continue;
    quotes.add(quote);
    for (const label of labelsOf(quote)) labels.add(label);
  }
  return labels;
}

/** JSON Pointers of the texts that are the title or name of another field, or a label beside a value: a person would not read those as values. */
export function* implausibleValues(subject: Subject): Generator<void, readonly string[]> {
  const { data, schema, evidence } = subject;
  const places = schema === null ? new Map<string, Set<string>>() : placesByName(schema);
  const labels = yield* labelsIn(subject);
  const isName = (text: string, pointer: string) => {
    const own = inEveryItem(pointer);
    return [...(places.get(text) ?? [])].some((place) => place !== own);
  };
  const isEntered = (pointer: string) => Object.hasOwn(evidence, pointer) && evidence[pointer]?.support === 'person';
  const pointers: string[] = [];
  for (const [pointer, value] of eachLeaf(data)) {
    yield;
    if (typeof value !== 'string') continue;
    const text = folded(value);
    // Most texts are no name and no label, and nothing else is looked up of them.
    if (!labels.has(text) && !places.has(text)) continue;
    if ((labels.has(text) || isName(text, pointer)) && !isEntered(pointer)) pointers.push(pointer);
  }
  return pointers;
}
