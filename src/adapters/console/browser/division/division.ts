import { rangesOf } from '../../../../domain/routing/page-names.ts';
import { signatureOf } from '../../../../domain/routing/partition.ts';

/** A page of a file; 0: the whole of a file that has no pages. */
export interface Sheet {
  readonly fileName: string;
  readonly page: number;
}

/** A part as a person wants it. */
export interface Piece {
  readonly name: string;
  readonly fileName: string;
  /** In the order of the file; none if the file has no pages. */
  readonly pages: readonly number[];
}

/** The files of a run, each with the numbers of its pages. */
export type Files = ReadonlyMap<string, readonly number[]>;

/** The parts of a run, in the order of its files and of their first pages. What is in none of them is in no part. */
export type Division = readonly Piece[];

export const keyOf = ({ fileName, page }: Sheet): string => `${page} ${fileName}`;

export const sheetOf = (key: string): Sheet => {
  const at = key.indexOf(' ');
  return { page: Number(key.slice(0, at)), fileName: key.slice(at + 1) };
};

export const sheetsOf = ({ fileName, pages }: Pick<Piece, 'fileName' | 'pages'>): readonly Sheet[] =>
  (pages.length === 0 ? [0] : pages).map((page) => ({ fileName, page }));

const ordered = (files: Files, pieces: readonly Piece[]): Division => {
  const places = new Map([...files.keys()].map((name, place) => [name, place]));
  return pieces
    .map((piece) => ({ ...piece, pages: piece.pages.toSorted((a, b) => a - b) }))
    .sort(
      (a, b) => (places.get(a.fileName) ?? 0) - (places.get(b.fileName) ?? 0) || (a.pages[0] ?? 0) - (b.pages[0] ?? 0),
    );
};

/** What a run has, with the parts in the order of the pages. */
export const divisionOf = (
  files: Files,
  parts: readonly { readonly name: string; readonly file_name: string; readonly pages: readonly number[] }[],
): Division =>
  ordered(
    files,
    parts.map(({ name, file_name: fileName, pages }) => ({ name, fileName, pages })),
  );

/** All that is in no part, file by file. */
export const unassignedIn = (files: Files, division: Division): readonly Sheet[] => {
  const taken = new Set(division.flatMap(sheetsOf).map(keyOf));
  return [...files]
    .flatMap(([fileName, pages]) => sheetsOf({ fileName, pages }))
    .filter((sheet) => !taken.has(keyOf(sheet)));
};

/** A part that has no page left is gone. */
const without = (division: Division, sheets: readonly Sheet[]): Division => {
  const gone = new Set(sheets.map(keyOf));
  return division.flatMap((piece) => {
    if (piece.pages.length === 0) return gone.has(keyOf({ ...piece, page: 0 })) ? [] : [piece];
    const pages = piece.pages.filter((page) => !gone.has(keyOf({ ...piece, page })));
    return pages.length === 0 ? [] : [{ ...piece, pages }];
  });
};

/** Which part has this page; -1: none. */
export const placeOf = (division: Division, sheet: Sheet): number =>
  division.findIndex(
    ({ fileName, pages }) =>
      fileName === sheet.fileName && (sheet.page === 0 ? pages.length === 0 : pages.includes(sheet.page)),
  );

/** Puts these pages into no part. */
export const taken = (files: Files, division: Division, sheets: readonly Sheet[]): Division =>
  ordered(files, without(division, sheets));

/** Puts these pages into a part, which keeps to its file: pages of another file stay where they are. */
export const moved = (files: Files, division: Division, sheets: readonly Sheet[], to: number): Division => {
  const target = division[to];
  if (target === undefined || target.pages.length === 0) return division;
  const moving = sheets.filter(({ fileName, page }) => fileName === target.fileName && page > 0);
  const pages = [...new Set([...target.pages, ...moving.map(({ page }) => page)])];
  const others = without(
    division.filter((piece) => piece !== target),
    moving,
  );
  return ordered(files, [...others, { ...target, pages }]);
};

