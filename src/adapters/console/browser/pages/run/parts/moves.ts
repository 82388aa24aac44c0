import {
  begun,
  besideOf,
  type Division,
  joined,
  keyOf,
  moved,
  placeOf,
  renamed,
  type Sheet,
  sheetOf,
  sheetsOf,
  sheetsText,
  splitAt,
  taken,
} from '../../../division/division.ts';
import { notify } from '../../../parts/notice.tsx';
import type { Divided } from './use-division.ts';
import type { PageSelection } from './use-selection.ts';

const STAYS = 'Pages stay with their file: ';

/** Of a page that is in no part, the part of its file that begins before it, or the next one that begins after it. */
const nearest = (division: Division, { fileName, page }: Sheet, step: 1 | -1): number => {
  const isThere = ({ fileName: other, pages: [first = 0] }: Division[number]) =>
    other === fileName && first > 0 && (step === 1 ? first > page : first < page);
  return step === 1 ? division.findIndex(isThere) : division.findLastIndex(isThere);
};

/** What a person may do with the pages that they have selected, or else with the one that has the focus. */
export const movesOf = (divided: Divided, selection: PageSelection, names: readonly string[]) => {
  const { files, now, change } = divided;
  const nameOf = (place: number, division: Division) => `part ${place + 1}, ${division[place]?.name}`;

  /** Shows what became of the pages, and keeps the focus with them. */
  const done = (next: Division, sheets: readonly Sheet[], what: (place: number) => string) => {
    const [first] = sheets;
    if (first === undefined || !change(next, what(placeOf(next, first)))) return;
    selection.focus(selection.focused ?? keyOf(first));
  };

  const about = (): readonly Sheet[] => {
    if (selection.meant.length === 0)
      notify('Select a page first: click on it, or go to it by Tab and the arrows.', true);
    return selection.meant.map(sheetOf);
  };

  const moveTo = (place: number, sheets: readonly Sheet[]) => {
    const target = now[place];
    if (target === undefined) return;
    const ofFile = sheets.filter(({ fileName, page }) => fileName === target.fileName && page > 0);
    const others = sheets.filter((sheet) => !ofFile.includes(sheet));
    if (ofFile.length === 0 || target.pages.length === 0)
      return notify(
        `${STAYS}${sheetsText(sheets)} cannot be in a part of ${target.fileName}. A new part can have it.`,
        true,
      );
    done(
      moved(files, now, ofFile, place),
      ofFile,
      (at) =>
        `${sheetsText(ofFile)} moved to ${nameOf(at, moved(files, now, ofFile, place))}.${others.length > 0 ? ` ${STAYS}${sheetsText(others)} stays.` : ''}`,
    );
  };

  const begin = (name: string, sheets: readonly Sheet[]) => {
    const next = begun(files, now, sheets, name);
    done(next, sheets, (at) => `${sheetsText(sheets)} is now ${nameOf(at, next)}, a new part.`);
  };

  const toNone = (sheets: readonly Sheet[]) =>
    done(taken(files, now, sheets), sheets, () => `${sheetsText(sheets)} is in no part.`);

  /** What a new part of these is called, until a person says otherwise: like the part that they come from. */
  const usualName = (sheets: readonly Sheet[]) => (sheets[0] && now[placeOf(now, sheets[0])]?.name) ?? names[0] ?? '';

  const moveBeside = (step: 1 | -1) => {
    const sheets = about();
    const sheet = step === 1 ? sheets.at(-1) : sheets[0];
    if (sheet === undefined) return;
    const place = placeOf(now, sheet);
    const to = place === -1 ? nearest(now, sheet, step) : besideOf(now, place, step);
    if (to === -1)
      return notify(`There is no part of ${sheet.fileName} ${step === 1 ? 'after' : 'before'} this one.`, true);
    moveTo(to, sheets);
  };

  const split = () => {
    const [name] = selection.focused ? [selection.focused] : selection.meant;
    const sheet = name === undefined ? about()[0] : sheetOf(name);
    if (sheet === undefined) return;
    if (placeOf(now, sheet) === -1) return begin(usualName([sheet]), [sheet]);
    const next = splitAt(files, now, sheet);
    if (next === now) return notify('The part begins with this page already.', true);
    done(next, [sheet], (at) => `A new part begins at page ${sheet.page} of ${sheet.fileName}: ${nameOf(at, next)}.`);
  };

  const join = (place: number) => {
    const piece = now[place];
    const before = besideOf(now, place, -1);
    if (piece === undefined || before === -1) return notify('There is no part of the same file before this one.', true);
    const next = joined(files, now, place);
    done(next, sheetsOf(piece), (at) => `${sheetsText(sheetsOf(piece))} joined to ${nameOf(at, next)}.`);
  };

  return {
    about,
    /** The focus stays with its page, which may be in another part now. */
    undo: () => {
      divided.undo();
      selection.focus(selection.focused ?? undefined);
    },
    moveTo,
    begin,
    toNone,
    usualName,
    moveBeside,
    split,
    join,
    joinFocused: () => {
      const [sheet] = selection.focused ? [sheetOf(selection.focused)] : about();
      if (sheet !== undefined) join(placeOf(now, sheet));
    },
    rename: (place: number, name: string) => {
      const next = renamed(now, place, name);
      change(next, `Part ${place + 1} is now ${name}.`);
    },
  };
};

export type Moves = ReturnType<typeof movesOf>;
