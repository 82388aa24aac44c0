import type { SourcePart } from '../ports/models.ts';
import { caution } from '../turns/fence.ts';
import { withoutCitations } from './citations.ts';

export const searchInstructions = (fence: string): string => `You answer a question from web pages that were found for it.
Each page stands in its own <source-${fence}>, which has a number.
Answer in a few sentences, in the language of the question, and from the sources alone. After each statement name the sources it rests on by their numbers in square brackets, such as [1] or [2][3].
Where the sources disagree, say so. Where they do not answer the question, say that.
Write no list of sources, no links, and nothing else in square brackets.
${caution(fence)}`;

/** A page as a model is shown it: nothing in it looks like a citation. */
export const sourcePart = ({ number, title, url, text }: Omit<SourcePart, 'type'>): SourcePart => ({
  ...{ type: 'source', number, title: withoutCitations(title), url: withoutCitations(url), text: withoutCitations(text) },
});
