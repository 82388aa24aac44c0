import { Silence } from './within.ts';

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS|^NOAUTH|^ERR.*AUTH/, 'it refuses the user name or the password'],
  [/^NOPERM/, 'the user may not do what counting takes (EVAL, EVALSHA, GET, PTTL, SET, INCR)'],
  [/DB index/, 'it has no database of that number'],
  [/^MOVED/, 'another node of the cluster has the keys'],
  [/^OOM/, 'its memory is full'],
  [/^READONLY/, 'it is a replica, which takes no writes'],
];

/** Why Redis cannot be used. Its own words are not repeated: a server that does not know AUTH answers with the password it was sent. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it failed without saying why';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null) return code;
  const known = refusals.find(([pattern]) => pattern.test(error.message))?.[1];
  if (known !== undefined) return known;
  const word = /^[A-Z]{2,30}(?= )/.exec(error.message)?.[0];
  if (word !== undefined) return `it answers ${word}`;
  if (error instanceof Silence) return error.message;
  return /timeout/i.test(error.message) ? 'no answer in time' : 'the connection broke';
};
