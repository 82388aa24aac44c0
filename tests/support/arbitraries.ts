import fc from 'fast-check';

const characterOf = (value: unknown): number => {
  const [first, ...more] = typeof value === 'string' ? value : [];
  if (first === undefined || more.length > 0) throw new Error('not one character');
  return first.codePointAt(0) ?? 0;
};

/** Any character of Unicode, as a unit of strings. fast-check's own "binary" lists all of them first, which takes seconds. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), characterOf);
