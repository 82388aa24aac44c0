/** Line breaks and runs of blanks are layout: a quote stands in a text when it does so with each run of them as one blank. */
export const blanksFolded = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Finds where a quote stands in a text, both with their blanks folded; -1: nowhere. Quotes come in the order of the text, so that each search
 * begins where the last one ended.
 */
export const quoteSearch = (text: string): ((quote: string) => number) => {
  let from = 0;
  return (quote) => {
    const ahead = text.indexOf(quote, from);
    const place = ahead === -1 && from > 0 ? text.indexOf(quote) : ahead;
    if (place !== -1) from = place;
    return place;
  };
};
