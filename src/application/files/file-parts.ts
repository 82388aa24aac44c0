import { wayWithin } from '../../domain/routing/page-names.ts';
import type { Pages } from '../../domain/routing/part.ts';
import type { FilePart, TextPage } from '../ports/text.ts';
import { sha256 } from '../shared/digest.ts';

/** A file of its own among the parts of what was read of a file: itself, or what is attached to it. */
export interface SingleFile<P> {
  /** The way to it, as in `mail.eml › file.pdf`; no two have the same. */
  readonly fileName: string;
  /** It, and what belongs to it and is no document of its own: the data of an e-invoice in the PDF that shows it. */
  readonly parts: readonly [P, ...P[]];
}

type Placed = Pick<FilePart, 'fileName' | 'within' | 'contentType' | 'einvoice'>;

/** The file within those around it. */
export const wayTo = ({ within, fileName }: Pick<FilePart, 'fileName' | 'within'>) =>
  within === undefined ? fileName : `${within} › ${fileName}`;

const numbered = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  let count = 2;
  while (taken.has(`${name} (${count})`)) count += 1;
  return `${name} (${count})`;
};

/** The files that were read as one. `own`: what the first of them is called in the run, which may have another of the same name. */
export const singleFiles = <P extends Placed>(parts: readonly P[], rootName: string): readonly SingleFile<P>[] => {
  const [first] = parts;
  const files: { fileName: string; way: string; parts: [P, ...P[]] }[] = [];
  const taken = new Set<string>();
  for (const part of parts) {
    const way = wayTo(part);
    const holder = files.findLast((file) => part.within === file.way);
    if (part.einvoice != null && holder?.parts[0].contentType === 'application/pdf') {
      holder.parts.push(part);
      continue;
    }
    const root = first?.fileName ?? '';
    const named = way === root || way.startsWith(`${root} › `) ? rootName + way.slice(root.length) : way;
    const fileName = numbered(named, taken);
    taken.add(fileName);
    files.push({ fileName, way, parts: [part] });
  }
  return files;
};

/** What the files of a run are called within it: a second one of a name is numbered, and none looks like a file within another. */
export const namesInRun = (fileNames: readonly string[]): readonly string[] => {
  const taken = new Set<string>();
  return fileNames.map((fileName) => {
    const name = numbered(fileName.replaceAll(' › ', ' > '), taken);
    taken.add(name);
    return name;
  });
};

type Read = Pick<FilePart, 'pages' | 'layouts' | 'notes'>;

/** One page says of all that follow that they were not read: alone, each of them says so itself. */
const textAlone = (all: readonly TextPage[], wanted: readonly number[]): readonly TextPage[] => {
  const last = all.findLast(({ unread }) => unread !== undefined && unread.pages > 1);
  const why = last?.text.slice(last.text.lastIndexOf('\n') + 1) ?? '';
  const known = new Map(all.map((page) => [page.number, page]));
  const unread = { pages: 1, characters: 0 };
  return wanted.flatMap((number) => {
    const page = known.get(number);
    if (page !== undefined) return page === last ? { ...page, unread } : page;
    return last === undefined ? [] : { number, text: why, unread };
  });
};

/** The pages of a part alone. What is noted of the file as a whole is noted of each part of it. */
export const pagesAlone = <P extends Read>(part: P, pages: readonly number[]): P => {
  const wanted = new Set(pages);
  return {
    ...part,
    pages: textAlone(part.pages, pages),
    layouts: part.layouts.filter(({ number }) => wanted.has(number)),
    ...(part.notes && { notes: part.notes.filter(({ page }) => page === null || wanted.has(page)) }),
  };
};

export const isWhole = ({ layouts, pages }: Read, wanted: readonly number[]): boolean =>
  wanted.length ===
  new Set([...layouts.map(({ number }) => number), ...pages.flatMap(({ number }) => number ?? [])]).size;

/** Stands for the bytes of a part of a file: of the same pages of the same file it is the same. */
export const digestOf = async (fileHash: string, { fileName, pages }: Pages): Promise<string> =>
  sha256(new TextEncoder().encode(JSON.stringify([fileHash, wayWithin(fileName), pages])));
