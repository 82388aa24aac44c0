import { distance } from 'fastest-levenshtein';
import { shorten } from '../../domain/text.ts';

const MOST_CANDIDATES = 2000;
const LONGEST_NAME = 100;
const MOST_SHOWN = 3;

/** ` Did you mean a or b?` if some names are near, else an empty text. */
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

/** A name that the caller wrote, short enough for an error. */
export const shown = (name: string): string => shorten(name, LONGEST_SHOWN);

/** Of two columns of one name the second is `name_2`: an object would silently lose one. */
export const distinctNames = (names: readonly string[]): readonly string[] => {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique) || (unique !== name && taken.has(unique)); count += 1)
      unique = `${name}_${count}`;
    used.add(unique);
    return unique;
  });
};
