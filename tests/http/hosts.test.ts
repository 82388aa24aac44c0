import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { openWorld, type World } from '../oauth/world.ts';

describe('the host that a request names', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.stop());

  const ask = async (version: string, hosts: readonly string[]) => {
    const { hostname, port } = new URL(world.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.end([`GET /api/v1 HTTP/${version}`, ...hosts, 'Connection: close', '', ''].join('\r\n'));
    return text(socket);
  };

  for (const [version, hosts] of [
    ['1.1', ['Host: x', 'Host: y']],
    ['1.1', ['Host: x', 'host: x']],
    ['1.1', []],
    ['1.1', ['Host: a b']],
    ['1.1', ['Host: x/y']],
    ['1.1', ['Host: x:80:80']],
    ['1.0', ['Host: x', 'Host: y']],
  ] as const)
    it(`is refused in HTTP/${version}: ${hosts.join(', ') || 'none'}`, async () => {
      expect(await ask(version, hosts))
        .to.match(/^HTTP\/1.1 400 /)
        .and.match(/\r\nx-request-id: /i)
        .and.include('"code":"invalid_request"');
    });

  for (const [version, hosts] of [
    ['1.1', ['Host:']],
    ['1.1', ['Host: [::1]:80']],
    ['1.1', ['Host: api_1.example:3000']],
    ['1.0', []],
  ] as const)
    it(`is taken in HTTP/${version}: ${hosts.join(', ') || 'none'}`, async () => {
      expect(await ask(version, hosts)).to.match(/^HTTP\/1.1 200 /);
    });
});
