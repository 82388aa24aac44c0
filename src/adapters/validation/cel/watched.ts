import { EVERY_ITEM, escapeToken, type JsonValue } from '../../../domain/json.ts';
import { ExactNumber } from '../../../domain/json-number.ts';
import { decimalOf } from './environment.ts';

/** Is given the place of what an expression reads where nothing is: a JSON Pointer with `*` for every item of a list. */
type Watcher = (place: string) => void;

const isNothing = (value: unknown) => value === null || value === undefined;

class WatchedMap extends Map<string, unknown> {
  readonly #place: string;
  readonly #watcher: Watcher;

  constructor(entries: Iterable<readonly [string, unknown]>, place: string, watcher: Watcher) {
    super(entries);
    this.#place = place;
    this.#watcher = watcher;
  }

  override get(key: string): unknown {
    const value = super.get(key);
    if (isNothing(value)) this.#watcher(`${this.#place}/${escapeToken(key)}`);
    return value;
  }
}

/** The interpreter knows a map by its constructor. */
Object.defineProperty(WatchedMap.prototype, 'constructor', { value: Map });

const watchedItems = (items: readonly unknown[], place: string, watcher: Watcher): readonly unknown[] =>
  items.some(isNothing)
    ? new Proxy(items, {
        get(target, key, receiver) {
          const value: unknown = Reflect.get(target, key, receiver);
          if (value === null) watcher(`${place}/${EVERY_ITEM}`);
          return value;
        },
      })
    : items;

/** A document as expressions read it. Its objects are maps, because an object of JSON may have a field of any name. */
export const watched = (value: JsonValue, watcher: Watcher, place = ''): unknown => {
  if (typeof value === 'number' || value instanceof ExactNumber) return decimalOf(String(value));
  if (Array.isArray(value)) {
    const items = value.map((each: JsonValue) => watched(each, watcher, `${place}/${EVERY_ITEM}`));
    return watchedItems(items, place, watcher);
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([key, member]) => [key, watched(member as JsonValue, watcher, `${place}/${escapeToken(key)}`)] as const,
  );
  return new WatchedMap(members, place, watcher);
};
