import { expect } from 'chai';
import { oauthClient } from '../oauth/client.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { freePort } from '../support/listen.ts';
import { conformance } from './conformance-suite.ts';

describe('MCP conformance: the authorization server', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.stop());

  it('passes every check of the official suite, for a program that asks for the tools of an agent', async () => {
    const oauth = oauthClient(world.baseUrl);
    const callback = await freePort();
    const client = await oauth.registered({ redirect_uris: [`http://127.0.0.1:${callback}/callback`] });
    const resource = world.mcpUrl(world.agent('Invoice reader'));

    const browse = async (url: string) => {
      const on = oauth.open();
      const { left } = await on.press(await oauth.signedIn(on, await on.open(url), 'ada@example.com'), 'Allow');
      await (await fetch(left ?? expect.fail('the answer did not come back'))).text();
    };
    const lost = new AbortController();
    let isAsked = false;
    const onOutput = (output: string) => {
      const asked = /^(http\S+\/oauth\/authorize\?\S+)\s/m.exec(output)?.[1];
      if (asked === undefined || isAsked) return;
      isAsked = true;
      browse(asked).catch((error: unknown) => lost.abort(error));
    };
    const which = [
      '--url',
      world.baseUrl,
      '--client-id',
      client.id,
      '--resource',
      resource,
      '--port',
      String(callback),
    ];
    const { code, output } = await conformance('next', ['authorization', ...which, '--output-dir', '.'], {
      onOutput,
      signal: lost.signal,
    });
    expect(code, output).to.equal(0);
    expect(output).to.include('authorization-server-metadata-endpoint: 2 passed, 0 failed\n');
    expect(output).to.include('authorization-code-grant: 1 passed, 0 failed\n');
  });
});
