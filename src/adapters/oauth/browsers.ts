import { randomBytes } from 'node:crypto';
import type Koa from 'koa';
import type { KnownBrowser } from '../../application/access/accounts.ts';

const COOKIE = 'portico_browser';
const ID_BYTES = 16;
/** What browsers let a cookie last at most. */
const LASTS_MS = 400 * 86_400_000;
const MOST_USERS = 5;
const FORM = /^[\w-]{22}(\.[0-9a-f-]{36}){1,5}$/;

/** Which users have signed in with a browser: a signed cookie that outlives their sessions. */
export interface Browsers {
  known(cookies: CookieJar): KnownBrowser | null;
  remember(cookies: CookieJar, userId: string): void;
}

type CookieJar = Koa.Context['cookies'];

export const browsers = ({ path }: { readonly path: string }): Browsers => {
  const known = (cookies: CookieJar): KnownBrowser | null => {
    const value = cookies.get(COOKIE, { signed: true });
    if (value === undefined || !FORM.test(value)) return null;
    const [id = '', ...users] = value.split('.');
    return { id, users };
  };

  return {
    known,
    remember(cookies, userId) {
      const { id, users } = known(cookies) ?? { id: randomBytes(ID_BYTES).toString('base64url'), users: [] };
      const latest = [userId, ...users.filter((each) => each !== userId)].slice(0, MOST_USERS);
      const options = { path, httpOnly: true, sameSite: 'lax', signed: true, overwrite: true, maxAge: LASTS_MS } as const;
      cookies.set(COOKIE, [id, ...latest].join('.'), options);
    },
  };
};
