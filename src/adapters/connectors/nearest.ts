const MOST_CANDIDATES = 2000;
const LONGEST_NAME = 100;
const MOST_SHOWN = 3;

/** Levenshtein's distance, one row at a time. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
};

/** ` Did you mean a or b?` where some names are near, else nothing. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  if (name.length > LONGEST_NAME) return '';
  const wanted = name.toLowerCase();
  const most = Math.max(1, Math.floor(name.length / 3));
  const near = names
    .slice(0, MOST_CANDIDATES)
    .filter((candidate) => Math.abs(candidate.length - name.length) <= most)
    .map((candidate) => ({ candidate, away: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ away }) => away <= most)
    .sort((a, b) => a.away - b.away)
    .slice(0, MOST_SHOWN);
  return near.length === 0 ? '' : ` Did you mean ${near.map(({ candidate }) => candidate).join(' or ')}?`;
};

const LONGEST_SHOWN = 200;

/** A name of the caller's as it may stand in an error. */
export const shown = (name: string): string => (name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name);
