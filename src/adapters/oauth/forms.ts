import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { readBody } from './body.ts';
import type { RequestContext } from './request-context.ts';

const MOST_BYTES = 16 * 1024;
const COOKIE = 'portico_form';
const COOKIE_FORM = /^[\w-]{32}$/;

/** Requests of the library's kind read and write cookies: signed, and marked as secure behind https. */
export type Cookies = (context: RequestContext) => Koa.Context['cookies'];

interface Settings {
  readonly key: Uint8Array;
  readonly cookies: Cookies;
  /** Where forms are, for the cookie. */
  readonly path: string;
}

export interface Forms {
  /** What a form carries, so that it is taken back from the browser it was given to, and from no other site. */
  token(context: RequestContext): string;
  /** The fields of a form that is one of ours. */
  read(context: RequestContext): Promise<URLSearchParams>;
}

const expired = () =>
  new DomainError('forbidden', 'This page is too old, or it was opened in another browser. Go back, load it again, and try once more.');

export const forms = ({ key, cookies, path }: Settings): Forms => {
  const sign = (browser: string) => createHmac('sha256', key).update(browser).digest();

  const known = (context: RequestContext): string | null => {
    const value = cookies(context).get(COOKIE, { signed: false });
    return value !== undefined && COOKIE_FORM.test(value) ? value : null;
  };

  const introduce = (context: RequestContext): string => {
    const browser = randomBytes(24).toString('base64url');
    cookies(context).set(COOKIE, browser, { path, httpOnly: true, sameSite: 'lax', signed: false, overwrite: true });
    return browser;
  };

  return {
    token: (context) => sign(known(context) ?? introduce(context)).toString('base64url'),

    async read(context) {
      const { headers } = context.req;
      const site = headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin') throw expired();
      if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) throw expired();
      const fields = new URLSearchParams(await readBody(context.req, MOST_BYTES));
      const browser = known(context);
      const given = Buffer.from(fields.get('form') ?? '', 'base64url');
      const right = browser === null ? null : sign(browser);
      if (right === null || given.length !== right.length || !timingSafeEqual(given, right)) throw expired();
      return fields;
    },
  };
};
