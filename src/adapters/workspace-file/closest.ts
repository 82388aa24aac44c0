/** Edit distance with transpositions (optimal string alignment). */
const distance = (a: string, b: string): number => {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const least = Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(swapped ? Math.min(least, (beforePrevious[column - 2] ?? 0) + 1) : least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
};

const LONGEST_WORD = 60;

/** The word that was probably meant, where one is near enough to be worth naming. */
export const closest = (word: string, words: readonly string[]): string | undefined => {
  if (word.length > LONGEST_WORD) return undefined;
  const near = words
    .map((candidate) => ({ candidate, away: distance(word.toLowerCase(), candidate) }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(Math.max(candidate.length, word.length) / 3)))
    .sort((a, b) => a.away - b.away);
  return near[0]?.candidate;
};

/** ` did you mean …?`, or the whole choice where nothing is near. */
export const suggestion = (word: string, words: readonly string[]): string => {
  const meant = closest(word, words);
  return meant === undefined ? `there are ${words.join(', ')}` : `did you mean ${meant}?`;
};
