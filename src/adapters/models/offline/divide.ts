import type { DocumentPart, ModelMessage } from '../../../application/ports/models.ts';
import { isObject } from '../../../domain/json.ts';
import type { ClaimedPart, DivisionQuestion, EarlierPart } from '../../../domain/routing/question.ts';
import { isBlank, separates } from '../../../domain/routing/sheets.ts';
import { type Family, familiesIn, marksOf, type PageMarks, plain } from './page-marks.ts';

interface Page {
  readonly number: number;
  readonly marks: PageMarks;
  readonly text: string;
  /** Whether it stands behind a blank page or a separator sheet, or is the first. */
  readonly isFresh: boolean;
}

/** Pages that belong together, as far as they were seen. */
interface Group {
  readonly pages: Page[];
  /** The number of an earlier part that it goes on with. */
  readonly continues: number | null;
  /** Its marks, of all its pages together. */
  family: Family | null;
  numbers: ReadonlyMap<Family, string>;
  readonly ids: Set<string>;
  supplier: string | null;
  readonly places: Set<number>;
  of: number | null;
}

/** Of what a page has several numbers, the one of its own kind is its own; else the first of these kinds. */
const ownNumber = ({ family, numbers }: Pick<PageMarks, 'family' | 'numbers'>): readonly [Family, string] | null => {
  const number = family === null ? undefined : numbers.get(family);
  if (family !== null && number !== undefined) return [family, number];
  const [first] = numbers;
  return first ?? null;
};

const meet = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === 0 || b.size === 0 || [...a].some((each) => b.has(each));

const isSameSupplier = (group: Group, { ids, supplier }: PageMarks) =>
  (group.supplier === null || supplier === null || group.supplier === supplier) && meet(group.ids, ids);

const add = (group: Group, page: Page) => {
  const { marks } = page;
  group.pages.push(page);
  group.family ??= marks.family;
  group.numbers = new Map([...marks.numbers, ...group.numbers]);
  for (const id of marks.ids) group.ids.add(id);
  group.supplier ??= marks.supplier;
  if (marks.place !== null) group.places.add(marks.place.at);
  group.of ??= marks.place?.of ?? null;
};

const begin = (page: Page): Group => {
  const group: Group = {
    pages: [],
    continues: null,
    family: null,
    numbers: new Map(),
    ids: new Set(),
    supplier: null,
    places: new Set(),
    of: null,
  };
  add(group, page);
  return group;
};

/** Whether the page can be one of the group: no page of it has its place, and none is the same page again. */
const isFree = (group: Group, { marks: { place }, text }: Page) =>
  (place === null || !group.places.has(place.at)) && !group.pages.some((page) => page.text === text);

/** The group that has the number of the page: the latest one, so that a second copy is filled up with its own pages. */
const byNumber = (groups: readonly Group[], page: Page, [family, number]: readonly [Family, string]) =>
  groups.findLast(
    (group) => group.numbers.get(family) === number && isSameSupplier(group, page.marks) && isFree(group, page),
  );

/** The group whose next page is this one. */
const byPlace = (groups: readonly Group[], current: Group | null, page: Page, at: number) => {
  const fits = (group: Group) => isSameSupplier(group, page.marks) && isFree(group, page);
  const follows = groups.filter((group) => fits(group) && group.places.has(at - 1));
  if (current !== null && follows.includes(current)) return current;
  return (
    follows.at(-1) ??
    (current !== null && fits(current) ? current : groups.findLast((group) => fits(group) && group.of !== null))
  );
};

/** The group that the page goes on with; null if it is a first page. */
const groupOf = (groups: readonly Group[], current: Group | null, page: Page): Group | null => {
  const { marks, isFresh } = page;
  const { place, isContinued, family } = marks;
  const number = ownNumber(marks);
  const known = number === null ? undefined : byNumber(groups, page, number);
  if (known !== undefined) return known;
  const later = place !== null && place.at > 1;
  const isOther = number !== null && current !== null && ownNumber(current) !== null;
  if (later && !isOther) return byPlace(groups, current, page, place.at) ?? null;
  if (place?.at === 1 || isOther) return null;
  if (current === null || !isFree(current, page) || !isSameSupplier(current, marks)) return null;
  if (isContinued) return current;
  if (isFresh || number !== null) return null;
  return family === null ? current : null;
};

const titlesOf = ({ name, description, read_by }: DivisionQuestion['parts'][number]) =>
  `${name} ${description} ${read_by ?? ''}`;

const STEM = 5;

