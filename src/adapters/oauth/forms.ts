import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../domain/errors.ts';
import { readBody } from './body.ts';
import type { Cookies, CookieTerms } from './cookies.ts';
import type { RequestContext } from './request-context.ts';
import type { Sessions } from './sessions.ts';

const MAX_BYTES = 16 * 1024;
const COOKIE_PATTERN = /^[\w-]{32}$/;

interface Dependencies {
  readonly key: Uint8Array;
  readonly cookies: Cookies;
  readonly terms: CookieTerms;
  readonly sessions: Pick<Sessions, 'uid'>;
}

export type Forms = ReturnType<typeof forms>;

export const expired = () =>
  new DomainError(
    'forbidden',
    'This page is too old, or it was opened in another browser. Go back, load it again, and try once more.',
  );

/** A form is of one session, or where there is none of one browser, and of one path. */
export const forms = ({ key, cookies, terms: { names, long }, sessions }: Dependencies) => {
  const sign = (owner: string, path: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([owner, path]))
      .digest();

  const knownBrowser = (context: RequestContext): string | null => {
    const value = cookies(context).get(names.form, { signed: false });
    return value !== undefined && COOKIE_PATTERN.test(value) ? value : null;
  };

  const newBrowser = (context: RequestContext): string => {
    const browser = randomBytes(24).toString('base64url');
    cookies(context).set(names.form, browser, { ...long, signed: false });
    return browser;
  };

  /** Whom the forms of this request are for; null for a browser that has shown none yet. */
  const ownerOf = async (context: RequestContext): Promise<string | null> => {
    const session = await sessions.uid(context);
    return session === null ? knownBrowser(context) : `session ${session}`;
  };

  /** The fields of a submitted form, and whether its token is of this session, browser and form. */
  const receive = async (context: RequestContext) => {
    if (!/^application\/x-www-form-urlencoded\b/i.test(context.req.headers['content-type'] ?? '')) throw expired();
    const fields = new URLSearchParams(await readBody(context.req, MAX_BYTES));
    const owner = await ownerOf(context);
    const sent = Buffer.from(fields.get('form') ?? '', 'base64url');
    const expected = owner === null ? null : sign(owner, context.path);
    const isOwn = expected !== null && sent.length === expected.length && timingSafeEqual(sent, expected);
    return { fields, isOwn };
  };

  return {
    /** Whether a script sends the request: with JSON, which no form can send, and a script of another origin only if it is allowed to. */
    isScript: ({ req }: RequestContext) => /^application\/json\b/i.test(req.headers['content-type'] ?? ''),

    /** The token of the form that is sent to this path, so that no other site can submit it (CSRF). */
    token: async (context: RequestContext, path = context.path): Promise<string> => {
      const owner = (await ownerOf(context)) ?? newBrowser(context);
      return sign(owner, path).toString('base64url');
    },

    receive,

    /** The fields of a submitted form; throws if its token is of another session, browser or form. */
    async read(context: RequestContext): Promise<URLSearchParams> {
      const { fields, isOwn } = await receive(context);
      if (!isOwn) throw expired();
      return fields;
    },
  };
};
