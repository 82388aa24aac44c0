import type { CommonPasswords } from '../../application/ports/accounts.ts';

/** Unpacked when a password is first chosen: most processes never need it. */
const load = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map((password) => password.normalize('NFKC').toLowerCase()));
};

/** The list that zxcvbn keeps: what leaked most often, and is guessed first. */
export const commonPasswords = (): CommonPasswords => {
  let list: Promise<ReadonlySet<string>> | null = null;
  return {
    async includes(password) {
      list ??= load();
      return (await list).has(password);
    },
  };
};
