import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { base62 } from '../../src/adapters/oauth/secrets.ts';
import { type Listener, openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { accountRepository } from '../../src/adapters/postgres/repositories/account-repository.ts';
import { callerCache } from '../../src/adapters/postgres/repositories/caller-cache.ts';
import { oauthStore } from '../../src/adapters/postgres/repositories/oauth-store.ts';
import { accessTokens } from '../../src/adapters/postgres/repositories/oauth-tokens.ts';
import type { AccessTokens, OAuthStore } from '../../src/application/ports/oauth.ts';
import { operator, system } from '../../src/domain/audit.ts';
import { type OAuthStoreHarness, oauthStoreContract } from '../contracts/oauth-store.ts';
import { anId, aWorkspace } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('OAuth in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    let harness: OAuthStoreHarness;
    before(async () => {
      const { database } = postgres;
      const { agent } = await aWorkspace(database);
      harness = {
        store: oauthStore({ database, onRevoked() {} }),
        agentId: agent.id,
        aUser: async () => (await aWorkspace(database)).user,
        async letPass(seconds) {
          for (const table of ['oauth_records', 'oauth_grants']) {
            await database.pool.query(`update ${table} set expires_at = expires_at - make_interval(secs => $1)`, [
              seconds,
            ]);
          }
          const older = 'update oauth_records set consumed_at = consumed_at - make_interval(secs => $1)';
          await database.pool.query(older, [seconds]);
        },
      };
    });

    describe('the store', () => oauthStoreContract(() => harness));

    describe('access tokens', () => {
      let listeners: Listener[] = [];
      let here: { store: OAuthStore; tokens: AccessTokens };
      let there: { store: OAuthStore; tokens: AccessTokens };
      let now = new Date();
      let reads = 0;

      const open = async () => {
        const { database } = postgres;
        const listener = openListener(database, quiet);
        await new Promise<void>((resolve) => listener.listen('portico_access', { message() {}, gap: resolve }));
        listeners.push(listener);
        const callers = callerCache(listener, 600_000);
        const read: typeof database.read = (statement, values) => {
          reads += 1;
          return database.read(statement, values);
        };
        return {
          store: oauthStore({ database, onRevoked: callers.invalidate }),
          tokens: accessTokens({
            database: { ...database, read },
            callers,
            clock: { now: () => now },
            log: quiet,
          }),
        };
      };

      before(async () => {
        [here, there] = [await open(), await open()];
      });
      after(async () => {
        await Promise.all(listeners.map((listener) => listener.close()));
        listeners = [];
      });
      beforeEach(() => {
        now = new Date();
      });

      const issue = async (over: { agentId?: string | null; scopes?: readonly string[]; signedInAt?: Date } = {}) => {
        const { user } = await aWorkspace(postgres.database);
        const token = `svcpt_${base62(40)}`;
        const grant = {
          id: anId(),
          userId: user.id,
          clientId: 'c',
          clientName: null,
          clientHost: 'h',
          resource: 'r',
          usedAt: null,
          agentId: over.agentId ?? null,
        };
        const { scopes = ['agents:read', 'openid'], signedInAt = null } = over;
        await here.store.saveGrant(
          { ...grant, scopes, createdAt: now, expiresAt: new Date(Date.now() + 86_400_000) },
          'x',
          system,
        );
        const record = {
          kind: 'AccessToken',
          hash: sha256(token),
          otherHash: null,
          sealed: 's',
          grantId: grant.id,
          userId: null,
          scopes,
        };
        await here.store.save({ ...record, signedInAt, expiresAt: new Date(Date.now() + 3_600_000) });
        return { token, user, grantId: grant.id };
      };

      it('tell who is behind them: the grant is the credential', async () => {
        const { token, user, grantId } = await issue();
        const { id: userId, workspaceId, email, role } = user;
        const expected = {
          userId,
          workspaceId,
          email,
          role,
          credential: { id: grantId, kind: 'access_token', selfIssued: true },
          scopes: new Set(['agents:read']),
          door: 'oauth',
          signedInAt: null,
          boundToAgent: null,
        };
        expect(await here.tokens.findCaller(token)).to.deep.equal(expected);
        const before = reads;
        expect(await here.tokens.findCaller(token), 'remembered').to.deep.equal(expected);
        expect(reads).to.equal(before);
      });

      it('are bound to the agent of their grant: for everything there, or for what their scopes grant', async () => {
        const boundToAgent = harness.agentId;
        const { token: whole } = await issue({ agentId: boundToAgent, scopes: ['agent:tools'] });
        expect(await here.tokens.findCaller(whole)).to.deep.include({ boundToAgent, scopes: null });
        const { token: part } = await issue({ agentId: boundToAgent, scopes: ['account', 'runs:read'] });
        expect(await here.tokens.findCaller(part)).to.deep.include({ boundToAgent, scopes: new Set(['runs:read']) });
        const { token: api } = await issue({ scopes: ['agent:tools', 'runs:read'] });
        expect(await here.tokens.findCaller(api)).to.deep.include({
          boundToAgent: null,
          scopes: new Set(['runs:read']),
        });
      });

      it('are the console’s where they are for everything that the user may do, and say when the user signed in', async () => {
        const signedInAt = new Date('2026-03-01T10:00:00.000Z');
        const { token } = await issue({ scopes: ['account'], signedInAt });
        expect(await here.tokens.findCaller(token)).to.deep.include({ door: 'console', signedInAt, scopes: null });
      });

      it('are nobody’s where they cannot be tokens: the database is not asked', async () => {
        const before = reads;
        for (const text of [
          '',
          'svcpt_',
          `svcpt_${'a'.repeat(39)}`,
          `svcpt_${'a'.repeat(41)}`,
          `svcpt_${'-'.repeat(40)}`,
          `svcrt_${base62(40)}`,
          '\0',
        ]) {
          expect(await here.tokens.findCaller(text)).to.equal(null);
        }
        expect(reads).to.equal(before);
        expect(await here.tokens.findCaller(`svcpt_${base62(40)}`)).to.equal(null);
      });

      it('end at their expiry, remembered or not', async () => {
        const { token } = await issue();
        expect(await here.tokens.findCaller(token)).not.to.equal(null);
        now = new Date(Date.now() + 3_600_001);
        expect(await here.tokens.findCaller(token)).to.equal(null);
        expect(await there.tokens.findCaller(token)).to.equal(null);
      });

      it('end with their grant, at once here and elsewhere when word comes', async () => {
        const { token, grantId } = await issue();
        for (const { tokens } of [here, there]) expect(await tokens.findCaller(token)).not.to.equal(null);
        await here.store.removeGrant(grantId, system);
        expect(await here.tokens.findCaller(token)).to.equal(null);
        await eventually(async () => (await there.tokens.findCaller(token)) === null);
      });

      it('follow what becomes of the user', async () => {
        const { token, user } = await issue();
        await here.tokens.findCaller(token);
        await postgres.database.pool.query(`update users set role = 'viewer' where id = $1`, [user.id]);
        await eventually(async () => (await here.tokens.findCaller(token))?.role === 'viewer');
        await postgres.database.pool.query('update users set removed_at = now() where id = $1', [user.id]);
        await eventually(async () => (await here.tokens.findCaller(token)) === null);
      });
    });

    describe('accounts', () => {
      const hash = () => randomBytes(32).toString('hex');
      const soon = () => new Date(Date.now() + 60_000);

      it('are found by email and id, without those that were removed', async () => {
        const { database } = postgres;
        const accounts = accountRepository({ database, onRevoked() {} });
        const { user } = await aWorkspace(database);
        expect(await accounts.findByEmail(user.email)).to.deep.equal({ user, passwordVersion: 0, passwordHash: null });
        expect(await accounts.find(user.id)).to.deep.equal({ user, passwordVersion: 0 });
        await database.pool.query('update users set removed_at = now() where id = $1', [user.id]);
        expect([await accounts.findByEmail(user.email), await accounts.find(user.id)]).to.deep.equal([null, null]);
        for (const text of ['', 'x', '\0'])
          expect([await accounts.findByEmail(text), await accounts.find(text)]).to.deep.equal([null, null]);
      });

      it('take a password by an invitation, which one of many uses up', async () => {
        const { database } = postgres;
        const accounts = accountRepository({ database, onRevoked() {} });
        const { user } = await aWorkspace(database);
        const [old, current] = [hash(), hash()];
        await accounts.invite({ userId: user.id, hash: old, expiresAt: soon(), by: null }, operator);
        await accounts.invite({ userId: user.id, hash: current, expiresAt: soon(), by: null }, operator);
        expect(await accounts.findInvited(old)).to.equal(null);
        expect(await accounts.findInvited(current)).to.deep.equal(user);
        const accepted = await Promise.all(
          Array.from({ length: 6 }, (_, index) => accounts.accept(current, `hash ${index}`, '192.0.2.1')),
        );
        expect(accepted.filter((each) => each !== null)).to.deep.equal([{ user, passwordVersion: 1 }]);
        expect((await accounts.findByEmail(user.email))?.passwordHash).to.equal(
          `hash ${accepted.findIndex((each) => each !== null)}`,
        );
        expect(await accounts.findInvited(current)).to.equal(null);
      });

      it('take none by an invitation that is over, or of a user who was removed', async () => {
        const { database } = postgres;
        const accounts = accountRepository({ database, onRevoked() {} });
        const { user } = await aWorkspace(database);
        const late = hash();
        await accounts.invite({ userId: user.id, hash: late, expiresAt: new Date(), by: null }, operator);
        expect([await accounts.findInvited(late), await accounts.accept(late, 'h', '192.0.2.1')]).to.deep.equal([
          null,
          null,
        ]);
        const gone = hash();
        await accounts.invite({ userId: user.id, hash: gone, expiresAt: soon(), by: null }, operator);
        await database.pool.query('update users set removed_at = now() where id = $1', [user.id]);
        expect([await accounts.findInvited(gone), await accounts.accept(gone, 'h', '192.0.2.1')]).to.deep.equal([
          null,
          null,
        ]);
      });

      it('end every session and every grant with the old password, of this user alone', async () => {
        const { user } = await aWorkspace(postgres.database);
        const { user: other } = await aWorkspace(postgres.database);
        const ended: string[] = [];
        const accounts = accountRepository({ database: postgres.database, onRevoked: (id) => void ended.push(id) });
        const session = {
          kind: 'Session',
          hash: hash(),
          otherHash: null,
          sealed: 's',
          grantId: null,
          userId: user.id,
          scopes: null,
          signedInAt: null,
          expiresAt: soon(),
        };
        await harness.store.save(session);
        const grants = [user, other].map(({ id: userId }) => ({
          id: anId(),
          userId,
          clientId: 'c',
          clientName: null,
          clientHost: 'h',
          resource: 'r',
          agentId: null,
          scopes: [],
          createdAt: new Date(),
          usedAt: null,
          expiresAt: soon(),
        }));
        for (const grant of grants) {
          await harness.store.saveGrant(grant, 'x', system);
          const token = {
            ...session,
            kind: 'AccessToken',
            hash: sha256(grant.id),
            grantId: grant.id,
            userId: null,
            scopes: [],
          };
          await harness.store.save(token);
        }
        const invitation = hash();
        await accounts.invite({ userId: user.id, hash: invitation, expiresAt: soon(), by: null }, operator);
        await accounts.accept(invitation, 'h', '192.0.2.1');
        expect(await harness.store.find('Session', session.hash)).to.equal(null);
        const left = await Promise.all(grants.map(({ id }) => harness.store.find('AccessToken', sha256(id))));
        expect(left.map((token) => token !== null)).to.deep.equal([false, true]);
        expect(await harness.store.listGrants(user.id)).to.deep.equal([]);
        expect(await harness.store.listGrants(other.id)).to.have.length(1);
        expect(ended).to.deep.equal([user.id]);
      });
    });
  });
});
