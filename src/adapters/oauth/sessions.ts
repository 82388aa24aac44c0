import type { Provider } from 'oidc-provider';
import type { AccountService } from '../../application/access/accounts.ts';
import type { User } from '../../domain/access.ts';
import type { Browsers } from './browsers.ts';
import type { Exchange } from './exchange.ts';
import type { Cookies } from './forms.ts';
import { SESSION_SECONDS } from './provider.ts';
import { subjectOf, userOf } from './subjects.ts';

/** Who is signed in, in this browser. The library keeps the sessions; it only begins them within an authorization. */
export interface Sessions {
  user(exchange: Exchange): Promise<User | null>;
  /** Begins a session, or throws what was wrong. A session that was there before ends: nobody goes on in what somebody else has begun. */
  signIn(exchange: Exchange, credentials: { readonly email: string; readonly password: string }): Promise<void>;
  end(exchange: Exchange): Promise<void>;
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

  const current = async (exchange: Exchange) => {
    const id = cookies(exchange).get(COOKIE, { signed: true });
    return id === undefined ? undefined : provider.Session.find<InstanceType<Provider['Session']>>(id);
  };

  const end = async (exchange: Exchange) => {
    await (await current(exchange))?.destroy();
    cookies(exchange).set(COOKIE, null, options);
  };

  return {
    user: async (exchange) => userOf(accounts, (await current(exchange))?.accountId),

    async signIn(exchange, credentials) {
      const attempt = { ...credentials, address: exchange.client, browser: browsers.known(cookies(exchange)) };
      const signedIn = await accounts.signIn(attempt);
      await (await current(exchange))?.destroy();
      const session = new provider.Session();
      session.loginAccount({ accountId: subjectOf(signedIn) });
      await session.save(SESSION_SECONDS);
      cookies(exchange).set(COOKIE, session.jti, { ...options, maxAge: SESSION_SECONDS * 1000 });
      browsers.remember(cookies(exchange), signedIn.user.id);
    },

    end,
  };
};
