import type { Split } from './part.ts';

/** A page as it is divided. */
export interface Sheet {
  readonly page: number;
  readonly text: string;
  /** Whether something of it was not read: then it is not blank, whatever its text is. */
  readonly isUnread: boolean;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export const isBlank = ({ text, isUnread }: Sheet): boolean => !isUnread && !/[\p{L}\p{N}]/u.test(text);

/** A page whose only words are those of one of the separators. */
export const separates = ({ text }: Pick<Sheet, 'text'>, separators: readonly string[]): boolean => {
  if (text.length > 1000) return false;
  const words = wordsOf(text).join(' ');
  return words !== '' && separators.some((separator) => wordsOf(separator).join(' ') === words);
};

/** The runs of pages that belong together by a rule that needs no model; null if their content decides. */
export const stretchesOf = (
  sheets: readonly Sheet[],
  { by, separators }: Split,
): readonly (readonly number[])[] | null => {
  if (by === 'content') return null;
  const all = sheets.map(({ page }) => page);
  if (by === 'none') return all.length === 0 ? [] : [all];
  const divides = (sheet: Sheet) => isBlank(sheet) || separates(sheet, separators);
  if (by === 'page') return sheets.filter((sheet) => !divides(sheet)).map(({ page }) => [page]);
  const stretches: number[][] = [];
  let current: number[] | null = null;
  for (const sheet of sheets) {
    if (divides(sheet)) {
      current = null;
      continue;
    }
    if (current === null) {
      current = [];
      stretches.push(current);
    }
    current.push(sheet.page);
  }
  return stretches;
};
