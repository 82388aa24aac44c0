import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Provider, Provider as RealProvider } from 'oidc-provider';
import {
  AGENT_OF_CHOICE,
  API,
  normalisedTarget,
  originalParameters,
} from '../../src/adapters/oauth/authorization-request.ts';
import { isLocal, originOf } from '../../src/adapters/oauth/clients.ts';
import { cookieTerms } from '../../src/adapters/oauth/cookies.ts';
import { hashClientSecrets, setTokenPrefixes } from '../../src/adapters/oauth/oidc-provider.ts';
import { formTargetOf } from '../../src/adapters/oauth/pages/page.ts';
import { scryptPasswords } from '../../src/adapters/oauth/passwords.ts';
import { agentResources } from '../../src/adapters/oauth/resources.ts';
import { serverKeys } from '../../src/adapters/oauth/secrets.ts';
import { redact } from '../../src/adapters/system/log.ts';
import { TOOLS } from '../../src/domain/access.ts';

const agentId = '0198c0de-0000-7000-8000-00000000000a';

describe('OAuth: what is changed inside of the library', () => {
  const patched = (): Provider => {
    const provider = new RealProvider('https://auth.example', {
      jwks: { keys: [serverKeys(Buffer.alloc(32)).signing] },
      cookies: { keys: ['k'] },
      features: { devInteractions: { enabled: false } },
      adapter: (() => ({})) as never,
    });
    setTokenPrefixes(provider);
    hashClientSecrets(provider);
    return provider;
  };

  it('gives tokens our form, and notes on them what the library needs to store them', () => {
    const provider = patched();
    const models = provider as unknown as Readonly<
      Record<string, new (fields: object) => { generateTokenId(): string; format?: string }>
    >;
    const made = (name: string) => new (models[name] as (typeof models)[string])({});
    const access = made('AccessToken');
    const ids = Array.from({ length: 200 }, () => access.generateTokenId());
    for (const id of ids) expect(id).to.match(/^svcpt_[0-9A-Za-z]{40}$/);
    expect(new Set(ids).size).to.equal(200);
    expect(access.format).to.equal('opaque');
    expect(made('RefreshToken').generateTokenId()).to.match(/^svcrt_[0-9A-Za-z]{40}$/);
    expect(made('AuthorizationCode').generateTokenId()).to.match(/^[\w-]{43}$/);
    expect(redact(`"a ${access.generateTokenId()} b"`)).to.equal('"a svcpt_[redacted] b"');
  });

  it('fails at the start where the library has nothing of that name any more', () => {
    const nothing = {
      AccessToken: { prototype: {} },
      RefreshToken: { prototype: {} },
      Client: { prototype: {} },
    } as unknown as Provider;
    expect(() => setTokenPrefixes(nothing)).to.throw('generateTokenId');
    expect(() => hashClientSecrets(nothing)).to.throw('compareClientSecret');
  });
});

