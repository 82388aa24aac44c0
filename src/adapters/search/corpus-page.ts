import path from 'node:path';
import type { TextExtractor } from '../../application/ports/text.ts';
import { type Counted, counted } from '../../application/search/relevance.ts';
import { isObject } from '../../domain/json.ts';
import { webAddress } from './service.ts';

export interface CorpusPage {
  readonly name: string;
  readonly title: string;
  /** The address that the page names as its own; null if it names none. */
  readonly publishedAt: string | null;
  readonly text: string;
  readonly words: Counted;
}

interface About {
  readonly title: string | null;
  readonly url: string | null;
  readonly text: string;
}

const MAX_HEAD = 65_536;
const TITLE_WEIGHT = 3;

const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.replace(/\s+/g, ' ').trim() : null;

const frontMatter = async (source: string): Promise<Record<string, unknown>> => {
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(source, { maxAliasCount: 0 });
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** A line of 60 characters or more was wrapped to fit a screen; a shorter one ends on purpose. */
const wrapped = /^(?=.{60})(.*[^\n|])\n(?![ \t]*(?:$|[#>|*+-]|\d+[.)] ))/gm;

/** Removes the Markdown of headings, lists, tables, emphasis and links. */
const unmarked = (markdown: string): string =>
  markdown
    .replace(wrapped, '$1 ')
    .replace(/^\|[-:| \t]+\|[ \t]*\n?/gm, '')
    .replace(/^\|([^\n]*)\|[ \t]*$/gm, (_, row: string) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .join('\t'),
    )
    .replace(/!?\[([^\][\n]{0,500})\]\([^()\n]{0,2000}\)/g, '$1')
    .replace(/^[ \t]{0,20}(?:#{1,6}|[-*+>])[ \t]+/gm, '')
    .replace(/(\*\*|__|`)(?=\S)([^\n*_`]{1,500})\1/g, '$2');

const aboutText = async (whole: string): Promise<About> => {
  const [head = '', front = ''] = /^---\n([\s\S]{0,8192}?)\n---(?:\n|$)/.exec(whole) ?? [];
  const { title, url } = await frontMatter(front);
  const body = whole.slice(head.length);
  const heading = (/^#{1,6}[ \t]+([^\n]{1,300})/m.exec(body) ?? /^([^\n]{3,80})\n[ \t]*\n/.exec(body))?.[1] ?? null;
  return { title: text(title) ?? (heading && unmarked(heading)), url: text(url), text: unmarked(body) };
};

interface Head {
  querySelector(selector: string): { readonly textContent: string; getAttribute(name: string): string | null } | null;
}

/** Parses only the beginning here; the extractor reads the page in another process, which cannot block this one. */
const aboutHtml = async (data: Uint8Array, body: string): Promise<About> => {
  const html = new TextDecoder().decode(data.subarray(0, MAX_HEAD));
  const end = html.search(/<\/head|<body/i);
  const { parseHTML } = await import('linkedom');
  const { document } = parseHTML(end === -1 ? html : html.slice(0, end)) as unknown as { readonly document: Head };
  const url = document.querySelector('link[rel~=canonical]')?.getAttribute('href') ?? null;
  return { title: text(document.querySelector('title')?.textContent), url, text: body };
};

const titleFromName = (name: string) =>
  path.posix
    .basename(name)
    .replace(/\.\w+$/, '')
    .replaceAll(/[-_]+/g, ' ');

/** null if the file has no readable text. */
export const corpusPage = async (
  name: string,
  data: Uint8Array,
  extractor: TextExtractor,
): Promise<CorpusPage | null> => {
  const [part] = await extractor.extract({ fileName: name, contentType: '', data, articleOnly: true });
  if (!part || part.unreadable !== null) return null;
  const whole = part.pages.map((page) => page.text).join('\n\n');
  const about = await (/\.html?$/i.test(name) ? aboutHtml(data, whole) : aboutText(whole));
  const title = (about.title ?? titleFromName(name)).slice(0, 300).toWellFormed();
  const words = counted(`${`${title}\n`.repeat(TITLE_WEIGHT)}${about.text}`);
  return { name, title, publishedAt: webAddress(about.url), text: about.text.trim(), words };
};
