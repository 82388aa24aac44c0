import { statSync } from 'node:fs';
import path from 'node:path';
import { ContainerModule } from 'inversify';
import { corpus } from '../../adapters/search/corpus.ts';
import { searxng } from '../../adapters/search/searxng.ts';
import { tavily } from '../../adapters/search/tavily.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import type { Models } from '../../application/ports/models.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type * as ports from '../../application/ports/search.ts';
import { webPages } from '../../application/search/web-pages.ts';
import { invalid } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import { type Opened, token } from '../module.ts';

export const SearchProvider = token<ports.SearchProvider>('SearchProvider');
export const PageReader = token<ports.PageReader>('PageReader');

const demoPages = path.resolve(import.meta.dirname, '../../../demo/pages');

/** The first search engine that a setting names; null if none does. */
const engineOf = async (
  { searxngUrl, braveApiKey, tavilyApiKey }: Config,
  outbound: Outbound,
): Promise<ports.SearchProvider | null> => {
  if (searxngUrl !== null) return searxng({ url: searxngUrl, outbound });
  // The only one that answers HTML, for which it needs a parser.
  if (braveApiKey !== null)
    return (await import('../../adapters/search/brave.ts')).brave({ apiKey: braveApiKey, outbound });
  return tavilyApiKey === null ? null : tavily({ apiKey: tavilyApiKey, outbound });
};

/** What is wrong stops the start, not the first search. */
const mustBeUsable = ({ searchCorpusDir: folder, searchModel }: Config, models: Models) => {
  if (folder !== null && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw invalid({ path: 'SEARCH_CORPUS_DIR', message: 'must be a folder that is there' });
  const defect = models.defect(searchModel);
  if (defect !== null) throw invalid({ path: 'SEARCH_MODEL', message: `cannot be used: ${defect}` });
};

interface Needed {
  readonly outbound: Outbound;
  readonly models: Models;
  readonly log: Log;
}

/** Web search. Processes of its own read its pages, so that neither they nor the files of runs wait for the other. */
export const search = async (config: Config, { outbound, models, log }: Needed): Promise<Opened> => {
  mustBeUsable(config, models);
  const text = textExtractor({ timeoutSeconds: 10, memoryMegabytes: 256, maxCharacters: 60_000 });
  const engine = await engineOf(config, outbound);
  const folder = config.searchCorpusDir === null ? demoPages : path.resolve(config.searchCorpusDir);
  const module = new ContainerModule(({ bind }) => {
    if (engine === null) {
      const pages = corpus({ folder, text, log });
      bind(SearchProvider).toConstantValue(pages);
      bind(PageReader).toConstantValue(pages);
    } else {
      bind(SearchProvider).toConstantValue(engine);
      bind(PageReader).toConstantValue(webPages({ outbound, text, log }));
    }
  });
  return { module, close: () => text.close() };
};
