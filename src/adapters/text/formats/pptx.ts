import type { ReadingNote } from '../../../application/ports/text.ts';
import { counted, noteIfAny } from '../notes.ts';
import { type InnerFile, Unreadable } from '../text.ts';
import { unpacked } from './archive.ts';
import { htmlText } from './html.ts';
import { picturesIn } from './pictures.ts';
import { type Files, mainPart, relationsOf, xmlText } from './relations.ts';
import { ShapeReader } from './shapes.ts';
import { unknownSigns } from './symbols.ts';
import { readXml } from './xml.ts';

/** Tabs are kept: they set columns apart. */
const WHITESPACE = ' \r\n\f\u200b';

/** The names of the slides, in their order. */
const slidesOf = (files: Files): readonly string[] => {
  const main = mainPart(files, 'ppt/presentation.xml');
  const data = files[main];
  if (data === undefined) throw new Unreadable('is damaged: there is no presentation in it');
  const targets = new Map(relationsOf(files, main).map(({ id, target }) => [id, target]));
  const list = readXml(xmlText(data)).children.find(({ name }) => name.endsWith(':sldIdLst'));
  return (list?.children ?? []).flatMap(
    ({ attributes }) => targets.get([...attributes].find(([key]) => key.endsWith(':id'))?.[1] ?? '') ?? [],
  );
};

/** The slides that are shown, one after the other, and what stands on all of them. */
export const readPptx = (
  data: Uint8Array,
): {
  readonly text: string;
  readonly notes: readonly ReadingNote[];
  readonly pictures: readonly InnerFile[];
} => {
  const files = unpacked(data, (name) => /\.(?:xml|rels)$/i.test(name));
  const read = (name: string, isMaster = false) => {
    const bytes = files[name];
    if (bytes === undefined) throw new Unreadable('is damaged: a slide of it is missing');
    return { name, slide: new ShapeReader(xmlText(bytes), isMaster) };
  };
  const behind = (name: string, type: string) => relationsOf(files, name).filter((relation) => relation.type === type);
  const all = slidesOf(files).map((name) => read(name));
  const shown = all.filter(({ slide }) => slide.isShown);
  const layouts = [
    ...new Set(
      shown
        .filter(({ slide }) => slide.showsMaster)
        .flatMap(({ name }) => behind(name, 'slideLayout').map(({ target }) => target)),
    ),
  ].map((name) => read(name, true));
  const masters = [
    ...new Set(
      layouts
        .filter(({ slide }) => slide.showsMaster)
        .flatMap(({ name }) => behind(name, 'slideMaster').map(({ target }) => target)),
    ),
  ].map((name) => read(name, true));
  const parts = [...shown, ...layouts, ...masters];
  const total = (of: (slide: ShapeReader) => number) => parts.reduce((sum, { slide }) => sum + of(slide), 0);
  const hiddenSlides = all.length - shown.length;
  const hidden = total((slide) => slide.hidden);
  const graphics = total((slide) => slide.graphics);
  const signs = total((slide) => slide.signs);
  /** How many of the slides that are shown have words of this kind beside them; a number alone is that of the slide. */
  const beside = (type: string): number =>
    shown.filter(({ name }) =>
      behind(name, type).some(({ target }) => /\p{L}/u.test(htmlText(read(target).slide.html, WHITESPACE))),
    ).length;
  const spoken = beside('notesSlide');
  const commented = beside('comments');
  const images = parts.flatMap(({ name }) => behind(name, 'image').map(({ target }) => target));
  const { pictures, notes } = picturesIn(data, new Set(images));
  return {
    text: parts
      .map(({ slide }) => htmlText(slide.html, WHITESPACE).trim())
      .filter((text) => text !== '')
      .join('\n\n'),
    notes: [
      ...noteIfAny('hidden', hiddenSlides, counted(hiddenSlides, 'hidden slide')),
      ...noteIfAny('hidden', hidden, `${counted(hidden, 'character')} of hidden text`),
      ...noteIfAny('hidden', spoken, `speaker notes of ${counted(spoken, 'slide')}`),
      ...noteIfAny('hidden', commented, `comments on ${counted(commented, 'slide')}`),
      ...unknownSigns(signs),
      ...noteIfAny('unread', graphics, counted(graphics, 'chart, diagram or object', 'charts, diagrams or objects')),
      ...notes,
    ],
    pictures,
  };
};
