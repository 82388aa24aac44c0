interface Node<T> {
  value: T | null;
  before: Node<T>;
  after: Node<T>;
}

/**
 * What comes and goes with requests, the oldest first. A Set would do the same, but each of its tables refers to the next one even when all
 * of them are garbage: one that has become old keeps what was ever deleted since, until a full collection. A removed node refers to nothing.
 */
export class LinkedList<T extends object> {
  size = 0;
  readonly #ends: Node<T>;

  constructor() {
    const ends = { value: null } as Node<T>;
    ends.before = ends;
    ends.after = ends;
    this.#ends = ends;
  }

  /** Answers how to remove it. */
  add(value: T): () => void {
    const ends = this.#ends;
    const node: Node<T> = { value, before: ends.before, after: ends };
    ends.before.after = node;
    ends.before = node;
    this.size += 1;
    return () => this.#remove(node);
  }

  removeOldest() {
    this.#remove(this.#ends.after);
  }

  #remove(node: Node<T>) {
    if (node.value === null) return;
    node.before.after = node.after;
    node.after.before = node.before;
    node.value = null;
    node.before = node;
    node.after = node;
    this.size -= 1;
  }

  /** The one at hand may be removed meanwhile. */
  *[Symbol.iterator]() {
    for (let node = this.#ends.after; node.value !== null; ) {
      const { value, after } = node;
      yield value;
      node = after;
    }
  }
}

export const linkedList = <T extends object>() => new LinkedList<T>();
