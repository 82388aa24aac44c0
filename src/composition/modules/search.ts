import { statSync } from 'node:fs';
import path from 'node:path';
import { ContainerModule } from 'inversify';
import { brave } from '../../adapters/search/brave.ts';
import { corpus } from '../../adapters/search/corpus.ts';
import { searxng } from '../../adapters/search/searxng.ts';
import { tavily } from '../../adapters/search/tavily.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import type { Models } from '../../application/ports/models.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import type { Ids, Log } from '../../application/ports/runtime.ts';
import type { PageReader, SearchProvider } from '../../application/ports/search.ts';
import type { TextExtractor } from '../../application/ports/text.ts';
import { webPages } from '../../application/search/web-pages.ts';
import { webSearchService } from '../../application/search/web-search.ts';
import { invalid } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import { provider } from '../provide.ts';
import type { Resource } from '../resource.ts';
import { port, service } from '../tokens.ts';

const demoPages = path.resolve(import.meta.dirname, '../../../demo/pages');

/** The first search engine that a setting names; null where none does. */
const engineOf = (config: Config, outbound: Outbound): SearchProvider | null => {
  const { searxngUrl, braveApiKey, tavilyApiKey } = config;
  if (searxngUrl !== null) return searxng({ url: searxngUrl, outbound });
  if (braveApiKey !== null) return brave({ apiKey: braveApiKey, outbound });
  return tavilyApiKey === null ? null : tavily({ apiKey: tavilyApiKey, outbound });
};

interface Web {
  readonly provider: SearchProvider;
  readonly pages: PageReader;
}

const webOf = (config: Config, outbound: Outbound, text: TextExtractor, log: Log): Web => {
  const engine = engineOf(config, outbound);
  if (engine !== null) return { provider: engine, pages: webPages({ outbound, text, log }) };
  const folder = config.searchCorpusDir === null ? demoPages : path.resolve(config.searchCorpusDir);
  const pages = corpus({ folder, text, log });
  return { provider: pages, pages };
};

const mustBeFolder = (folder: string | null) => {
  if (folder === null || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw invalid({ path: 'SEARCH_CORPUS_DIR', message: 'must be a folder that is there' });
};

/** Web search. Its pages are read by processes of their own, so that neither they nor the files of runs wait for the other. */
export const search = (config: Config, log: Log): Resource => {
  mustBeFolder(config.searchCorpusDir);
  const text = textExtractor({ timeoutSeconds: 10, memoryMegabytes: 256, maxCharacters: 60_000 });
  const module = new ContainerModule((options) => {
    const web = port.web;
    options
      .bind(web)
      .toResolvedValue((outbound: Outbound) => webOf(config, outbound, text, log), [port.outbound])
      .inSingletonScope();
    const make = ({ web: { provider: engine, pages }, models, ids }: { web: Web; models: Models; ids: Ids }) => {
      const defect = models.defect(config.searchModel);
      if (defect !== null) throw invalid({ path: 'SEARCH_MODEL', message: `cannot be used: ${defect}` });
      return webSearchService({ provider: engine, pages, models, ids, settings: config });
    };
    provider(options)(service.webSearch, make, { web, models: port.models, ids: port.ids });
  });
  return { module, close: () => text.close() };
};
