import { hash } from 'node:crypto';
import type { AccessTokens } from '../../../application/ports/oauth.ts';
import type { Clock, Log } from '../../../application/ports/runtime.ts';
import { ACCOUNT, scopes as allScopes, type Scope, TOOLS } from '../../../domain/access.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/oauth-statements.ts';
import * as people from '../statements/people-statements.ts';
import type { CallerCache, KnownCaller, UserRow } from './caller-cache.ts';
import { minutely } from './minutely.ts';

const FORM = /^svcpt_[0-9A-Za-z]{40}$/;

interface TokenRow extends UserRow {
  readonly id: string;
  readonly agentId: string | null;
  readonly scopes: readonly string[] | null;
  readonly signedInAt: Date | null;
  readonly expiresAt: Date;
}

const isScope = (name: string): name is Scope => Object.hasOwn(allScopes, name);

/** The id is the grant's, so that a refreshed token continues the rate limits of the one before it. */
const knownOf = ({ id, agentId, scopes, signedInAt, expiresAt, ...user }: TokenRow): KnownCaller => {
  const isUnlimited = scopes?.includes(agentId === null ? ACCOUNT : TOOLS) === true;
  return {
    caller: {
      ...user,
      credential: { id, kind: 'access_token', selfIssued: true },
      door: isUnlimited && agentId === null ? 'console' : 'oauth',
      signedInAt,
      scopes: isUnlimited ? null : new Set((scopes ?? []).filter(isScope)),
      boundToAgent: agentId,
    },
    expiresAt,
  };
};

interface Settings {
  readonly database: Pick<Database, 'read' | 'query'>;
  readonly callers: CallerCache;
  readonly clock: Clock;
  readonly log: Log;
}

export const accessTokens = ({ database, callers, clock, log }: Settings): AccessTokens => {
  const seen = minutely(people.seen, { database, clock, log });
  return {
    async findCaller(token) {
      if (!FORM.test(token)) return null;
      const digest = hash('sha256', token);
      const known = await callers.get(digest, async () => {
        const [row] = await database.read<TokenRow>(sql.findCaller, [digest]);
        return row ? knownOf(row) : null;
      });
      if (!known?.expiresAt || known.expiresAt <= clock.now()) return null;
      seen(known.caller.userId);
      return known.caller;
    },
  };
};
