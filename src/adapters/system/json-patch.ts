import { applyPatch } from 'rfc6902';
import type { JsonPatches, Patched, PatchOperation } from '../../application/ports/json-patch.ts';
import { invalid } from '../../domain/errors.ts';
import {
  escapeToken,
  isObject,
  isPointer,
  isSameJson,
  type JsonObject,
  type JsonValue,
  resolvePointer,
  unescapeToken,
} from '../../domain/json.ts';

/** Names that the package does not follow; each is written with a character before it. */
const ODD_NAME = /^%*(?:__proto__|constructor|prototype)$/;
const oddName = (name: string) => (ODD_NAME.test(name) ? `%${name}` : name);
const ownName = (name: string) => (ODD_NAME.test(name) ? name.slice(1) : name);

interface Leaf {
  readonly value: JsonValue;
  /** Where it stood before; null of one that the patch brings. */
  readonly origin: string | null;
}

/** A value whose leaves are numbers of a list, so that the package neither sees nor copies what a number really is. */
type Tree = string | Tree[] | { [name: string]: Tree };

/** Copies of copies grow without bound: so many values are made by a patch at most. */
const MOST_COPIED = 100_000;

const sizeOf = (tree: Tree): number =>
  typeof tree === 'string' ? 1 : Object.values(tree).reduce((size: number, each: Tree) => size + sizeOf(each), 1);

/** The document stands below a root of its own: the package does not replace a root. */
const ROOT = '/document';
const inTree = (pointer: string) => ROOT + pointer.replaceAll(/[^/]+/g, (token) => escapeToken(oddName(unescapeToken(token))));

const pathError = (index: number, member: 'path' | 'from' | 'value', message: string) =>
  invalid({ path: `patch[${index}].${member}`, message });

class Patching {
  readonly #leaves: Leaf[] = [];
  readonly #root: { document?: Tree };
  #copied = 0;

  constructor(value: JsonValue) {
    this.#root = { document: this.#planted(value, '') };
  }

  #planted(value: JsonValue, origin: string | null): Tree {
    const below = (token: string | number) => (origin === null ? null : `${origin}/${escapeToken(token)}`);
    if (Array.isArray(value)) return value.map((item, index) => this.#planted(item, below(index)));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value as JsonObject).map(([name, item]) => [oddName(name), this.#planted(item, below(name))]),
      );
    }
    this.#leaves.push({ value, origin });
    return String(this.#leaves.length - 1);
  }

  #harvested(tree: Tree, pointer: string, origins: Map<string, string>): JsonValue {
    if (Array.isArray(tree)) return tree.map((item, index) => this.#harvested(item, `${pointer}/${index}`, origins));
    if (typeof tree !== 'string') {
      return Object.fromEntries(
        Object.entries(tree).map(([name, item]) => {
          const own = ownName(name);
          return [own, this.#harvested(item, `${pointer}/${escapeToken(own)}`, origins)];
        }),
      );
    }
    const { value, origin } = this.#leaves[Number(tree)] as Leaf;
    if (origin !== null) origins.set(pointer, origin);
    return value;
  }

  #at(pointer: string): Tree | undefined {
    return resolvePointer(this.#root as JsonObject, inTree(pointer)) as Tree | undefined;
  }

  #existing(index: number, member: 'path' | 'from', pointer: string | undefined): Tree {
    const found = pointer !== undefined && isPointer(pointer) ? this.#at(pointer) : undefined;
    if (found === undefined) throw pathError(index, member, pointer === undefined ? 'is required' : 'leads to nothing in the document');
    return found;
  }

  /** Refuses a place where nothing can be added: no object, and no list with so many items. */
  #mustTake(index: number, pointer: string) {
    if (!isPointer(pointer)) throw pathError(index, 'path', 'is not a JSON Pointer');
    if (pointer === '') return;
    const end = pointer.lastIndexOf('/');
    const [parent, token] = [this.#at(pointer.slice(0, end)), pointer.slice(end + 1)];
    if (parent === undefined || typeof parent === 'string') throw pathError(index, 'path', 'leads into nothing in the document');
    if (!Array.isArray(parent) || token === '-') return;
    const isPlace = /^(0|[1-9]\d{0,9})$/.test(token) && Number(token) <= parent.length;
    if (!isPlace) throw pathError(index, 'path', `is not a place in a list of ${parent.length}`);
  }

  #add(index: number, path: string, value: Tree) {
    this.#mustTake(index, path);
    applyPatch(this.#root, [{ op: 'add', path: inTree(path), value }]);
  }

  #valueOf(index: number, { value }: PatchOperation): JsonValue {
    if (value === undefined) throw pathError(index, 'value', 'is required');
    return value;
  }

  #source(index: number, { from }: PatchOperation): Tree {
    const found = this.#existing(index, 'from', from);
    this.#copied += sizeOf(found);
    if (this.#copied > MOST_COPIED) throw pathError(index, 'from', `makes the patch copy and move more than ${MOST_COPIED} values`);
    return found;
  }

  /** `move` and `copy` are what RFC 6902 says they are the same as. The package would compare for a `test` in quadratic time. */
  readonly #kinds: Readonly<Record<PatchOperation['op'], (index: number, operation: PatchOperation) => void>> = {
    add: (index, operation) => this.#add(index, operation.path, this.#planted(this.#valueOf(index, operation), null)),
    copy: (index, operation) => this.#add(index, operation.path, this.#source(index, operation)),
    move: (index, operation) => {
      const { from = '', path } = operation;
      const value = this.#source(index, operation);
      if (path.startsWith(`${from}/`)) throw pathError(index, 'path', 'leads into what is moved');
      if (from === path) return;
      applyPatch(this.#root, [{ op: 'remove', path: inTree(from) }]);
      this.#add(index, path, value);
    },
    remove: (index, { path }) => {
      this.#existing(index, 'path', path);
      if (path === '') throw pathError(index, 'path', 'is the whole document, which cannot be removed');
      applyPatch(this.#root, [{ op: 'remove', path: inTree(path) }]);
    },
    replace: (index, operation) => {
      const value = this.#planted(this.#valueOf(index, operation), null);
      this.#existing(index, 'path', operation.path);
      applyPatch(this.#root, [{ op: 'replace', path: inTree(operation.path), value }]);
    },
    test: (index, operation) => {
      const found = this.#harvested(this.#existing(index, 'path', operation.path), '', new Map());
      if (!isSameJson(found, this.#valueOf(index, operation))) throw pathError(index, 'value', 'is not what stands there');
    },
  };

  run(operations: readonly PatchOperation[]): Patched {
    for (const [index, operation] of operations.entries()) this.#kinds[operation.op](index, operation);
    const origins = new Map<string, string>();
    return { value: this.#harvested(this.#root.document as Tree, '', origins), origins };
  }
}

/**
 * JSON Patch by the package `rfc6902`. It knows doubles only, follows no names such as `constructor`, and takes some places for others
 * that RFC 6901 refuses: so it works on a tree of strings, and every place is looked up first.
 */
export const jsonPatches: JsonPatches = { apply: (value, operations) => new Patching(value).run(operations) };
