export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 256;

/** What most passwords that people choose are made of; read without digits, signs and the letters that digits stand for. */
const common = [
  ...['password', 'passwort', 'passphrase', 'kennwort', 'motdepasse', 'contrasena', 'passw', 'pass', 'secret', 'geheim', 'letmein'],
  ...['welcome', 'willkommen', 'bienvenue', 'changeme', 'default', 'admin', 'administrator', 'root', 'user', 'login', 'guest', 'test'],
  ...['qwertyuiop', 'qwertzuiop', 'azertyuiop', 'qwerty', 'qwertz', 'azerty', 'asdfghjkl', 'asdf', 'zxcvbnm', 'yxcvbnm', 'qazwsx', 'edc'],
  ...['iloveyou', 'loveyou', 'iloveu', 'princess', 'sunshine', 'football', 'baseball', 'monkey', 'dragon', 'master', 'superman', 'batman'],
  ...['starwars', 'trustno', 'shadow', 'michael', 'whatever', 'hello', 'world', 'computer', 'internet', 'portico', 'abc', 'abcd', 'xyz'],
  ...['spring', 'summer', 'autumn', 'winter', 'monday', 'january', 'my', 'the', 'new', 'is', 'our', 'this', 'please'],
].toSorted((one, other) => other.length - one.length);

const stands: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' };

const letters = (text: string) => text.replaceAll(/[^\p{L}]/gu, '');
const spelled = (text: string) => letters(text.replaceAll(/[013457@$!]/g, (sign) => stands[sign] ?? ''));

/** Whether nothing is left of the letters once the common words are taken out. */
const isCommon = (text: string): boolean => {
  const left = common.reduce((rest, word) => rest.replaceAll(word, ''), text);
  return text !== '' && left.length <= 1;
};

/** Digits and signs around a common word are what guessing programs try first; with enough of them it is no longer one of those. */
const MOST_DECORATION = 10;
const SHORTEST_WORD = 3;

const isGuessable = (password: string): boolean => {
  const plain = letters(password);
  if (plain.length < SHORTEST_WORD || password.length - plain.length > MOST_DECORATION) return false;
  return isCommon(plain) || isCommon(spelled(password.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')));
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

const isMostly = (password: string, name: string) => name.length >= 4 && password.replaceAll(name, '').length < LEAST_BESIDES_NAME;

/** What is wrong with a password that somebody chose for this email address; null where nothing is. */
export const passwordFault = (password: string, email: string): string | null => {
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`;
  if (length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`;
  const lower = password.toLowerCase();
  const [local = ''] = email.split('@');
  if (isMostly(lower, email) || isMostly(lower, local)) return 'must not be made of the email address';
  if (new Set(lower).size < FEWEST_CHARACTERS || isSequence(lower)) return 'must not be a simple sequence or repetition';
  if (isGuessable(lower)) return 'is one of those that are guessed first: take several words that do not belong together';
  return null;
};
