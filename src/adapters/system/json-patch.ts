import { applyPatch } from 'rfc6902';
import type { JsonPatches, Patched, PatchedLeaf, PatchOperation } from '../../application/ports/json-patch.ts';
import { MOST_DATA_BYTES, TOO_LONG } from '../../domain/document-data.ts';
import { invalid } from '../../domain/errors.ts';
import {
  escapeToken,
  isObject,
  isPointer,
  isSameJson,
  type JsonObject,
  type JsonValue,
  jsonBytes,
  lastToken,
  memberOf,
  tokensOf,
  unescapeToken,
} from '../../domain/json.ts';

/** Names that the package does not follow; each is written with a character before it. */
const ODD_NAME = /^%*(?:__proto__|constructor|prototype)$/;
const oddName = (name: string) => (ODD_NAME.test(name) ? `%${name}` : name);
const ownName = (name: string) => (ODD_NAME.test(name) ? name.slice(1) : name);

interface Size {
  readonly values: number;
  /** Of its JSON text without the commas: which of them there are depends on what stands beside it. */
  readonly bytes: number;
}

/** A value that no operation has led into. */
interface Whole {
  readonly value: JsonValue;
  /** Where it stood before; null of one that the patch brings. */
  readonly origin: string | null;
  /** Null until it is asked for. */
  size: Size | null;
}

/**
 * A value whose parts are numbers of a list, so that the package neither sees nor copies what a number really is. Only what an operation leads
 * into is taken apart: the rest of a document may be many thousands of values.
 */
type Tree = string | Tree[] | { [name: string]: Tree };

/** So many values a patch copies, moves and compares at most: each of its operations could be about the whole document. */
const MOST_LOOKED_AT = 1_000_000;

/** The document stands below a root of its own: the package does not replace a root. */
const ROOT = '/document';
const inTree = (pointer: string) =>
  ROOT + pointer.replaceAll(/[^/]+/g, (token) => escapeToken(oddName(unescapeToken(token))));

/** The name of a member with the colon behind it. */
const nameBytes = (name: string) => jsonBytes(name) + 1;

const pathError = (index: number, member: 'path' | 'from' | 'value', message: string) =>
  invalid({ path: `patch[${index}].${member}`, message });

const isScalar = (value: JsonValue) => !isObject(value) && !Array.isArray(value);

const valuesAndCommas = (value: JsonValue): { readonly values: number; readonly commas: number } => {
  if (isScalar(value)) return { values: 1, commas: 0 };
  const items = Object.values(value as JsonObject);
  let values = 1;
  let commas = Math.max(0, items.length - 1);
  for (const item of items) {
    const within = valuesAndCommas(item);
    values += within.values;
    commas += within.commas;
  }
  return { values, commas };
};

const sizeOf = (value: JsonValue): Size => {
  const { values, commas } = valuesAndCommas(value);
  return { values, bytes: jsonBytes(value) - commas };
};

function* leavesIn(value: JsonValue, pointer: string, origin: string | null): Generator<PatchedLeaf> {
  for (const [name, item] of Object.entries(value as JsonObject)) {
    const token = `/${escapeToken(name)}`;
    const leaf = { pointer: pointer + token, value: item, origin: origin === null ? null : origin + token };
    if (isScalar(item)) yield leaf;
    else yield* leavesIn(item, leaf.pointer, leaf.origin);
  }
}

class Patching {
  readonly #wholes: Whole[] = [];
  readonly #root: { document: Tree };
  /** Of the document, as `Size` counts them. */
  #bytes: number;
  #lookedAt = 0;

  constructor(value: JsonValue) {
    const document = this.#planted(value, '');
    this.#root = { document };
    this.#bytes = this.#sizeOf(document).bytes;
  }

