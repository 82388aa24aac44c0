import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import type { CommonPasswords, Passwords } from '../../application/ports/accounts.ts';
import { DomainError } from '../../domain/errors.ts';

/** What OWASP's password storage cheat sheet asks of scrypt: 32 MiB of memory for each hash in progress. `ln` is log2 of N. */
const COST = { ln: 15, r: 8, p: 3 };
type Cost = typeof COST;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashing shares its threads with file access and name resolution, and needs much memory. */
const MAX_QUEUED = 100;

/** Strangers cannot delay the users whose browser or invitation is known. */
const queues = { strangers: pLimit(2), known: pLimit(1) };

const derive = ({ ln, r, p }: Cost, password: string, salt: Uint8Array) =>
  new Promise<Buffer>((resolve, reject) => {
    const N = 2 ** ln;
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

const deriveQueued = (name: keyof typeof queues, cost: Cost, password: string, salt: Uint8Array) => {
  const queue = queues[name];
  if (queue.pendingCount >= MAX_QUEUED) {
    throw new DomainError('rate_limited', 'Too many people are signing in at the moment. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
  return queue(() => derive(cost, password, salt));
};

const PATTERN = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const parse = (text: string) => {
  const [, ln, r, p, salt = '', hash = ''] = PATTERN.exec(text) ?? [];
  if (ln === undefined) throw new Error('A stored password hash is not in the form that Portico writes.');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
};

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** Hashes in the PHC string format, which carries the cost: it can be raised later while the old hashes stay valid. */
export const scryptPasswords = (cost: Cost = COST): Passwords => {
  const noAccount = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const { ln, r, p } = cost;
      return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(await deriveQueued('known', cost, password, salt))}`;
    },
    async matches(password, stored, isKnown = false) {
      const expected = stored === null ? noAccount : parse(stored);
      const key = await deriveQueued(isKnown ? 'known' : 'strangers', expected.cost, password, expected.salt);
      return stored !== null && timingSafeEqual(key, expected.hash);
    },
  };
};

const loadCommonPasswords = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map((password) => password.normalize('NFKC').toLowerCase()));
};

/** The passwords that zxcvbn lists as leaked most often. Loaded at the first use, because most processes never need them. */
export const commonPasswords = (): CommonPasswords => {
  let list: Promise<ReadonlySet<string>> | null = null;
  return {
    async includes(password) {
      list ??= loadCommonPasswords();
      return (await list).has(password);
    },
  };
};
