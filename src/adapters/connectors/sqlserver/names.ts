/** A name as it stands in T-SQL, whatever is in it. */
export const quoteName = (name: string): string => `[${name.replaceAll(']', ']]')}]`;

/** By code point, as everything is sorted; `<` compares UTF-16 units, which puts an emoji before a fullwidth letter. */
export const byCodePoint = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
