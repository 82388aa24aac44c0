import type { Schemas } from '../../../../../../client/portico.ts';
import type { Place } from '../../../parts/draft.ts';
import type { Turn } from './view.ts';

export type File = Schemas['DocumentFile'];

/** A value, and a box on a page in which it stands. */
export type Marked = { readonly pointer: string; readonly label: string; readonly box: Schemas['PageBox'] };

export interface SourceProps {
  readonly chosen: string | null;
  readonly choose: (pointer: string) => void;
  /** Puts words that stand at this place into a value. */
  readonly fill: (pointer: string, words: string, place: Place) => void;
  readonly document: Schemas['DocumentDetail'];
  /** Those of its files that are still in the store. */
  readonly files: readonly File[];
  /** Where its values stand, those among them that the user has found and not saved. */
  readonly places: Readonly<Record<string, Place>>;
  /** The values in the order of the form, and what they are called. */
  readonly labels: ReadonlyMap<string, string>;
}

export interface PageProps extends Pick<SourceProps, 'chosen' | 'choose' | 'fill'> {
  readonly documentId: string;
  readonly file: File;
  readonly page: File['pages'][number];
  readonly places: readonly Marked[];
  readonly turn: Turn;
}

/** The places on the pages of a file, each line of a quote by itself. */
export const placesIn = (name: string, { places, labels, chosen }: SourceProps): readonly Marked[] => {
  const all = Object.entries(places)
    .filter(([, { file_name: file }]) => file === name)
    .flatMap(([pointer, { boxes }]) => boxes.map((box) => ({ pointer, box, label: labels.get(pointer) ?? pointer })));
  // Values of one row stand in one line: it is drawn once, for the chosen value if it is one of them.
  const drawn = new Map<string, Marked>();
  for (const place of all) {
    const { page, x, y, width, height } = place.box;
    const at = [page, x, y, width, height].join();
    if (!drawn.has(at) || place.pointer === chosen) drawn.set(at, place);
  }
  return [...drawn.values()];
};

/** What the pages of the files are called, in their order: of a part of a file, as the file numbers them; else they are counted through. */
export const numbersOf = (files: readonly File[]): readonly number[] => {
  const [file, ...others] = files.filter(({ pages }) => pages.length > 0);
  if (file !== undefined && others.length === 0) return file.pages.map(({ page }) => page);
  return files.flatMap(({ pages }) => pages).map((_, index) => index + 1);
};
