import type { Provider } from 'oidc-provider';
import type { AccountService } from '../../application/access/accounts.ts';
import type { User } from '../../domain/access.ts';
import type { Browsers } from './browsers.ts';
import type { Cookies } from './forms.ts';
import { SESSION_SECONDS } from './provider.ts';
import type { RequestContext } from './request-context.ts';
import { subjectOf, userOf } from './subjects.ts';

/** Who is signed in, in this browser. The library keeps the sessions; it only begins them within an authorization. */
export interface Sessions {
  user(context: RequestContext): Promise<User | null>;
  /** Begins a session, or throws what was wrong. A session that was there before ends: nobody goes on in what somebody else has begun. */
  signIn(context: RequestContext, credentials: { readonly email: string; readonly password: string }): Promise<void>;
  end(context: RequestContext): Promise<void>;
}

interface Settings {
  readonly provider: Provider;
  readonly accounts: Pick<AccountService, 'find' | 'signIn'>;
  readonly browsers: Browsers;
  readonly cookies: Cookies;
  readonly path: string;
}

const COOKIE = 'portico_session';

export const sessions = ({ provider, accounts, browsers, cookies, path }: Settings): Sessions => {
  const options = { path, httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;

  const current = async (context: RequestContext) => {
    const id = cookies(context).get(COOKIE, { signed: true });
    return id === undefined ? undefined : provider.Session.find<InstanceType<Provider['Session']>>(id);
  };

  const end = async (context: RequestContext) => {
    await (await current(context))?.destroy();
    cookies(context).set(COOKIE, null, options);
  };

  return {
    user: async (context) => userOf(accounts, (await current(context))?.accountId),

    async signIn(context, credentials) {
      const attempt = { ...credentials, address: context.client, browser: browsers.known(cookies(context)) };
      const signedIn = await accounts.signIn(attempt);
      await (await current(context))?.destroy();
      const session = new provider.Session();
      session.loginAccount({ accountId: subjectOf(signedIn) });
      await session.save(SESSION_SECONDS);
      cookies(context).set(COOKIE, session.jti, { ...options, maxAge: SESSION_SECONDS * 1000 });
      browsers.remember(cookies(context), signedIn.user.id);
    },

    end,
  };
};
