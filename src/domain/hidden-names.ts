/** Stands for what a reader does not see. */
export const HIDDEN = '[hidden]';

const escaped = (name: string) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A text without these names, also where one is a part of another name, such as that of a table in `bills_number_key`. */
export const withoutNames = (text: string, names: readonly string[]): string => {
  const hidden = names.filter((name) => name !== '').map(escaped);
  if (hidden.length === 0) return text;
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${hidden.join('|')})(?![\\p{L}\\p{N}])`, 'giu'), HIDDEN);
};

const QUOTED = /"[^"]+"|`[^`]+`|'[^']+'|\[[^\]]+\]/.source;
/** Before the name of a table, a schema or a database, and in PostgreSQL before one that has no quotes. */
const BEFORE = /\b(?:table|relation|view|schema|database|sequence|object(?: name)?|references) |\bconstraint fails \(/
  .source;
const named = new RegExp(
  `(?:${BEFORE})((?:${QUOTED})(?:\\.(?:${QUOTED}))*)|permission denied for \\w+ ([^\\s.]+)`,
  'giu',
);

/** The names of tables, schemas and databases in what a database says. */
export const objectsIn = (text: string): readonly string[] =>
  [...text.matchAll(named)].flatMap(([, quoted, bare]) => (quoted ?? bare ?? '').split(/[."'`[\]]+/));
