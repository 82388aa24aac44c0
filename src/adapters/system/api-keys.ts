import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ApiKeys } from '../../application/ports/secrets.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'svc-';
const RANDOM = 34;
const FORM = /^svc-([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

const base62 = (value: number): string => (value < 62 ? '' : base62(Math.floor(value / 62))) + DIGITS[value % 62];

const checksum = (body: string) => base62(crc32(body)).padStart(6, '0');

const sha256 = (text: string) => hash('sha256', text);

export const apiKeys: ApiKeys = {
  generate() {
    const body = Array.from({ length: RANDOM }, () => DIGITS[randomInt(DIGITS.length)]).join('');
    const key = `${PREFIX}${body}${checksum(body)}`;
    return { key, hash: sha256(key) };
  },
  hashOf(text) {
    const [, body, sum] = FORM.exec(text) ?? [];
    return body !== undefined && checksum(body) === sum ? sha256(text) : null;
  },
};
