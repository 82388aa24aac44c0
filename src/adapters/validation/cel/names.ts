import type { ASTNode } from '@marcbachmann/cel-js';
import { EVERY_ITEM, escapeToken } from '../../../domain/json.ts';

/** A place in documents. */
interface Place {
  readonly pointer: string;
  /** With every item of a list in the place of one. */
  readonly general: string;
}

/** The places that variables stand for; null of what has no place in a document. */
type Scope = ReadonlyMap<string, Place | null>;

export interface Names {
  /** JSON Pointers of what an expression names, with `*` for every item of a list. */
  readonly named: ReadonlySet<string>;
  /** Of what it asks whether it is there, and of every item for one: that it is not there is an answer. */
  readonly asked: ReadonlySet<string>;
}

const member = ({ pointer, general }: Place, token: string): Place => ({
  pointer: `${pointer}/${escapeToken(token)}`,
  general: `${general}/${escapeToken(token)}`,
});
const item = ({ pointer, general }: Place, index: string): Place => ({
  pointer: `${pointer}/${index}`,
  general: `${general}/${EVERY_ITEM}`,
});

/** What takes a variable for each item of a list. */
const macros = ['all', 'exists', 'exists_one', 'map', 'filter'];

export const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
const isNull = (node: ASTNode) => node.op === 'value' && node.args === null;

/** What an expression names of the document. */
export const namesOf = (root: ASTNode): Names => {
  const named = new Set<string>();
  const guarded = new Set<string>();

  const name = (place: Place | null) => {
    if (place !== null && place.pointer !== '') named.add(place.pointer);
  };
  const read = (node: ASTNode, scope: Scope) => name(placeOf(node, scope));
  const ask = (node: ASTNode, scope: Scope) => {
    const place = placeOf(node, scope);
    name(place);
    if (place !== null) guarded.add(place.general);
  };

  const elementOf = (list: ASTNode, key: ASTNode, scope: Scope): Place | null => {
    const place = placeOf(list, scope);
    if (place !== null && key.op === 'value' && typeof key.args === 'string') return member(place, key.args);
    if (place !== null && key.op === 'value' && typeof key.args === 'bigint') return item(place, String(key.args));
    name(place);
    read(key, scope);
    return null;
  };

  const callOn = (method: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Place | null => {
    const [variable, ...rest] = args;
    const isBinding = method === 'bind' && receiver.op === 'id' && receiver.args === 'cel';
    if (variable?.op !== 'id' || !(isBinding || macros.includes(method))) {
      for (const argument of [receiver, ...args]) read(argument, scope);
      return null;
    }
    const [bound, ...bodies] = isBinding ? rest : [receiver, ...rest];
    const place = bound === undefined ? null : placeOf(bound, scope);
    name(place);
    const stands = isBinding || place === null ? place : item(place, EVERY_ITEM);
    // A body behind a condition is not about every item.
    bodies.forEach((body, index) => void read(body, new Map([...scope, [variable.args, index === 0 ? stands : null]])));
    return null;
  };

  /** `"key" in object`: whether the key is there. */
  const askForKey = (key: ASTNode, object: ASTNode, scope: Scope): null => {
    const place = placeOf(object, scope);
    name(place);
    if (place !== null && key.op === 'value' && typeof key.args === 'string')
      guarded.add(member(place, key.args).general);
    read(key, scope);
    return null;
  };

  /** The result of these is no place. */
  const nameEach = (nodes: readonly ASTNode[], each: typeof read, scope: Scope): null => {
    for (const node of nodes) each(node, scope);
    return null;
  };

  /** The place that the node stands for; what it is made of is named on the way. */
  const placeOf = (node: ASTNode, scope: Scope): Place | null => {
    switch (node.op) {
      case 'id':
        return scope.get(node.args) ?? null;
      case '.':
      case '.?': {
        const place = placeOf(node.args[0], scope);
        return place && member(place, node.args[1]);
      }
      case '[]':
      case '[?]':
        return elementOf(node.args[0], node.args[1], scope);
      case 'rcall':
        return callOn(...node.args, scope);
      case '==':
      case '!=':
        return nameEach(node.args, node.args.some(isNull) ? ask : read, scope);
      case 'call': {
        const [called, args] = node.args;
        return nameEach(args, called === 'has' ? ask : read, scope);
      }
      case 'in':
        return askForKey(...node.args, scope);
      default:
        return nameEach([node.args].flat(2).filter(isNode), read, scope);
    }
  };

  read(root, new Map([['document', { pointer: '', general: '' }]]));
  return { named, asked: guarded };
};

const childrenOf = (node: ASTNode): readonly ASTNode[] => [node.args].flat(3).filter(isNode);

const isReckoned = (node: ASTNode): boolean =>
  ['+', '-', '*'].includes(node.op) ||
  (node.op === 'call' && node.args[0] === 'sum') ||
  childrenOf(node).some(isReckoned);

/** Whether the node says that a sum, a difference or a product is what another value is, also of every item of a list. */
const isSum = (node: ASTNode): boolean => {
  if (node.op === 'rcall' && node.args[0] === 'all') return node.args[2].slice(1).every(isSum);
  return (node.op === '==' || (node.op === 'call' && node.args[0] === 'near')) && isReckoned(node);
};

/** What the sums of a rule name, of which each holds where the rule does: one wrong digit in one of these values, and it would not. */
export const summedBy = (root: ASTNode): ReadonlySet<string> => {
  if (root.op === '&&') return new Set(root.args.flatMap((each) => [...summedBy(each)]));
  return isSum(root) ? namesOf(root).named : new Set();
};
