import type { Provider } from 'oidc-provider';
import type { AccountService } from '../../application/accounts.ts';
import type { User } from '../../domain/access.ts';
import type { Exchange } from './exchange.ts';
import type { Cookies } from './forms.ts';
import { SESSION_SECONDS } from './provider.ts';

/** Who is signed in, in this browser. The library keeps the sessions; it only begins them within an authorization. */
export interface Sessions {
  user(exchange: Exchange): Promise<User | null>;
  /** A session that was there before ends: nobody goes on in what somebody else has begun. */
  begin(exchange: Exchange, user: User): Promise<void>;
  end(exchange: Exchange): Promise<void>;
}

interface Settings {
  readonly provider: Provider;
  readonly accounts: Pick<AccountService, 'find'>;
  readonly cookies: Cookies;
  readonly path: string;
}

const COOKIE = 'portico_session';

export const sessions = ({ provider, accounts, cookies, path }: Settings): Sessions => {
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
    async user(exchange) {
      const accountId = (await current(exchange))?.accountId;
      return accountId === undefined ? null : accounts.find(accountId);
    },

    async begin(exchange, user) {
      await (await current(exchange))?.destroy();
      const session = new provider.Session();
      session.loginAccount({ accountId: user.id });
      await session.save(SESSION_SECONDS);
      cookies(exchange).set(COOKIE, session.jti, { ...options, maxAge: SESSION_SECONDS * 1000 });
    },

    end,
  };
};