/** Makes a part of these pages, one for each file that they are of. */
export const begun = (files: Files, division: Division, sheets: readonly Sheet[], name: string): Division => {
  const byFile = Map.groupBy(sheets, ({ fileName }) => fileName);
  const fresh = [...byFile].map(([fileName, sheetsOfFile]) => ({
    name,
    fileName,
    pages: sheetsOfFile.flatMap(({ page }) => (page > 0 ? [page] : [])),
  }));
  return ordered(files, [...without(division, sheets), ...fresh]);
};

/** From this page on, the rest of its part is one of its own. */
export const splitAt = (files: Files, division: Division, sheet: Sheet): Division => {
  const piece = division[placeOf(division, sheet)];
  const rest = piece?.pages.filter((page) => page >= sheet.page) ?? [];
  if (piece === undefined || rest.length === 0 || rest.length === piece.pages.length) return division;
  return begun(
    files,
    division,
    rest.map((page) => ({ fileName: piece.fileName, page })),
    piece.name,
  );
};

/** The part before, or after, of the same file; -1: there is none. */
export const besideOf = (division: Division, place: number, step: 1 | -1): number => {
  const piece = division[place];
  const beside = division[place + step];
  return piece !== undefined && beside?.fileName === piece.fileName && piece.pages.length > 0 ? place + step : -1;
};

/** Adds the part to the one before it. */
export const joined = (files: Files, division: Division, place: number): Division => {
  const piece = division[place];
  return piece === undefined ? division : moved(files, division, sheetsOf(piece), besideOf(division, place, -1));
};

export const renamed = (division: Division, place: number, name: string): Division =>
  division.map((piece, index) => (index === place ? { ...piece, name } : piece));

const signaturesOf = (division: Division): ReadonlySet<string> => new Set(division.map(signatureOf));

export const isSame = (a: Division, b: Division): boolean => {
  const there = signaturesOf(b);
  return a.length === b.length && a.every((piece) => there.has(signatureOf(piece)));
};

/** What becomes of the parts that were read: those that are not in the new ones are gone, and those that were not there are new. */
export const changesOf = (before: Division, after: Division) => {
  const old = signaturesOf(before);
  const now = signaturesOf(after);
  return {
    gone: before.filter((piece) => !now.has(signatureOf(piece))),
    fresh: after.filter((piece) => !old.has(signatureOf(piece))),
  };
};

/**
 * The changes of one person over those of another; null: they do not fit together. They fit if all that the one has changed is as it was: the
 * parts are there, and the pages that were in no part are in none.
 */
export const merged = (files: Files, before: Division, mine: Division, theirs: Division): Division | null => {
  if (isSame(mine, theirs)) return theirs;
  const { gone, fresh } = changesOf(before, mine);
  const there = signaturesOf(theirs);
  if (!gone.every((piece) => there.has(signatureOf(piece)))) return null;
  const goes = signaturesOf(gone);
  const rest = theirs.filter((piece) => !goes.has(signatureOf(piece)));
  const stays = signaturesOf(rest);
  const added = fresh.filter((piece) => !stays.has(signatureOf(piece)));
  const assigned = new Set(rest.flatMap(sheetsOf).map(keyOf));
  if (added.flatMap(sheetsOf).some((sheet) => assigned.has(keyOf(sheet)))) return null;
  return ordered(files, [...rest, ...added]);
};

/** As the API takes it. */
export const askedOf = (division: Division) =>
  division.map(({ name, fileName, pages }) => ({ name, file_name: fileName, pages: [...pages] }));

/** Pages, for people; a file without pages has none. */
export const pagesText = (pages: readonly number[]): string =>
  pages.length === 0 ? '' : `${pages.length === 1 ? 'page' : 'pages'} ${rangesOf(pages)}`;

/** `pages 3, 5 of bundle.pdf`. */
export const sheetsText = (sheets: readonly Sheet[]): string =>
  [...Map.groupBy(sheets, ({ fileName }) => fileName)]
    .map(([fileName, sheetsOfFile]) => {
      const pages = sheetsOfFile.flatMap(({ page }) => (page > 0 ? [page] : [])).sort((a, b) => a - b);
      return pages.length === 0 ? fileName : `${pagesText(pages)} of ${fileName}`;
    })
    .join(', ');
