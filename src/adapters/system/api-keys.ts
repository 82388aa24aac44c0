import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../../application/ports/secrets.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'svc-';
const RANDOM = 34;
const FORM = /^svc-([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

const base62 = (value: number): string => (value < 62 ? '' : base62(Math.floor(value / 62))) + DIGITS[value % 62];

const checksum = (body: string) => base62(crc32(body)).padStart(6, '0');

const sha256 = (text: string) => hash('sha256', text);

/** Of the keys that were shown last: a program shows one key in each of its requests, and to hash it is most of what knowing it costs. */
const hashes = new LRUCache<string, string>({ max: 1000 });

export const apiKeys: ApiKeys = {
  generate() {
    const body = Array.from({ length: RANDOM }, () => DIGITS[randomInt(DIGITS.length)]).join('');
    const key = `${PREFIX}${body}${checksum(body)}`;
    return { key, hash: sha256(key) };
  },
  hashOf(text) {
    const known = hashes.get(text);
    if (known !== undefined) return known;
    const [, body, sum] = FORM.exec(text) ?? [];
    if (body === undefined || checksum(body) !== sum) return null;
    const fresh = sha256(text);
    hashes.set(text, fresh);
    return fresh;
  },
};
