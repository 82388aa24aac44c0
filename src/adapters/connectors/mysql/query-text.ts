import { refused } from '../errors.ts';

/**
 * In the mode of our sessions: a backslash escapes in texts, and nothing does in names. A text that is not closed is read in one way only: each
 * repetition begins with a sign that the one before it cannot have.
 */
const PIECES =
  /'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'|"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*"|`[^`]*(?:``[^`]*)*`|(?<comment>\/\*[\s\S]*?\*\/|#[^\n]*|--(?=[ \t\n\v\f\r]|$)[^\n]*)|(?<open>['"`]|\/\*|--)/g;

const blank = (comment: string) => comment.replaceAll(/[^\n]/g, ' ');

/**
 * What is examined and then run of a query: its comments are spaces, so that nothing is read as a comment by the parser and as
 * something else by the server, and everything stays at its place; nothing stands behind it.
 */
export const withoutComments = (text: string): string =>
  text
    .replaceAll(PIECES, (piece, ...rest) => {
      const { comment, open } = rest.at(-1) as { readonly comment?: string; readonly open?: string };
      if (open === '--') throw refused('A query cannot use -- without a space behind it: write "- -" or "-- ".');
      if (open !== undefined) throw refused(`The query has a ${open} that is not closed.`);
      if (comment === undefined) return piece;
      if (/^\/\*M?!/.test(comment))
        throw refused('A query cannot use comments that the server runs, which begin with /*! or /*M!.');
      return blank(comment);
    })
    .replace(/(?<![;\s])[;\s]+$/, '');
