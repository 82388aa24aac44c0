import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import type { Passwords } from '../../application/ports/accounts.ts';
import { DomainError } from '../../domain/errors.ts';

interface Cost {
  /** log2 of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB for each password that is hashed at the moment; what OWASP's password storage cheat sheet asks of scrypt. */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The threads that hash are needed for files and names too, and everybody's hashes at once would not fit in memory. */
const MOST_WAITING = 100;

/** Strangers cannot fill the line of those who have shown something before. */
const lines = { strangers: pLimit(2), known: pLimit(1) };
type Line = keyof typeof lines;

const derive = ({ ln, r, p }: Cost, password: string, salt: Uint8Array) =>
  new Promise<Buffer>((resolve, reject) => {
    const N = 2 ** ln;
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });

const derived = (line: Line, cost: Cost, password: string, salt: Uint8Array) => {
  const slots = lines[line];
  if (slots.pendingCount >= MOST_WAITING) {
    throw new DomainError('rate_limited', 'Too many people are signing in at the moment. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
  return slots(() => derive(cost, password, salt));
};

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** In the PHC string format, so that the cost can be raised later without anybody having to choose a new password. */
export const scryptPasswords = (cost: Cost = COST): Passwords => {
  const nobody = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };

  const read = (text: string) => {
    const [, ln, r, p, salt = '', hash = ''] = FORM.exec(text) ?? [];
    if (ln === undefined) throw new Error('A stored password hash is not in the form that Portico writes.');
    return {
      cost: { ln: Number(ln), r: Number(r), p: Number(p) },
      salt: Buffer.from(salt, 'base64'),
      hash: Buffer.from(hash, 'base64'),
    };
  };

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const { ln, r, p } = cost;
      return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(await derived('known', cost, password, salt))}`;
    },
    async matches(password, stored, isKnown = false) {
      const against = stored === null ? nobody : read(stored);
      const key = await derived(isKnown ? 'known' : 'strangers', against.cost, password, against.salt);
      return stored !== null && timingSafeEqual(key, against.hash);
    },
  };
};
