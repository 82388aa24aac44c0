import { escapeToken, isObject } from '../../../domain/json.ts';
import { type Resolve, type View, viewOf } from './schema.ts';
import { canonical, likeness, type Words } from './words.ts';

/** A place in the schema where one value belongs. */
export interface Leaf {
  /** JSON Pointer from where the search began. */
  readonly pointer: string;
  readonly view: View;
  readonly names: readonly Name[];
}

export interface Name {
  readonly words: Words;
  /** What a match by this name is worth. */
  readonly worth: number;
}

export interface ListPlace {
  readonly pointer: string;
  readonly view: View;
  readonly item: View;
  readonly names: readonly Name[];
}

/** Schemas may refer to themselves: what is nested deeper stays empty. */
export const MAX_DEPTH = 6;
const MAX_PLACES = 500;

/** The ways a property may be called on paper, the surest first. */
const namesOf = (key: string, context: Words, { schema }: View): readonly Name[] => {
  const own = canonical(key);
  const title = typeof schema.title === 'string' ? [canonical(schema.title)] : [];
  // `due` with a date in it is also labelled "Due date"; elsewhere the word says that a label means something else.
  const dated = String(schema.format).startsWith('date') && !own.includes('date') ? [canonical(`${key} date`)] : [];
  const described = typeof schema.description === 'string' ? canonical(schema.description) : [];
  return [
    ...[own, ...title, ...dated].map((words) => ({ words: [...new Set([...context, ...words])], worth: 1 })),
    ...(context.length === 0 ? [] : [own, ...title, ...dated].map((words) => ({ words, worth: 0.85 }))),
    ...(described.length > 0 && described.length <= 4 ? [{ words: described, worth: 0.8 }] : []),
  ];
};

export const howWell = (label: string, names: readonly Name[]): number => {
  const words = canonical(label);
  return names.reduce((best, name) => Math.max(best, likeness(words, name.words) * name.worth), 0);
};

export interface Places {
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListPlace[];
}

/** The values and the lists that an object asks for, lists not entered. */
export const placesOf = (root: View, resolve: Resolve): Places => {
  const leaves: Leaf[] = [];
  const lists: ListPlace[] = [];
  const enter = (view: View, pointer: string, context: Words, depth: number) => {
    if (!isObject(view.schema.properties) || depth >= MAX_DEPTH) return;
    for (const [key, node] of Object.entries(view.schema.properties)) {
      if (leaves.length + lists.length >= MAX_PLACES) return;
      place(key, viewOf(node, resolve), `${pointer}/${escapeToken(key)}`, context, depth);
    }
  };
  const place = (key: string, view: View, pointer: string, context: Words, depth: number) => {
    const names = namesOf(key, context, view);
    if (view.kind === 'object') enter(view, pointer, [...new Set([...context, ...canonical(key)])], depth + 1);
    else if (view.kind === 'array') lists.push({ pointer, view, item: viewOf(view.schema.items, resolve), names });
    else if (view.kind !== 'const' && view.kind !== 'null') leaves.push({ pointer, view, names });
  };
  if (root.kind === 'object') enter(root, '', [], 0);
  else place('', root, '', [], 0);
  return { leaves, lists };
};