describe('OAuth: keys', () => {
  it('are the same wherever the encryption key is, and others where it is not', () => {
    const [one, same, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map(serverKeys);
    expect(one).to.deep.equal(same);
    expect(one?.cookies).not.to.equal(other?.cookies);
    expect(one?.signing.d).not.to.equal(other?.signing.d);
    const { d: _, alg: __, use: ___, ...publicPart } = one?.signing ?? ({} as never);
    expect(createPublicKey({ key: publicPart, format: 'jwk' }).asymmetricKeyType).to.equal('ed25519');
  });
});

describe('OAuth: cookies', () => {
  it('are of the host where TLS protects it, and there not those of another server at another path', () => {
    const of = (issuer: string) => ({
      session: cookieTerms(issuer).names.session,
      path: cookieTerms(issuer).long.path,
    });
    expect(of('https://auth.example')).to.deep.equal({ session: '__Host-portico_session', path: '/' });
    expect(of('http://localhost:3000')).to.deep.equal({ session: 'portico_session', path: '/oauth' });
    expect(of('http://localhost:3000/a')).to.deep.equal({ session: 'portico_session', path: '/a/oauth' });
    const [one, other] = [of('https://auth.example/a'), of('https://auth.example/b')];
    for (const { session, path } of [one, other])
      expect([session, path]).to.satisfy(() => /^__Host-portico_session_\w{8}$/.test(session) && path === '/');
    expect(one.session).to.not.equal(other.session);
  });
});

describe('OAuth: resources', () => {
  const plain = agentResources({ base: 'https://api.example', issuer: 'https://auth.example' });
  const below = agentResources({ base: 'https://host.example/portico', issuer: 'https://host.example/portico' });

  it('are the addresses of agents, however they are written', () => {
    for (const text of [
      plain.urlOf(agentId),
      'HTTPS://API.EXAMPLE:443/api/v1/agents/0198C0DE-0000-7000-8000-00000000000A/mcp',
      `${plain.urlOf(agentId)}/`,
    ]) {
      expect(plain.agentIdOf(text), text).to.equal(agentId);
    }
    expect(below.agentIdOf(below.urlOf(agentId))).to.equal(agentId);
  });

  it('are nothing else', () => {
    const wrong = [
      '',
      'x',
      'https://api.example',
      'https://api.example/api/v1',
      `http://api.example/api/v1/agents/${agentId}/mcp`,
      `${plain.urlOf(agentId)}?a`,
      `${plain.urlOf(agentId)}#`,
      `${plain.urlOf(agentId)}/x`,
      `https://u@api.example/api/v1/agents/${agentId}/mcp`,
      `https://api.example.evil/api/v1/agents/${agentId}/mcp`,
      `https://api.example/x/api/v1/agents/${agentId}/mcp`,
    ];
    for (const text of wrong) expect(plain.agentIdOf(text), text).to.equal(null);
    expect(below.agentIdOf(`https://host.example/api/v1/agents/${agentId}/mcp`)).to.equal(null);
  });

  it('are described where RFC 9728 looks, and named in the challenge', () => {
    const path = `/.well-known/oauth-protected-resource/portico/api/v1/agents/${agentId}/mcp`;
    expect(below.metadataAt(path)).to.deep.equal({
      resource: below.urlOf(agentId),
      authorization_servers: ['https://host.example/portico'],
      scopes_supported: ['agent:tools'],
      bearer_methods_supported: ['header'],
    });
    expect(below.challenge(agentId, false)).to.equal(
      `Bearer resource_metadata="https://host.example${path}", scope="agent:tools"`,
    );
    expect(below.challenge(agentId, true)).to.match(
      /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="/,
    );
    for (const other of ['/', '/.well-known/oauth-protected-resource', `${path}/x`, path.replace('/portico', '')])
      expect(below.metadataAt(other)).to.equal(null);
  });
});

describe('OAuth: requests in their normal form', () => {
  const resources = agentResources({ base: 'https://api.example', issuer: 'https://api.example' });
  const url = resources.urlOf(agentId);

  it('ask for the API, for an agent, or for the choice of one', () => {
    expect(normalisedTarget('runs:read x runs:read', [], resources)).to.deep.equal({
      scope: 'runs:read',
      resource: API,
    });
    expect(normalisedTarget('x', [''], resources)).to.deep.equal({ scope: TOOLS, resource: AGENT_OF_CHOICE });
    const ofAgent = (scope: string | null) => normalisedTarget(scope, [url], resources);
    for (const scope of [null, '', 'x', 'runs:read agent:tools x'])
      expect(ofAgent(scope)).to.deep.equal({ scope: TOOLS, resource: url });
    expect(ofAgent('x documents:review runs:read runs:read')).to.deep.equal({
      scope: 'documents:review runs:read',
      resource: url,
    });
    expect(normalisedTarget('agent:tools', [], resources)).to.deep.equal({ scope: TOOLS, resource: AGENT_OF_CHOICE });
    expect(normalisedTarget('agent:tools runs:read', [], resources)).to.deep.equal({
      scope: 'runs:read',
      resource: API,
    });
  });

  it('never ask for what the client has no name for, whatever it writes', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom(API, AGENT_OF_CHOICE, url)), { minLength: 1 }),
        (scope, resource) => {
          const asked = normalisedTarget(scope, resource, resources);
          const named = resource.filter((each) => each !== '');
          if (named.length === 0) return;
          expect(asked.resource === API || asked.resource === AGENT_OF_CHOICE).to.equal(false);
          if (named.length > 1) expect(resources.agentIdOf(asked.resource)).to.equal(null);
        },
      ),
    );
  });

  it('can be made again as they were', () => {
    const params = { client_id: 'c', state: 's', prompt: 'login', scope: TOOLS, resource: AGENT_OF_CHOICE, other: 7 };
    expect(originalParameters(params)).to.deep.equal({ client_id: 'c', state: 's', scope: TOOLS });
    expect(originalParameters({ scope: 'runs:read', resource: API })).to.deep.equal({ scope: 'runs:read' });
    expect(originalParameters({ scope: TOOLS, resource: url })).to.deep.equal({ scope: TOOLS, resource: url });
  });
});