  #whole(number: string): Whole {
    return this.#wholes[Number(number)] as Whole;
  }

  #sizeOf(tree: Tree): Size {
    if (typeof tree === 'string') {
      const whole = this.#whole(tree);
      whole.size ??= sizeOf(whole.value);
      return whole.size;
    }
    let values = 1;
    let bytes = 2;
    for (const [name, item] of Object.entries(tree)) {
      const size = this.#sizeOf(item);
      values += size.values;
      bytes += size.bytes + (Array.isArray(tree) ? 0 : nameBytes(ownName(name)));
    }
    return { values, bytes };
  }

  /** Refuses what would make the document too long, before it is done: copies of copies grow without bound. */
  #resize(index: number, path: string, before: Tree | undefined, after: Tree | undefined) {
    const isMember = path !== '' && !Array.isArray(this.#parentOf(path));
    const name = isMember ? nameBytes(unescapeToken(lastToken(path))) : 0;
    const size = (tree: Tree | undefined) => (tree === undefined ? 0 : this.#sizeOf(tree).bytes + name);
    this.#bytes += size(after) - size(before);
    if (this.#bytes > MOST_DATA_BYTES) throw pathError(index, 'path', `makes a document that ${TOO_LONG}`);
  }

  #planted(value: JsonValue, origin: string | null): string {
    this.#wholes.push({ value, origin, size: null });
    return String(this.#wholes.length - 1);
  }

  /** The parts of a value, each of them whole; a value that has none stays as it is. */
  #apart(number: string): Tree {
    const { value, origin } = this.#whole(number);
    const part = (item: JsonValue, token: string | number) =>
      this.#planted(item, origin === null ? null : `${origin}/${escapeToken(token)}`);
    if (Array.isArray(value)) return value.map(part);
    if (!isObject(value)) return number;
    const members = Object.entries(value as JsonObject);
    return Object.fromEntries(members.map(([name, item]) => [oddName(name), part(item, name)]));
  }

  /** What the tokens lead to, taken apart like all that is on the way there. */
  #opened(tokens: readonly string[]): Tree | undefined {
    let at: Tree | undefined = this.#root;
    for (const token of tokens) {
      const member = memberOf(at, token) as Tree | undefined;
      if (typeof member === 'string') (at as Record<string, Tree>)[token] = this.#apart(member);
      at = memberOf(at, token) as Tree | undefined;
    }
    return at;
  }

  #valueOf(tree: Tree): JsonValue {
    if (typeof tree === 'string') return this.#whole(tree).value;
    if (Array.isArray(tree)) return tree.map((item) => this.#valueOf(item));
    return Object.fromEntries(Object.entries(tree).map(([name, item]) => [ownName(name), this.#valueOf(item)]));
  }

  *#leavesOf(tree: Tree, pointer: string): Generator<PatchedLeaf> {
    if (typeof tree === 'string') {
      const { value, origin } = this.#whole(tree);
      if (isScalar(value)) yield { pointer, value, origin };
      else yield* leavesIn(value, pointer, origin);
      return;
    }
    for (const [name, item] of Object.entries(tree))
      yield* this.#leavesOf(item, `${pointer}/${escapeToken(ownName(name))}`);
  }

  #parentOf(pointer: string): Tree | undefined {
    return this.#opened(tokensOf(inTree(pointer)).slice(0, -1));
  }

  #at(pointer: string): Tree | undefined {
    const name = tokensOf(inTree(pointer)).at(-1) as string;
    return memberOf(this.#parentOf(pointer), name) as Tree | undefined;
  }

  #existing(index: number, member: 'path' | 'from', pointer: string | undefined): Tree {
    const value = pointer !== undefined && isPointer(pointer) ? this.#at(pointer) : undefined;
    if (value === undefined)
      throw pathError(index, member, pointer === undefined ? 'is required' : 'leads to nothing in the document');
    return value;
  }

  /** Refuses a place where nothing can be added: no object, and no list with so many items. */
  #mustTake(index: number, pointer: string) {
    if (!isPointer(pointer)) throw pathError(index, 'path', 'is not a JSON Pointer');
    if (pointer === '') return;
    const parent = this.#parentOf(pointer);
    const token = lastToken(pointer);
    if (parent === undefined || typeof parent === 'string')
      throw pathError(index, 'path', 'leads into nothing in the document');
    if (!Array.isArray(parent) || token === '-') return;
    const isPlace = /^(0|[1-9]\d{0,9})$/.test(token) && Number(token) <= parent.length;
    if (!isPlace) throw pathError(index, 'path', `is not a place in a list of ${parent.length}`);
  }

  #add(index: number, path: string, value: Tree) {
    this.#mustTake(index, path);
    const isInserted = path !== '' && Array.isArray(this.#parentOf(path));
    this.#resize(index, path, isInserted ? undefined : this.#at(path), value);
    applyPatch(this.#root, [{ op: 'add', path: inTree(path), value }]);
  }

  #remove(index: number, path: string) {
    this.#resize(index, path, this.#at(path), undefined);
    applyPatch(this.#root, [{ op: 'remove', path: inTree(path) }]);
  }

  #given(index: number, { value }: PatchOperation): JsonValue {
    if (value === undefined) throw pathError(index, 'value', 'is required');
    return value;
  }

  #source(index: number, member: 'path' | 'from', pointer: string | undefined): Tree {
    const value = this.#existing(index, member, pointer);
    this.#lookedAt += this.#sizeOf(value).values;
    if (this.#lookedAt <= MOST_LOOKED_AT) return value;
    throw pathError(index, member, `makes the patch copy, move and test more than ${MOST_LOOKED_AT} values`);
  }

  /** `move` and `copy` are what RFC 6902 says they are the same as. The package would compare for a `test` in quadratic time. */
  readonly #kinds: Readonly<Record<PatchOperation['op'], (index: number, operation: PatchOperation) => void>> = {
    add: (index, operation) => this.#add(index, operation.path, this.#planted(this.#given(index, operation), null)),
    copy: (index, operation) => this.#add(index, operation.path, this.#source(index, 'from', operation.from)),
    move: (index, operation) => {
      const { from = '', path } = operation;
      const value = this.#source(index, 'from', operation.from);
      if (path.startsWith(`${from}/`)) throw pathError(index, 'path', 'leads into what is moved');
      if (from === path) return;
      this.#remove(index, from);
      this.#add(index, path, value);
    },
    remove: (index, { path }) => {
      this.#existing(index, 'path', path);
      if (path === '') throw pathError(index, 'path', 'is the whole document, which cannot be removed');
      this.#remove(index, path);
    },
    replace: (index, operation) => {
      const value = this.#planted(this.#given(index, operation), null);
      this.#resize(index, operation.path, this.#existing(index, 'path', operation.path), value);
      applyPatch(this.#root, [{ op: 'replace', path: inTree(operation.path), value }]);
    },
    test: (index, operation) => {
      const value = this.#source(index, 'path', operation.path);
      if (!isSameJson(this.#valueOf(value), this.#given(index, operation)))
        throw pathError(index, 'value', 'is not what stands there');
    },
  };

  run(operations: readonly PatchOperation[]): Patched {
    for (const [index, operation] of operations.entries()) this.#kinds[operation.op](index, operation);
    const { document } = this.#root;
    return { value: this.#valueOf(document), leaves: () => this.#leavesOf(document, '') };
  }
}

/**
 * JSON Patch by the package `rfc6902`. It knows doubles only, follows no names such as `constructor`, and takes some places for others
 * that RFC 6901 refuses: so it works on a tree of strings, and every place is looked up first.
 */
export const jsonPatches: JsonPatches = { apply: (value, operations) => new Patching(value).run(operations) };
