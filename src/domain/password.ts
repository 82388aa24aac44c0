export const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 256;

const stands: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const letters = (text: string) => text.replaceAll(/[^\p{L}]/gu, '');
const spelled = (text: string) => text.replaceAll(/[013457@$!]/g, (sign) => stands[sign] ?? '');

/** Digits and signs around a common word are what guessing programs try first; with enough of them it is no longer one of those. */
const MOST_DECORATION = 10;
const SHORTEST_WORD = 3;

/** What is written several times over, once. */
const once = (text: string) => /^(.+?)\1*$/u.exec(text)?.[1] ?? text;

/** The same password however its letters are typed and composed (RFC 8265 section 4.2.2). */
const folded = (password: string) => password.normalize('NFKC').toLowerCase();

/** What a password is guessed by: itself, and the words that it only decorates with digits and signs. */
export const guessedBy = (password: string): readonly string[] => {
  const whole = folded(password);
  const bare = whole.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const words = [bare, spelled(bare), letters(whole), letters(spelled(bare))].filter(
    (word) => word.length >= SHORTEST_WORD && whole.length - word.length <= MOST_DECORATION,
  );
  return [...new Set([whole, once(whole), ...words.flatMap((word) => [word, once(word)])])];
};

/** `abcdef…`, `987654…`: every character next to the one before it. */
const isSequence = (password: string): boolean => {
  const codes = [...password].map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  const regular = steps.filter((step) => step === 1 || step === -1 || step === 0 || step === 9 || step === -9).length;
  return regular >= steps.length * 0.75;
};

const FEWEST_CHARACTERS = 5;
const LEAST_BESIDES_NAME = 6;

const isMostly = (password: string, name: string) =>
  name.length >= 4 && password.replaceAll(name, '').length < LEAST_BESIDES_NAME;

/** What is wrong with the form of a password for this email address; null if nothing is. */
export const passwordError = (password: string, email: string): string | null => {
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`;
  if (length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`;
  const lower = folded(password);
  const [local = ''] = email.split('@');
  if (isMostly(lower, email) || isMostly(lower, local)) return 'must not be made of the email address';
  if (new Set(lower).size < FEWEST_CHARACTERS || isSequence(lower))
    return 'must not be a simple sequence or repetition';
  return null;
};