describe('OAuth: what a client is shown as', () => {
  it('is where its document is, or else where the answer goes', () => {
    expect(originOf('https://app.example/client.json', 'http://127.0.0.1:1/cb')).to.deep.equal({
      host: 'app.example',
      local: true,
    });
    expect(originOf('abc', 'https://app.example/cb')).to.deep.equal({ host: 'app.example', local: false });
    expect(originOf('abc', 'http://[::1]:8080/cb')).to.deep.equal({ host: '[::1]:8080', local: true });
    expect(originOf('abc', 'editor://auth/cb')).to.deep.equal({ host: 'editor:', local: true });
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example:80', 'evil.example'])
      expect(isLocal(host)).to.equal(false);
  });

  it('lets the form of the page lead there and nowhere else', () => {
    expect(formTargetOf('https://app.example/cb?x=1')).to.equal('https://app.example');
    expect(formTargetOf('http://127.0.0.1:5555/cb')).to.equal('http://127.0.0.1:5555');
    expect(formTargetOf('http://[::1]:5555/cb')).to.equal('http:');
    expect(formTargetOf('editor://auth')).to.equal('editor:');
  });
});

describe('passwords', () => {
  it('are stored as a scrypt hash with its own salt and cost, and recognised', async () => {
    const passwords = scryptPasswords();
    const [one, other] = [await passwords.hash('seven grey herons'), await passwords.hash('seven grey herons')];
    expect(one)
      .to.match(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/)
      .and.not.to.equal(other);
    expect(await passwords.matches('seven grey herons', one)).to.equal(true);
    expect(await passwords.matches('seven grey heron', one)).to.equal(false);
    expect(
      await scryptPasswords({ ln: 10, r: 8, p: 1 }).matches('seven grey herons', one),
      'with the cost it was made at',
    ).to.equal(true);
    expect(await passwords.matches('anything', null)).to.equal(false);
    expect(await passwords.matches('x', '$scrypt$nonsense').catch((error: Error) => error.message)).to.include(
      'not in the form',
    );
  });

  it('are hashed a few at a time, and refused where too many wait', async () => {
    const passwords = scryptPasswords({ ln: 12, r: 8, p: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 150 }, async () => passwords.hash('x')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).to.be.within(40, 60);
    expect((refused[0] as PromiseRejectedResult).reason).to.include({ kind: 'rate_limited', retryAfterSeconds: 5 });
    expect(await passwords.hash('x')).to.be.a('string');
  });

  it('of a known browser are compared while strangers fill their line', async () => {
    const passwords = scryptPasswords({ ln: 12, r: 8, p: 1 });
    const own = await passwords.hash('seven grey herons');
    const strangers = Array.from({ length: 150 }, async () => passwords.matches('guess', own));
    const outcomes = Promise.allSettled(strangers);
    await Promise.any(strangers.slice(-1)).catch((error: AggregateError) =>
      expect(error.errors[0]).to.include({ kind: 'rate_limited' }),
    );
    expect(await passwords.matches('seven grey herons', own, true)).to.equal(true);
    expect((await outcomes).some(({ status }) => status === 'rejected')).to.equal(true);
  });
});
