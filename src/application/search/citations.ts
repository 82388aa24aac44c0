/** A text whose `[1]`, `[2]`, … are numbers in a list of their own, in the order they are first cited. */
interface Cited {
  readonly text: string;
  /** What `[1]`, `[2]`, … were called before. */
  readonly cited: readonly number[];
}

const NUMBER = String.raw`\^?\d{1,9}(?:\s?[-–]\s?\d{1,9})?`;
/** `[1]`, and what models write instead: `[1, 2]`, `[1-3]`, `[^1]`, `[1](https://…)`. */
const citation = new RegExp(
  String.raw`\[(${NUMBER}(?:\s?[,;]\s?${NUMBER}){0,19})\](?:\((?:https?:|#)[^\s()]*\))?`,
  'g',
);
const ornate = /【(\d{1,9})(?:†[^【】]{0,100})?】/g;
/** What would be read as a citation once something between was taken out. */
const leftover = /\[(?=[\s,;^–-]*\d[\s\d,;^–-]*\])/g;

const numbersIn = (list: string): readonly number[] =>
  list.split(/[,;]/).flatMap((part) => {
    const [first = 0, last = first] = part.replaceAll('^', '').split(/[-–]/).map(Number);
    return Array.from({ length: Math.min(Math.max(last - first, 0), 20) + 1 }, (_, index) => first + index);
  });

/** It stands for a citation while the rest is made safe; texts are read without it. */
const PLACEHOLDER = '\ue000';
const plain = (text: string) => text.replaceAll(PLACEHOLDER, '');

/** Without the blank that stood before what is taken out, unless a word follows. */
const closedUp = (before: string, next: string) =>
  /[\p{L}\p{N}]/u.test(next) ? before : before.replace(/(?<![ \t])[ \t]+$/, '');

/** Takes out citations of what is not there, and numbers the others in the order they come. */
export const renumbered = (answer: string, isThere: (number: number) => boolean): Cited => {
  const cited: number[] = [];
  const replacements: string[] = [];
  const text = plain(answer).replace(ornate, '[$1]');
  let kept = '';
  let end = 0;
  for (const match of text.matchAll(citation)) {
    const known = [...new Set(numbersIn(match[1] ?? ''))].filter(isThere);
    for (const number of known) if (!cited.includes(number)) cited.push(number);
    const before = text.slice(end, match.index);
    end = match.index + match[0].length;
    kept += known.length > 0 ? before + PLACEHOLDER : closedUp(before, text.slice(end, end + 1));
    if (known.length > 0) replacements.push(known.map((number) => `[${cited.indexOf(number) + 1}]`).join(''));
  }
  const safe = (kept + text.slice(end)).replace(leftover, '(');
  let next = 0;
  return { text: safe.replaceAll(PLACEHOLDER, () => replacements[next++] ?? ''), cited };
};

/** A text in which nothing looks like a citation. */
export const withoutCitations = (text: string): string =>
  plain(text).replace(ornate, '').replaceAll('【', '(').replace(citation, '').replace(leftover, '(');