/** How many words that say what a part is stand at the top of the page, by their beginnings. */
const wordsAt = (top: string, about: string) =>
  (plain(about).match(/\p{L}{4,}/gu) ?? []).filter((word) =>
    new RegExp(`(?<!\\p{L})${word.slice(0, STEM)}`, 'u').test(top),
  ).length;

const OTHERS =
  /(?<!\p{L})(other|others|else|rest|misc|miscellaneous|anything|sonstig\p{L}*|ander\p{L}*|autre|autres|divers)(?!\p{L})/u;

/** What a group is, by its title or else by the words at its top; null if nothing says so. */
const kindOf = ({ parts }: DivisionQuestion, { family, numbers, pages }: Group, isCover: boolean) => {
  const families = family === null ? [...numbers.keys()].slice(0, 1) : [family];
  // A mail speaks of what is attached to it.
  if (isCover && numbers.size === 0) return byDefault(parts, isCover);
  const named = parts.find((part) => familiesIn(part.name).some((each) => families.includes(each)));
  const told = named ?? parts.find((part) => familiesIn(titlesOf(part)).some((each) => families.includes(each)));
  if (told !== undefined) {
    if (family === null) return { name: told.name, confidence: 0.7 };
    return { name: told.name, confidence: numbers.has(family) ? 0.95 : 0.85 };
  }
  const top = pages[0]?.marks.top ?? '';
  const [best] = parts
    .map((part) => ({ part, count: family === null ? wordsAt(top, `${part.name} ${part.description}`) : 0 }))
    .sort((a, b) => b.count - a.count);
  if (best !== undefined && best.count > 0 && !isCover) return { name: best.part.name, confidence: 0.6 };
  return byDefault(parts, isCover);
};

const byDefault = (parts: DivisionQuestion['parts'], isCover: boolean) => {
  const rest = parts.find((part) => part.read_by === null && OTHERS.test(plain(`${part.name} ${part.description}`)));
  const readers = parts.filter((part) => part.read_by !== null);
  const only = readers.length === 1 && parts.length === 1 && !isCover ? readers[0] : undefined;
  const chosen = rest ?? only;
  return chosen === undefined ? null : { name: chosen.name, confidence: 0.5 };
};

const earlierGroup = ({ part, quote }: EarlierPart): Group => {
  const marks = marksOf(quote ?? '');
  return {
    pages: [],
    continues: part,
    family: marks.family,
    numbers: marks.numbers,
    ids: new Set(),
    supplier: null,
    places: new Set(),
    of: null,
  };
};

const questionIn = (messages: readonly ModelMessage[]): DivisionQuestion | null => {
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const content of message.content) {
      if (content.type !== 'note') continue;
      const value: unknown = JSON.parse(content.text);
      if (isObject(value)) return value as unknown as DivisionQuestion;
    }
  }
  return null;
};

function* groupsIn(document: DocumentPart, question: DivisionQuestion): Generator<void, readonly Group[]> {
  const groups = question.earlier.map(earlierGroup);
  let current: Group | null = null;
  let isFresh = true;
  for (const { number, text } of document.pages) {
    yield;
    const sheet = { page: number ?? 1, text, isUnread: false };
    if (isBlank(sheet) || separates(sheet, question.separators)) {
      isFresh = true;
      continue;
    }
    const page: Page = { number: number ?? 0, marks: marksOf(text), text, isFresh };
    const known: Group | null = groupOf(groups, current, page);
    if (known === null) {
      current = begin(page);
      groups.push(current);
    } else {
      add(known, page);
      current = known;
    }
    isFresh = false;
  }
  return groups;
}

/** Divides pages at first pages (a title or a number that begins anew, "page 1 of n", another supplier), blank pages and separator sheets. */
export function* divide(messages: readonly ModelMessage[]): Generator<void, string> {
  const question = questionIn(messages);
  const documents = messages.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((content) => (content.type === 'document' ? content : [])) : [],
  );
  const parts: ClaimedPart[] = [];
  for (const document of question === null ? [] : documents) {
    const division = question as DivisionQuestion;
    for (const group of yield* groupsIn(document, division)) {
      const [first] = group.pages;
      if (first === undefined) continue;
      const earlier = division.earlier.find(({ part }) => part === group.continues);
      const kind = earlier ? { name: earlier.name, confidence: 0.8 } : kindOf(division, group, division.covers_others);
      if (kind === null) continue;
      parts.push({
        ...kind,
        pages: group.pages.map(({ number }) => number).filter((number) => number > 0),
        continues: group.continues,
        quote: first.marks.quote,
        page: first.number > 0 ? first.number : null,
      });
    }
  }
  return JSON.stringify({ parts });
}
