import { counted, relevance } from './relevance.ts';

const LONGEST_PARAGRAPH = 1_000;
const GAP = '\n[…]\n';

/** Paragraphs, those that are too long in pieces that end where a word does. */
const paragraphsOf = (text: string): readonly string[] =>
  text.split(/\n\s*\n/).flatMap((paragraph) => {
    const pieces: string[] = [];
    let rest = paragraph.trim();
    while (rest.length > LONGEST_PARAGRAPH) {
      const end = Math.max(rest.lastIndexOf(' ', LONGEST_PARAGRAPH), rest.lastIndexOf('\n', LONGEST_PARAGRAPH));
      const cut = end > 0 ? end : LONGEST_PARAGRAPH;
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return rest === '' ? pieces : [...pieces, rest];
  });

/** At most `room` characters of a text: how it begins, and the paragraphs that fit the terms best, in their order. */
export const passages = (text: string, terms: readonly string[], room: number): string => {
  if (text.length <= room) return text;
  const paragraphs = paragraphsOf(text);
  const scores = relevance(terms, paragraphs.map(counted));
  const order = [...paragraphs.keys()].sort(
    (a, b) => (b === 0 ? 1 : 0) - (a === 0 ? 1 : 0) || (scores[b] ?? 0) - (scores[a] ?? 0) || a - b,
  );
  const chosen = new Set<number>();
  let left = room;
  for (const index of order) {
    const cost = (paragraphs[index]?.length ?? 0) + GAP.length;
    if (cost > left) continue;
    chosen.add(index);
    left -= cost;
  }
  if (chosen.size === 0) return text.slice(0, room).toWellFormed();
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index, at, all) => `${at === 0 ? '' : all[at - 1] === index - 1 ? '\n\n' : GAP}${paragraphs[index]}`)
    .join('');
};
