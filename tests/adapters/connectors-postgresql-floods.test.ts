import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { BoundedClient, TooMuchSent } from '../../src/adapters/connectors/postgresql/bounded-client.ts';
import { execute } from '../../src/adapters/connectors/postgresql/rows/wire.ts';
import { never, refusal } from '../contracts/connector/suite.ts';
import { listening } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from './connectors-postgresql-harness.ts';

const message = (kind: string, content: Buffer | string, length?: number): Buffer => {
  const bytes = Buffer.concat([Buffer.from(`${kind}0000`), Buffer.from(content)]);
  bytes.writeUInt32BE(length ?? bytes.length - 1, 1);
  return bytes;
};
const LOGIN = message('R', Buffer.alloc(4));
const READY = message('Z', 'I');
const NOTICE = message('N', `SNOTICE\0C00000\0M${'x'.repeat(60_000)}\0\0`);
const COLUMN = message('T', Buffer.concat([Buffer.from('\0\x01pid\0'), Buffer.alloc(18)]));
const ROW = message('D', Buffer.concat([Buffer.from([0, 1, 0, 0, 0xea, 0x60]), Buffer.alloc(60_000, '1')]));
const ENOUGH = 1024 ** 3;

/** Sends these first, and the last of them as often as it is taken. */
const flood = (socket: Socket, first: readonly Buffer[], again: Buffer) => {
  for (const bytes of first) socket.write(bytes);
  const more = () => {
    while (!socket.destroyed && socket.bytesWritten < ENOUGH && socket.write(again));
  };
  socket.on('drain', more);
  more();
};

describe('a PostgreSQL server that sends without end', () => {
  const filler = Buffer.alloc(1 << 16);
  const atLogin: readonly (readonly [string, readonly Buffer[], Buffer])[] = [
    ['an error of two gigabytes instead of a login', [message('E', '', 0x7f_ff_ff_ff)], filler],
    ['notices instead of a login', [LOGIN], NOTICE],
  ];
  const atQuery: readonly (readonly [string, readonly Buffer[], Buffer])[] = [
    ['an error of two gigabytes', [message('E', '', 0x7f_ff_ff_ff)], filler],
    ['notices', [], NOTICE],
    ['rows', [COLUMN], ROW],
  ];
  const opened = connectors({ sealer, log: quiet, timeoutSeconds: 20, poolSize: 2 });
  after(() => opened.close());

  const refused = async (serve: (socket: Socket, asked: number) => void) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      let asked = 0;
      sockets.push(socket.on('error', () => {}));
      socket.on('data', () => {
        asked += 1;
        serve(socket, asked);
      });
    });
    const port = await listening(server);
    const connection = aConnection(`postgresql://a:b@127.0.0.1:${port}/shop?sslmode=disable`);
    const words = await refusal(opened.open(connection).tables(never));
    server.close();
    return { words: words.message, sent: Math.max(...sockets.map(({ bytesWritten }) => bytesWritten)) };
  };

  for (const [what, first, again] of atLogin)
    it(`is left before it fills the memory: ${what}`, async () => {
      const { words, sent } = await refused((socket) => flood(socket, first, again));
      expect([words, sent < ENOUGH / 4], `${sent}`).to.deep.equal([
        'The connection "ledger" sends more than is asked of it.',
        true,
      ]);
    });
  for (const [what, first, again] of atQuery)
    it(`is left before it fills the memory, when it is asked: ${what}`, async () => {
      const { words, sent } = await refused((socket, asked) => {
        if (asked === 1) socket.write(Buffer.concat([LOGIN, READY]));
        else flood(socket, first, again);
      });
      expect([words, sent < ENOUGH / 4], `${sent}`).to.deep.equal([
        'The connection "ledger" sends more than is asked of it.',
        true,
      ]);
    });

  it('is left before a message beside the rows fills the memory', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      let asked = 0;
      socket.on('data', () => {
        asked += 1;
        if (asked === 1) socket.write(Buffer.concat([LOGIN, READY]));
        else flood(socket, [message('N', '', 0x7f_ff_ff_ff)], filler);
      });
    });
    const client = new BoundedClient(`postgresql://a:b@127.0.0.1:${await listening(server)}/shop?sslmode=disable`);
    client.on('error', () => {});
    await client.connect();
    const [error, lost] = await new Promise<readonly [Error | null, boolean]>((resolve) => {
      const sink = { row: () => {}, wants: () => true, ended: (...end: [Error | null, boolean]) => resolve(end) };
      execute(client, { opening: null, values: [], restore: [], timeoutMilliseconds: 10_000 }, sink);
    });
    for (const socket of sockets) socket.destroy();
    server.close();
    expect([error instanceof TooMuchSent, lost], `${error}`).to.deep.equal([true, true]);
  });
});
