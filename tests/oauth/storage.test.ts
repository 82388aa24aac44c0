import { expect } from 'chai';
import type { Log } from '../../src/application/ports/runtime.ts';
import { AccountService } from '../../src/composition/modules/access.ts';
import { type OAuthClient, oauthClient } from './client.ts';
import { openWorld, PASSWORD, type World } from './world.ts';

const scope = 'agents:read';

describe('OAuth: what is kept', () => {
  const lines: string[] = [];
  const at = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { debug: at, info: at, warn: at, error: at };
  let world: World;
  before(async () => {
    world = await openWorld({ log });
  });
  after(() => world.stop());

  /** Every row of every table, as a thief of the database sees it. */
  const dump = async () => {
    const tables = await world.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => world.query<{ row: string }>(`select t::text as row from ${name} t`)),
    );
    return rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
  };

  it('is useless to a thief: no secret is in the database or in the log', async () => {
    const oauth = oauthClient(world.baseUrl);
    const client = await oauth.registered({ token_endpoint_auth_method: 'client_secret_basic' });
    const on = oauth.open();
    const { visit, verifier } = await oauth.asked(
      client,
      { scope, state: 'a-state-of-the-client' },
      'ada@example.com',
      on,
    );
    const form = /name="form" value="([^"]+)"/.exec(visit.text)?.[1] ?? '';
    const interaction = visit.url.pathname.split('/').at(-1) ?? '';
    const { left } = await on.press(visit, 'Allow');
    const unused = await oauth.code(client, { scope }, 'ada@example.com', on);
    const { body: first } = await oauth.exchange(client, left?.searchParams.get('code') ?? '', verifier);
    const { body: second } = await oauth.refresh(client, first.refresh_token);
    await oauth.call('/api/v1/agents', second.access_token);
    const pending = await oauth.asked(client, { scope }, 'ada@example.com', on);
    const { url } = await world.composition.container.get(AccountService).invite('new@example.com');

    const secrets = {
      password: PASSWORD,
      clientSecret: client.secret,
      interaction,
      form,
      code: left?.searchParams.get('code'),
      unusedCode: unused.code,
      verifier,
      pendingInteraction: pending.visit.url.pathname.split('/').at(-1),
      invitation: url.split('/').at(-1),
      state: 'a-state-of-the-client',
      access: first.access_token,
      refresh: first.refresh_token,
      access2: second.access_token,
      refresh2: second.refresh_token,
      ...Object.fromEntries(on.cookies()),
    };
    const stored = await dump();
    expect(stored.length).to.be.above(5000);
    expect(stored).to.include('ada@example.com');
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).to.be.a('string').with.length.above(10);
      expect(stored.includes(String(secret)), `${name} in the database`).to.equal(false);
      expect(lines.join('\n').includes(String(secret)), `${name} in the log`).to.equal(false);
    }
    expect(lines.some((line) => line.includes('oauth interaction'))).to.equal(true);
  });

  it('is shared by every process: a flow may go through one after the other', async () => {
    const other = await world.second();
    let turn = 0;
    const alternating = () => {
      turn += 1;
      return turn % 2 === 0 ? world.baseUrl : other;
    };
    const oauth: OAuthClient = oauthClient(world.baseUrl, alternating);
    for (let round = 0; round < 3; round += 1) {
      const client = await oauth.registered({
        token_endpoint_auth_method: round === 0 ? 'client_secret_post' : 'none',
      });
      const { code, verifier, answer } = await oauth.code(client, { scope }, 'ada@example.com', oauth.open());
      expect(answer.searchParams.get('iss')).to.equal(world.baseUrl);
      const { body: tokens } = await oauth.exchange(client, code, verifier);
      for (let calls = 0; calls < 3; calls += 1)
        expect((await oauth.call('/api/v1/agents', tokens.access_token)).status).to.equal(200);
      const renewed = await oauth.refresh(client, tokens.refresh_token);
      expect(renewed.status).to.equal(200);
      expect((await oauth.revoke(client, renewed.body.access_token)).status).to.equal(200);
      for (const token of [tokens.access_token, renewed.body.access_token]) {
        let refusals = 0;
        for (let looks = 0; looks < 400 && refusals < 2; looks += 1) {
          refusals = (await oauth.call('/api/v1/agents', token)).status === 401 ? refusals + 1 : 0;
        }
        expect(refusals, 'one refusal from each process').to.equal(2);
      }
    }
  });

  it('describes itself in the same way at every metadata address', async () => {
    const other = await world.second();
    const described = await Promise.all(
      [world.baseUrl, other, other.replace('127.0.0.1', 'localhost')].map(async (base) => {
        const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
        return (await fetch(`${base}/.well-known/oauth-authorization-server`, { headers })).json();
      }),
    );
    expect(described[0]).to.deep.include({
      issuer: world.baseUrl,
      authorization_endpoint: `${world.baseUrl}/oauth/authorize`,
      token_endpoint: `${world.baseUrl}/oauth/token`,
      registration_endpoint: `${world.baseUrl}/oauth/register`,
      revocation_endpoint: `${world.baseUrl}/oauth/revoke`,
      scopes_supported: ['agents:read', 'runs:read', 'runs:write', 'documents:review', 'agent:tools'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(JSON.stringify(described[0])).not.to.match(/openid|id_token|jwks|subject|claims/);
    expect(described[1]).to.deep.equal(described[0]);
    expect(described[2]).to.deep.equal(described[0]);
  });

  it('is named in the index and in the metadata of every agent', async () => {
    const index = (await (await fetch(`${world.baseUrl}/api/v1`)).json()) as {
      authentication: { methods: readonly object[] };
    };
    const document = await (await fetch(`${world.baseUrl}/openapi.json`)).text();
    expect(document).to.include(`${world.baseUrl}/oauth/authorize`);
    expect(index.authentication.methods.at(-1) ?? (index as unknown as { data: typeof index }).data).to.deep.include({
      type: 'oauth2',
      flow: 'authorization_code',
      metadata_url: `${world.baseUrl}/.well-known/oauth-authorization-server`,
      scopes_supported: ['agents:read', 'runs:read', 'runs:write', 'documents:review'],
    });
    const resource = world.mcpUrl('0198c0de-0000-7000-8000-000000000001');
    const answer = await fetch(`${world.baseUrl}/.well-known/oauth-protected-resource${new URL(resource).pathname}`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([200, '*']);
    const described = {
      resource,
      authorization_servers: [world.baseUrl],
      scopes_supported: ['agent:tools'],
      bearer_methods_supported: ['header'],
    };
    expect(await answer.json()).to.deep.equal(described);
    expect((await fetch(`${world.baseUrl}/.well-known/oauth-protected-resource/api/v1/agents/1/mcp`)).status).to.equal(
      404,
    );
  });
});
