/** Kinds of papers that are known by their titles, in English, German and French. */
const families = {
  credit_note: ['credit note', 'gutschrift', 'avoir'],
  invoice: ['invoice', 'rechnung', 'facture'],
  delivery_note: ['delivery note', 'lieferschein', 'bon de livraison', 'packing slip'],
  quotation: ['quotation', 'quote', 'angebot', 'devis'],
  reminder: ['reminder', 'mahnung', 'zahlungserinnerung', 'rappel'],
  statement: ['statement', 'kontoauszug', 'releve'],
  contract: ['contract', 'agreement', 'vertrag', 'contrat'],
  order: ['purchase order', 'order', 'bestellung', 'auftrag', 'bon de commande', 'commande'],
} as const;
export type Family = keyof typeof families;

/** Without case and accents. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

const entries = Object.entries(families) as readonly [Family, readonly string[]][];

/** The kinds of papers that words name, each of its words as a word of its own or the beginning of one: `invoices`, `Rechnungen`. */
export const familiesIn = (text: string): readonly Family[] => {
  const words = plain(text);
  return entries.flatMap(([family, names]) =>
    names.some((name) => new RegExp(`(?<![\\p{L}])${name}(s|en|es)?(?![\\p{L}])`, 'u').test(words)) ? [family] : [],
  );
};

const VALUE = '([a-z0-9][a-z0-9/._-]*\\d[a-z0-9/._-]*|\\d{3,}[a-z0-9/._-]*)';
const NUMBER = '(?:no|nr|num|number|nummer|numero|n[°ºo]|id)\\b\\.?';

/** A number that is called one may stand in the next line; one that only stands behind the title may not. */
const numbered = (names: readonly string[]): readonly RegExp[] =>
  names.flatMap((name) => {
    const stem = name.replace(/ung$/, 'ung').replaceAll(' ', '\\s+');
    return [
      new RegExp(`(?<![\\p{L}])${stem}s?[-\\s]*${NUMBER}\\s*[:#]?\\s*#?${VALUE}`, 'u'),
      new RegExp(`(?<![\\p{L}])${NUMBER}\\s*(?:de\\s+|d')${stem}\\s*[:#]?\\s*${VALUE}`, 'u'),
      new RegExp(`(?<![\\p{L}])${stem}[ \\t]*[:#]?[ \\t]*${VALUE}`, 'u'),
    ];
  });

const patterns: readonly (readonly [Family, readonly RegExp[]])[] = entries.map(([family, names]) => [
  family,
  [
    ...numbered(names),
    ...(family === 'order' ? numbered(['bestell', 'auftrags', 'po']) : []),
    ...(family === 'delivery_note' ? numbered(['lieferschein']) : []),
  ],
]);

const PAGE_OF = /(?<![\p{L}])(?:page|seite|blatt|sheet|p\.)\s*(\d{1,4})(?:\s*(?:of|von|de|sur|\/)\s*(\d{1,4}))?/u;
const BARE = /^\s*(\d{1,4})\s*(?:\/|of|von|sur)\s*(\d{1,4})\s*$/mu;
const CONTINUED =
  /(?<![\p{L}])(continued|continuation|fortsetzung|suite|brought forward|carried forward|ubertrag|report)(?![\p{L}])/u;
const IDS = /\b(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}|(?:GB|DE|FR|IE|NL|BE|AT|IT|ES)\s?[A-Z0-9]{2}?\d{7,11})\b/g;
const SUPPLIER = /^\s*(?:supplier|seller|vendor|lieferant|verkaufer|fournisseur)\s*[:：]\s*(\S.*)$/mu;

/** How far down titles and numbers of the document itself are looked for. */
const TOP_LINES = 16;
const MOST_WORDS = 7;

/** What is known of a page without knowing the others. */
export interface PageMarks {
  /** The kind that its title names; null if it has none. */
  readonly family: Family | null;
  /** Its title, or the line of its number, as it stands there. */
  readonly quote: string | null;
  readonly numbers: ReadonlyMap<Family, string>;
  /** `page 2 of 3`: `of` is null if it is not said. */
  readonly place: { readonly at: number; readonly of: number | null } | null;
  readonly isContinued: boolean;
  /** Numbers of accounts and of taxpayers; two pages of one supplier have some in common. */
  readonly ids: ReadonlySet<string>;
  readonly supplier: string | null;
  /** The first lines, for what is not a known kind. */
  readonly top: string;
}

const placeOf = (text: string): PageMarks['place'] => {
  const mark = PAGE_OF.exec(text) ?? BARE.exec(text);
  if (mark === null) return null;
  const at = Number(mark[1]);
  const of = mark[2] === undefined ? null : Number(mark[2]);
  return at === 0 || (of !== null && at > of) ? null : { at, of };
};

const isTitle = (line: string) => line.split(/\s+/).length <= MOST_WORDS && !/[.!?]$/.test(line) && line.length < 80;

export const marksOf = (text: string): PageMarks => {
  const lines = text.split('\n').map((line) => line.trim());
  const full = lines.filter((line) => line !== '');
  const topLines = full.slice(0, TOP_LINES).flatMap((line) => line.split(/\s{2,}/));
  const top = plain(full.slice(0, TOP_LINES).join('\n'));
  const titles = topLines.filter((line) => isTitle(line) && familiesIn(line).length > 0);
  const [title = null] = titles;
  const family = title === null ? null : (familiesIn(title)[0] ?? null);
  const numbers = new Map<Family, string>();
  for (const [kind, all] of patterns) {
    const value = all.map((pattern) => pattern.exec(top)?.[1]).find((each) => each !== undefined);
    if (value !== undefined) numbers.set(kind, value.replace(/[._/-]+$/, ''));
  }
  const ofKind = family === null ? undefined : numbers.get(family);
  const quoted = ofKind === undefined ? undefined : topLines.find((line) => plain(line).includes(ofKind));
  const whole = plain(text);
  return {
    family,
    quote: quoted ?? title ?? topLines[0] ?? null,
    numbers,
    place: placeOf(whole),
    isContinued: CONTINUED.test(top),
    ids: new Set([...text.matchAll(IDS)].map(([id]) => id.replaceAll(' ', ''))),
    supplier: SUPPLIER.exec(whole)?.[1]?.trim() ?? null,
    top,
  };
};
