import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { readBody } from './body.ts';
import { COOKIE } from './provider.ts';
import type { RequestContext } from './request-context.ts';

const MAX_BYTES = 16 * 1024;
const FORM_COOKIE = 'portico_form';
const COOKIE_PATTERN = /^[\w-]{32}$/;

/** The library's cookies of a request: signed, and `Secure` behind https. */
export type Cookies = (context: RequestContext) => Koa.Context['cookies'];

interface Dependencies {
  readonly key: Uint8Array;
  readonly cookies: Cookies;
  /** The path of the cookie: where the forms are. */
  readonly path: string;
}

export type Forms = ReturnType<typeof forms>;

const expired = () =>
  new DomainError('forbidden', 'This page is too old, or it was opened in another browser. Go back, load it again, and try once more.');

export const forms = ({ key, cookies, path }: Dependencies) => {
  const sign = (browser: string) => createHmac('sha256', key).update(browser).digest();

  const knownBrowser = (context: RequestContext): string | null => {
    const value = cookies(context).get(FORM_COOKIE, { signed: false });
    return value !== undefined && COOKIE_PATTERN.test(value) ? value : null;
  };

  const newBrowser = (context: RequestContext): string => {
    const browser = randomBytes(24).toString('base64url');
    cookies(context).set(FORM_COOKIE, browser, { ...COOKIE, path, signed: false });
    return browser;
  };

  const isOwn = ({ req }: RequestContext) => (req.headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';

  return {
    /** Whether a script of this origin sends the request: with JSON, for which a script of another origin has to ask first, and is refused. */
    isOwnScript: (context: RequestContext) => isOwn(context) && /^application\/json\b/i.test(context.req.headers['content-type'] ?? ''),

    /** Ties a form to the browser that it is shown in, so that no other site can submit it (CSRF). */
    token: (context: RequestContext) => sign(knownBrowser(context) ?? newBrowser(context)).toString('base64url'),

    /** The fields of a submitted form; throws if its token is not of this browser. */
    async read(context: RequestContext): Promise<URLSearchParams> {
      const { headers } = context.req;
      if (!isOwn(context)) throw expired();
      if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) throw expired();
      const fields = new URLSearchParams(await readBody(context.req, MAX_BYTES));
      const browser = knownBrowser(context);
      const given = Buffer.from(fields.get('form') ?? '', 'base64url');
      const expected = browser === null ? null : sign(browser);
      if (expected === null || given.length !== expected.length || !timingSafeEqual(given, expected)) throw expired();
      return fields;
    },
  };
};
