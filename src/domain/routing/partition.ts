import type { ValidationError } from '../errors.ts';
import type { Pages, Part, SplitFile } from './part.ts';

const ascending = (a: number, b: number) => a - b;

const numbersOf = ({ pages }: SplitFile): readonly number[] => Array.from({ length: pages }, (_, index) => index + 1);

/** What is in no part: a file without pages is as a whole in one part or in none. */
export const unassignedOf = (files: readonly SplitFile[], parts: readonly Pages[]): readonly Pages[] => {
  const taken = Map.groupBy(parts, ({ fileName }) => fileName);
  return files.flatMap((file) => {
    const { fileName } = file;
    const claims = taken.get(fileName) ?? [];
    if (file.pages === 0) return claims.length === 0 ? [{ fileName, pages: [] }] : [];
    const assigned = new Set(claims.flatMap(({ pages }) => pages));
    const pages = numbersOf(file).filter((page) => !assigned.has(page));
    return pages.length === 0 ? [] : [{ fileName, pages }];
  });
};

/** What is in no part and not blank: a person should look at it. */
export const unassignedContent = (files: readonly SplitFile[], parts: readonly Pages[]): readonly Pages[] => {
  const blank = new Map(files.map((file) => [file.fileName, new Set(file.blank)]));
  return unassignedOf(files, parts).flatMap(({ fileName, pages }) => {
    const left = pages.filter((page) => !blank.get(fileName)?.has(page));
    return left.length === 0 && pages.length > 0 ? [] : [{ fileName, pages: left }];
  });
};

/** The parts that somebody claims, made exact: a page is in the first part that has it, and what is left of no page is no part. */
export const exactly = (files: readonly SplitFile[], claimed: readonly Part[]): readonly Part[] => {
  const free = new Map(files.map((file) => [file.fileName, new Set(numbersOf(file))]));
  const whole = new Set(files.filter(({ pages }) => pages === 0).map(({ fileName }) => fileName));
  return claimed.flatMap((part) => {
    if (whole.delete(part.fileName)) return [{ ...part, pages: [] }];
    const left = free.get(part.fileName);
    const pages = [...new Set(part.pages)].filter((page) => left?.delete(page)).sort(ascending);
    return pages.length === 0 ? [] : [{ ...part, pages }];
  });
};

/** What a person asks for. */
export interface AskedPart extends Pages {
  readonly name: string;
}

/** Why these cannot be the parts of the files; none if they can. */
export const partErrors = (
  files: readonly SplitFile[],
  names: readonly string[],
  division: readonly AskedPart[],
): readonly ValidationError[] => {
  const byName = new Map(files.map((file) => [file.fileName, file]));
  /** A page of a file → the first part that has it. */
  const taken = new Map<string, number>();

  const nameErrors = (name: string, path: string): readonly ValidationError[] =>
    names.includes(name) ? [] : [{ path, message: `must be a part of the agent: ${names.join(', ')}` }];

  /** Of a file without pages, the whole file counts as its page 0. */
  const pageErrors = (page: number, file: SplitFile, path: string, index: number): readonly ValidationError[] => {
    const errors: ValidationError[] = [];
    if (page > file.pages) errors.push({ path, message: `must be at most ${file.pages}: the file has no more pages` });
    const key = `${page} ${file.fileName}`;
    const before = taken.get(key);
    if (before === undefined) taken.set(key, index);
    else errors.push({ path, message: `must not stand in a second part: it is in parts[${before}]` });
    return errors;
  };

  const contentErrors = ({ fileName, pages }: AskedPart, at: string, index: number): readonly ValidationError[] => {
    const file = byName.get(fileName);
    const path = `${at}.pages`;
    if (file === undefined) return [{ path: `${at}.file_name`, message: 'must be the name of a file of the run' }];
    if (file.pages === 0)
      return [
        ...(pages.length > 0 ? [{ path, message: 'must be empty: the file has no pages' }] : []),
        ...pageErrors(0, file, `${at}.file_name`, index),
      ];
    if (pages.length === 0) return [{ path, message: 'must have at least one page' }];
    return pages.flatMap((page, place) => pageErrors(page, file, `${path}[${place}]`, index));
  };

  return division.flatMap((part, index) => {
    const at = `parts[${index}]`;
    return [...nameErrors(part.name, `${at}.name`), ...contentErrors(part, at, index)];
  });
};

/** The asked part with its pages in the order of the file. */
export const inOrder = <T extends Pages>(part: T): T => ({ ...part, pages: part.pages.toSorted(ascending) });

/** The same of the same part of the same pages. */
export const signatureOf = ({ name, fileName, pages }: AskedPart): string => JSON.stringify([name, fileName, pages]);
