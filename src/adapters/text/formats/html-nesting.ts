import { Parser } from 'htmlparser2';
import { Unreadable } from '../text.ts';

/** The time that a parser takes grows with the square of the depth; browsers show no more than 512 elements in each other. */
export const MAX_DEPTH = 1000;

/** Refuses a page with too many elements in each other: the parser of all readers of HTML meets them here first, and keeps none. */
export const refuseDeep = (html: string): void => {
  let depth = 0;
  const parser = new Parser({
    onopentagname: () => {
      depth += 1;
      if (depth > MAX_DEPTH) throw new Unreadable('has too many elements in each other');
    },
    onclosetag: () => {
      depth -= 1;
    },
  });
  parser.end(html);
};
