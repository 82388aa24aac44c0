import type { ReadingNote } from '../../application/ports/text.ts';

/** So many of a thing: `1 picture`, `2,000 pictures`. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

export const unread = (what: string, page: number | null = null): ReadingNote => ({ kind: 'unread', page, what });

/** Nothing is noted of a thing of which there is none. */
export const noteIfAny = (
  kind: ReadingNote['kind'],
  count: number,
  what: string,
  page: number | null = null,
): readonly ReadingNote[] => (count === 0 ? [] : [{ kind, page, what }]);
