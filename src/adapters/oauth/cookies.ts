import type Koa from 'koa';
import type { RequestContext } from './request-context.ts';
import { pathOf } from './resources.ts';
import { sha256 } from './secrets.ts';

/** The library's cookies of a request: signed, and `Secure` behind https. */
export type Cookies = (context: RequestContext) => Koa.Context['cookies'];

/** How every cookie is set. */
const COOKIE = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;

export type CookieTerms = ReturnType<typeof cookieTerms>;

/**
 * The names and attributes of the cookies of an authorization server. Behind https browsers accept the name `__Host-…` from this host alone
 * and over TLS, so that a sibling host cannot set it; over http they refuse the name. Such a cookie is of the whole host, so a server below a
 * path has names of its own. The two cookies of one authorization keep the path of its pages, so that several can be under way at a time.
 */
export const cookieTerms = (issuer: string) => {
  const prefix = pathOf(issuer);
  const isSecure = issuer.startsWith('https:');
  const host = (name: string) =>
    isSecure ? `__Host-${name}${prefix === '' ? '' : `_${sha256(prefix).slice(0, 8)}`}` : name;
  const secure = (name: string) => (isSecure ? `__Secure-${name}` : name);
  return {
    names: {
      session: host('portico_session'),
      form: host('portico_form'),
      browser: host('portico_browser'),
      organisation: host('portico_organisation'),
      interaction: secure('portico_interaction'),
      resume: secure('portico_resume'),
    },
    long: { ...COOKIE, path: isSecure ? '/' : `${prefix}/oauth` },
    short: COOKIE,
  };
};
