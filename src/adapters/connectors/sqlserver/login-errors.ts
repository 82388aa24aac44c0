/** Why a server refuses a login, by the error's number, as words that follow the connection's name. */
const reasons = new Map<number, string>();

const say = (words: string, ...numbers: readonly number[]) => {
  for (const number of numbers) reasons.set(number, words);
};

say('did not accept its user or password', 18456);
say('does not take its Windows account', 18452);
say('has its login disabled', 18470);
say('has its login locked, after too many wrong passwords', 18486);
say('asks for a new password of its login before it lets it in', 18487, 18488);
say('has no database of that name, or does not open it to its user', 916, 4060, 4064);
say('is not known under the name in its address', 40532);
say('keeps this program out by its firewall', 40615, 40914, 47073);
say('refused the session by a logon trigger', 17892);
say('is open to a single user at present', 924, 18451, 18461);
say('is paused or moving at present', 4221, 17142, 40143, 40197, 40540, 40613, 42108, 42109);
say('takes no more work at present, for it is throttled', 10928, 10929, 40501, 49918, 49919, 49920);

/** The same login may be taken in a few seconds: the database moves, wakes up, or is throttled. */
const passing = new Set([4221, 10928, 10929, 40143, 40197, 40501, 40540, 40613, 42108, 42109, 49918, 49919, 49920]);

export const loginRefusal = (number: number): string => reasons.get(number) ?? `refused its login (${number})`;

export const isPassingRefusal = (number: number): boolean => passing.has(number);

/** Says that the login failed after another error has said why. */
const LOGIN_FAILED = 18456;

export interface LoginError {
  readonly number: number;
  readonly class: number;
}

export const tellingOf = <T extends LoginError>(errors: readonly T[]): T | undefined =>
  errors.find(({ number }) => number !== LOGIN_FAILED) ?? errors[0];
