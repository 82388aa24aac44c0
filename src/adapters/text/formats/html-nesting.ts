import { Unreadable } from '../text.ts';

/** The time of the parser grows with the square of the depth; browsers show no more than 512 elements in each other. */
export const MAX_DEPTH = 1000;

const words = (text: string) => text.split(' ');

/** What begins a comment, an end tag or a tag. */
const TOKEN = /<!--|<\/\s*([a-z][^\s>]*)|<([a-z][^\s/>]*)/gi;
/** The end of a tag, or a value in it, which may have the sign of its end within quotes. */
const END_OR_VALUE = />|=\s*(?:(["'])|[^\s>]{0,1000})/g;

const VOID = new Set(
  words('area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'),
);
/** There are no tags within these. */
const TEXT_ONLY = new Set(words('script style title textarea xmp'));
/** A tag can end itself within these. */
const FOREIGN = ['svg', 'math'];

const AFTER_PARAGRAPHS = words(
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul',
);
/** Which elements without an end tag an element ends, as the parser does it. */
const ENDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['tr', ['tr', 'th', 'td']],
  ['th', ['th']],
  ['td', ['thead', 'th', 'td']],
  ['li', ['li']],
  ['option', ['option']],
  ['optgroup', ['optgroup', 'option']],
  ['dd', ['dd', 'dt']],
  ['dt', ['dd', 'dt']],
  ['rt', ['rt', 'rp']],
  ['rp', ['rt', 'rp']],
  ['tbody', ['thead', 'tbody']],
  ['tfoot', ['thead', 'tbody']],
  ...AFTER_PARAGRAPHS.map((name) => [name, ['p']] as const),
]);

const openElements = () => {
  const open: string[] = [];
  /** How many are open of each name: to look for a name in all of them takes too long. */
  const counts = new Map<string, number>();
  const has = (name: string) => (counts.get(name) ?? 0) > 0;
  const pop = () => {
    const name = open.pop() ?? '';
    counts.set(name, (counts.get(name) ?? 0) - 1);
    return name;
  };
  return {
    begin(name: string, endsItself: boolean) {
      const ended = ENDS.get(name) ?? [];
      while (ended.includes(open.at(-1) ?? '')) pop();
      if (VOID.has(name) || (endsItself && FOREIGN.some(has))) return;
      open.push(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (open.length > MAX_DEPTH) throw new Unreadable('has too many elements in each other');
    },
    end(name: string) {
      if (has(name)) while (pop() !== name);
    },
  };
};

/** Where the tag ends whose attributes begin here, and whether it ends itself. */
const endOfTag = (html: string, from: number): { readonly end: number; readonly endsItself: boolean } => {
  const parts = new RegExp(END_OR_VALUE);
  parts.lastIndex = from;
  let value = from;
  for (let part = parts.exec(html); part !== null; part = parts.exec(html)) {
    const [text, quote] = part;
    if (text === '>') return { end: parts.lastIndex, endsItself: html[part.index - 1] === '/' && part.index > value };
    if (quote !== undefined) {
      const close = html.indexOf(quote, parts.lastIndex);
      if (close === -1) break;
      parts.lastIndex = close + 1;
    }
    value = parts.lastIndex;
  }
  return { end: html.length, endsItself: false };
};

/** Where the text ends that begins here and holds no tags. */
const endOfText = (html: string, name: string, from: number): number => {
  const end = new RegExp(`</${name}[\\s>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
};

/** Refuses a page with too many elements in each other before the parser meets it. */
export const refuseDeep = (html: string): void => {
  const elements = openElements();
  const tokens = new RegExp(TOKEN);
  for (let token = tokens.exec(html); token !== null; token = tokens.exec(html)) {
    const ended = token[1]?.toLowerCase();
    const begun = token[2]?.toLowerCase();
    if (ended !== undefined) elements.end(ended);
    else if (begun === undefined) {
      // The signs of a comment's beginning may be those of its end too: <!-->.
      const end = html.indexOf('-->', token.index + 2);
      if (end === -1) return;
      tokens.lastIndex = end;
    } else {
      const { end, endsItself } = endOfTag(html, tokens.lastIndex);
      elements.begin(begun, endsItself);
      tokens.lastIndex = TEXT_ONLY.has(begun) && !endsItself ? endOfText(html, begun, end) : end;
    }
  }
};
