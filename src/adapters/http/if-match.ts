import { about, optional } from '../../wire/kit/structures.ts';
import { text } from '../../wire/kit/values.ts';
import { EXAMPLE_TAG } from './conditional.ts';

const TAG = '"[!#-~]*"';
const LIST = new RegExp(`^(W/)?${TAG}(, *(W/)?${TAG})*$`);

/** The header `If-Match` of an operation on such a thing. */
export const ifMatchOf = (thing: string) =>
  about(
    `The \`ETag\` of the ${thing} as you read it. Required: without it the answer is 428.`,
    optional(text({ max: 1000, pattern: LIST, expected: `the ETag of a ${thing}` })),
    EXAMPLE_TAG,
  );

/** Whether a thing is as the header says, by strong comparison (RFC 9110 section 13.1.1); null without the header. */
export const matching = <T>(ifMatch: string | undefined, tagOf: (thing: T) => string) => {
  if (ifMatch === undefined) return null;
  const tags = new Set(ifMatch.split(',').map((tag) => tag.trim()));
  return (thing: T) => tags.has(tagOf(thing));
};
