import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';

const MOST_BYTES = 16 * 1024;
const COOKIE = 'portico_form';
const COOKIE_FORM = /^[\w-]{32}$/;

/** Requests of the library's kind read and write cookies: signed, and marked as secure behind https. */
export type Cookies = (exchange: Exchange) => Koa.Context['cookies'];

interface Settings {
  readonly key: Uint8Array;
  readonly cookies: Cookies;
  /** Where forms are, for the cookie. */
  readonly path: string;
}

export interface Forms {
  /** What a form carries, so that it is taken back from the browser it was given to, and from no other site. */
  token(exchange: Exchange): string;
  /** The fields of a form that is one of ours. */
  read(exchange: Exchange): Promise<URLSearchParams>;
}

const expired = () =>
  new DomainError('forbidden', 'This page is too old, or it was opened in another browser. Go back, load it again, and try once more.');

export const forms = ({ key, cookies, path }: Settings): Forms => {
  const sign = (browser: string) => createHmac('sha256', key).update(browser).digest();

  const known = (exchange: Exchange): string | null => {
    const value = cookies(exchange).get(COOKIE, { signed: false });
    return value !== undefined && COOKIE_FORM.test(value) ? value : null;
  };

  const introduce = (exchange: Exchange): string => {
    const browser = randomBytes(24).toString('base64url');
    cookies(exchange).set(COOKIE, browser, { path, httpOnly: true, sameSite: 'lax', signed: false, overwrite: true });
    return browser;
  };

  return {
    token: (exchange) => sign(known(exchange) ?? introduce(exchange)).toString('base64url'),

    async read(exchange) {
      const { headers } = exchange.req;
      const site = headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin') throw expired();
      if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) throw expired();
      const fields = new URLSearchParams(await readBody(exchange.req, MOST_BYTES));
      const browser = known(exchange);
      const given = Buffer.from(fields.get('form') ?? '', 'base64url');
      const right = browser === null ? null : sign(browser);
      if (right === null || given.length !== right.length || !timingSafeEqual(given, right)) throw expired();
      return fields;
    },
  };
};
