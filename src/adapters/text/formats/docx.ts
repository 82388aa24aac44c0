import type { ReadingNote } from '../../../application/ports/text.ts';
import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { type Fill, WHITE } from '../contrast.ts';
import { counted, noteIfAny } from '../notes.ts';
import { type InnerFile, Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';
import { htmlText } from './html.ts';
import { picturesIn } from './pictures.ts';
import { mainPart, relationsOf, xmlText } from './relations.ts';
import { unknownSigns } from './symbols.ts';
import { wordLists } from './word-lists.ts';
import { type PageMargin, readWordPart, type WordPart } from './word-part.ts';
import { wordStyles } from './word-styles.ts';
import { readXml } from './xml.ts';

/** Tabs are kept: in a Word document they set columns apart. */
const WHITESPACE = ' \r\n\f\u200b';

/** Which headers and footers the pages of a document show. */
const shownMargins = ({ margins, hasFirstPage }: WordPart, hasEvenPages: boolean): readonly PageMargin[] =>
  margins.filter(({ pages }) => (pages !== 'first' || hasFirstPage) && (pages !== 'even' || hasEvenPages));

const notesOf = (parts: readonly WordPart[]): readonly ReadingNote[] => {
  const total = (of: (part: WordPart) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const hidden = total((part) => part.hidden);
  const deleted = total((part) => part.deleted);
  const drawings = total((part) => part.drawings);
  const signs = total((part) => part.signs);
  const chunks = total((part) => part.chunks);
  return [
    ...noteIfAny('hidden', hidden, `${counted(hidden, 'character')} of hidden text`),
    ...noteIfAny('hidden', deleted, `${counted(deleted, 'character')} that a tracked change deleted`),
    ...noteIfAny('unread', drawings, counted(drawings, 'chart or diagram')),
    ...unknownSigns(signs),
    ...noteIfAny('unread', chunks, `${counted(chunks, 'document')} within it`),
  ];
};

const LABELS: Readonly<Record<string, string>> = { footnote: 'Footnote', endnote: 'Endnote', comment: 'Comment' };

/** A page with a colour, or with pictures behind its text. */
const BEHIND = /<(?:\w+:)?background\b(?![^>]*\bcolor=["'](?:ffffff|auto))|\sbehindDoc=["'](?:1|true)|z-index:\s*-/i;
const pageOf = (xmls: readonly string[]): Fill => (xmls.some((xml) => BEHIND.test(xml)) ? 'unknown' : WHITE);

/** A document of Word 2003 is one XML file, with its notes and headers in place. */
const readFlat = (data: Uint8Array) => {
  const xml = xmlText(data);
  const styles = wordStyles(undefined);
  const body = readWordPart(xml, { lists: wordLists(undefined, styles), styles, page: pageOf([xml]) });
  const pictures = xml.match(/<w:binData[\s>]/g)?.length ?? 0;
  const notes = [...notesOf([body]), ...noteIfAny('unread', pictures, counted(pictures, 'picture'))];
  return { text: htmlText(body.html, WHITESPACE), notes, pictures: [] };
};

/** Headers, then the body with its tables as rows of cells, then footers; a note or comment stands after the paragraph or table that it is of. */
export const readDocx = (
  data: Uint8Array,
): {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
} => {
  if (data[0] !== 0x50) return readFlat(data);
  const files = unpacked(data, (name) => /\.(?:xml|rels)$/i.test(name));
  const main = mainPart(files, 'word/document.xml');
  const relations = relationsOf(files, main);
  const nameOf = (type: string) => relations.find((relation) => relation.type === type)?.target ?? '';
  const ofType = (type: string) => files[nameOf(type)];
  const xmlOf = (type: string): XmlElement | undefined => {
    const bytes = ofType(type);
    return bytes === undefined ? undefined : readXml(xmlText(bytes));
  };
  const document = files[main];
  if (document === undefined) throw new Unreadable('is damaged: there is no document in it');
  const xml = xmlText(document);
  const headers = relations.flatMap(({ type, target }) => (type === 'header' ? (files[target] ?? []) : []));
  const styles = wordStyles(xmlOf('styles'));
  const page = pageOf([xml, ...headers.map(xmlText)]);
  const setting = { lists: wordLists(xmlOf('numbering'), styles), styles, page };
  const kept = new Map(
    Object.keys(LABELS).flatMap((kind) => {
      const bytes = ofType(`${kind}s`);
      return bytes === undefined ? [] : [[kind, readWordPart(xmlText(bytes), setting)] as const];
    }),
  );
  const noteOf = (kind: string, id: string): string => {
    const html = kept.get(kind)?.notes.get(id) ?? '';
    return html === '' ? '' : `<p>${LABELS[kind]}:</p>${html}`;
  };
  const body = readWordPart(xml, setting, noteOf);
  const settings = xmlOf('settings')?.children ?? [];
  const margins = shownMargins(
    body,
    settings.some(({ name }) => name.endsWith(':evenAndOddHeaders')),
  ).map(({ kind, relation }) => ({ kind, name: relations.find(({ id }) => id === relation)?.target ?? '' }));
  const named = [
    ...margins.map(({ name }) => name),
    ...Object.keys(LABELS).flatMap((kind) => nameOf(`${kind}s`) || []),
  ];
  const missing = new Set(named.filter((name) => files[name] === undefined)).size;
  const marginParts = margins.flatMap(({ kind, name }) => {
    const bytes = files[name];
    return bytes === undefined ? [] : [{ kind, part: readWordPart(xmlText(bytes), setting) }];
  });
  const marginText = (wanted: PageMargin['kind']) =>
    [
      ...new Set(
        marginParts.filter(({ kind }) => kind === wanted).map(({ part }) => htmlText(part.html, WHITESPACE).trim()),
      ),
    ].join('\n');
  const shown = [main, ...margins.flatMap(({ name }) => name || [])];
  const images = shown.flatMap((name) => relationsOf(files, name)).filter(({ type }) => type === 'image');
  const { pictures, notes } = picturesIn(data, new Set(images.map(({ target }) => target)));
  const texts = [marginText('header'), htmlText(body.html, WHITESPACE), marginText('footer')];
  return {
    text: texts.filter((text) => text.trim() !== '').join('\n\n'),
    notes: [
      ...notesOf([body, ...marginParts.map(({ part }) => part), ...kept.values()]),
      ...noteIfAny('unread', missing, `${counted(missing, 'part')} that it names and does not have: headers or notes`),
      ...notes,
    ],
    pictures,
  };
};
