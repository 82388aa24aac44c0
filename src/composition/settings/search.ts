import { address, setting, text } from './setting.ts';

/** Searching the web. */
export const search = {
  searxngUrl: setting<string | null>(
    'SEARXNG_URL',
    address,
    null,
    'A SearXNG server to search the web with; its settings must allow JSON.',
  ),
  braveApiKey: setting<string | null>('BRAVE_API_KEY', text, null, 'Search the web with Brave, where there is no `SEARXNG_URL`.'),
  tavilyApiKey: setting<string | null>('TAVILY_API_KEY', text, null, 'Search the web with Tavily, where neither of these is set.'),
  searchCorpusDir: setting<string | null>(
    'SEARCH_CORPUS_DIR',
    text,
    null,
    'Without any of these: the folder of pages (`.html`, `.md`, `.txt`) that is searched instead of the web. Unset: `demo/pages`.',
  ),
  searchModel: setting(
    'SEARCH_MODEL',
    text,
    'offline',
    'The model that sums up what a search finds: `offline`, `openai/…` or `anthropic/…`.',
  ),
} as const;
