import type { ReadingDoubt } from '../review.ts';
import { shorten } from '../text.ts';
import type { Pages } from './part.ts';

const MOST_SHOWN = 200;

/** Numbers as people write them: `3–5, 8`. */
export const rangesOf = (pages: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last?.[1] === page - 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
};

/** The way to a file within the one that a run was given, which may be called otherwise in another run; '' of that one itself. */
export const wayWithin = (fileName: string): string => fileName.split(' › ').slice(1).join(' › ');

/** Which pages of which file, for people; a file without pages is only named. */
export const shownPages = ({ fileName, pages }: Pages): string => {
  if (pages.length === 0) return fileName;
  const numbers = shorten(rangesOf(pages), MOST_SHOWN);
  return `${fileName}, ${pages.length === 1 ? 'page' : 'pages'} ${numbers}`;
};

/** Why the documents of a run should be looked at some of whose pages are in no part; null if there are none. */
export const unassignedDoubt = (unassigned: readonly Pages[]): ReadingDoubt | null => {
  if (unassigned.length === 0) return null;
  const [first, ...others] = unassigned.map(shownPages);
  const more = others.length === 0 ? '' : `, and something of ${others.length} more files`;
  return { code: 'unassigned_pages', message: `Nobody reads ${first}${more}: it is in no part.` };
};
