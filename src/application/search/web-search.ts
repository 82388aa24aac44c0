import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import { shorten, storable } from '../../domain/text.ts';
import { type ModelContent, ModelError, type Models, type SourcePart, type StepRequest } from '../ports/models.ts';
import type { Ids } from '../ports/runtime.ts';
import type { PageReader, SearchProvider, SearchResult } from '../ports/search.ts';
import { deadline } from '../shared/async.ts';
import { caution } from '../shared/fence.ts';
import { renumbered, withoutCitations } from './citations.ts';
import { passages, termsOf } from './relevance.ts';

type Source = Pick<SourcePart, 'title' | 'url'>;

interface WebAnswer {
  /** Its `[n]` is the n-th source. */
  readonly summary: string;
  /** In the order they are cited, every one fetched and read. */
  readonly sources: readonly Source[];
}

export interface WebSearchSettings {
  /** `offline`, `openai/<model>` or `anthropic/<model>`. */
  readonly searchModel: string;
  /** For all pages together: the summary is written from those that are read by then. */
  readonly readingSeconds?: number;
}

interface Dependencies {
  readonly provider: SearchProvider;
  readonly pages: PageReader;
  readonly models: Models;
  readonly ids: Pick<Ids, 'nonce'>;
  readonly settings: WebSearchSettings;
}

/** More than are read, because not every page can be. */
const SOUGHT = 10;
const READ = 5;
const READING_SECONDS = 20;
const MAX_EXTRACT = 12_000;
/** A token is seldom less than three characters; half of the window is for everything else. */
const CHARACTERS_PER_TOKEN = 1.5;
const MAX_SUMMARY = 20_000;
const MAX_TITLE = 300;

/** Stands behind a summary that is not whole. */
const CUT = '…\n\nThe summary ends here, because it became too long.';

const NOTHING_FOUND = 'The search found no page about this.';
const nothingRead = (pages: number) =>
  pages === 1
    ? 'The search found one page, which could not be read.'
    : `The search found ${pages} pages, none of which could be read.`;

/** One line, of whole characters. */
const titleOf = ({ title, url }: Source): string => {
  const line = storable(title).replace(/\s+/g, ' ').trim();
  return shorten(line, MAX_TITLE) || new URL(url).hostname || url;
};

/** As RFC 3986 spells it: browsers let more characters stand. */
const addressOf = (text: string): string => {
  const { href, pathname, search, hash } = new URL(text);
  const rest = pathname + search + hash;
  const spelled = rest.replace(/[[\]{}|\\^`<>"]/g, encodeURIComponent).replace(/%(?![0-9a-f]{2})/gi, '%25');
  return href.slice(0, href.length - rest.length) + spelled;
};

export const webSearchService = ({ provider, pages, models, ids, settings }: Dependencies) => {
  const { searchModel: model, readingSeconds = READING_SECONDS } = settings;

  /** The first pages that can be read, in the order they were found; one that cannot gives way to the next. */
  const readFirst = async (
    caller: Caller,
    results: readonly SearchResult[],
    extract: (text: string) => string,
    signal: AbortSignal,
  ) => {
    const timeUp = deadline(readingSeconds);
    const either = AbortSignal.any([signal, timeUp]);
    const read: { readonly rank: number; readonly source: Source; readonly text: string }[] = [];
    const queue = results.entries();
    const lane = async () => {
      for (const [rank, result] of queue) {
        const page = await pages.read(result.url, caller, either).catch((error: unknown) => {
          signal.throwIfAborted();
          if (timeUp.aborted) return null;
          throw error;
        });
        if (page === null) continue;
        const url = addressOf(page.url);
        if (read.some(({ source }) => source.url === url)) continue;
        read.push({ rank, source: { title: titleOf({ title: result.title, url }), url }, text: extract(page.text) });
        return;
      }
    };
    await Promise.all(Array.from({ length: READ }, lane));
    return read.sort((a, b) => a.rank - b.rank);
  };

  const ask = async (request: StepRequest, signal: AbortSignal): Promise<string> => {
    try {
      const { text, finish } = await models.step(request, signal);
      const end = finish === 'length' || text.length > MAX_SUMMARY ? CUT : '';
      const summary = storable(text.slice(0, MAX_SUMMARY - end.length)).trim();
      if (summary !== '') return summary + end;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      throw new DomainError('unavailable', `The pages that were found cannot be summed up: ${error.message}`, {
        cause: error,
      });
    }
    throw new DomainError('unavailable', 'The pages that were found cannot be summed up: the model answered nothing.');
  };

  const summarise = async (query: string, shown: readonly Omit<SourcePart, 'type'>[], signal: AbortSignal) => {
    const content: ModelContent[] = [{ type: 'text', text: query }, ...shown.map(sourcePart)];
    const fence = ids.nonce();
    const request = {
      model,
      instructions: searchInstructions(fence),
      fence,
      messages: [{ role: 'user' as const, content }],
      tools: [],
      outputSchema: null,
    };
    const answer = await ask(request, signal);
    const isShown = (number: number) => number >= 1 && number <= shown.length;
    const checked = renumbered(answer, isShown);
    if (checked.cited.length > 0) return checked;
    // A summary that names no source cannot be checked: at least it lists the pages that it was written from.
    return renumbered(`${checked.text}\n\nPages read: ${shown.map(({ number }) => `[${number}]`).join('')}`, isShown);
  };

  return {
    async search(caller: Caller, query: string, signal: AbortSignal): Promise<WebAnswer> {
      const results = await provider.search(query, { limit: SOUGHT }, signal);
      if (results.length === 0) return { summary: NOTHING_FOUND, sources: [] };
      const terms = termsOf(query);
      const room = Math.min(
        MAX_EXTRACT,
        Math.floor((models.traits(model).contextTokens * CHARACTERS_PER_TOKEN) / READ),
      );
      const read = await readFirst(caller, results, (text) => passages(text, terms, room), signal);
      if (read.length === 0) return { summary: nothingRead(results.length), sources: [] };
      const shown = read.map(({ source, text }, index) => ({ ...source, number: index + 1, text }));
      const { text: summary, cited } = await summarise(query, shown, signal);
      return { summary, sources: cited.flatMap((number) => read[number - 1]?.source ?? []) };
    },
  };
};

export type WebSearchService = ReturnType<typeof webSearchService>;

const searchInstructions = (fence: string): string => `You answer a question from web pages that were found for it.
Each page stands in its own <source-${fence}>, which has a number.
Answer in a few sentences, in the language of the question, and from the sources alone. After each statement name the sources it rests on by their numbers in square brackets, such as [1] or [2][3].
Where the sources disagree, say so. Where they do not answer the question, say that.
Write no list of sources, no links, and nothing else in square brackets.
${caution(fence)}`;

/** A page as a model is shown it: nothing in it looks like a citation. */
export const sourcePart = ({ number, title, url, text }: Omit<SourcePart, 'type'>): SourcePart => ({
  type: 'source',
  number,
  title: withoutCitations(title),
  url: withoutCitations(url),
  text: withoutCitations(text),
});
