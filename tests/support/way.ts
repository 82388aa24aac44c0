import { connect, createServer, type Socket } from 'node:net';
import { listening } from './listen.ts';

/**
 * A way to the server at this address, which can stall as if that machine hung: connections stay, new ones are taken, and no byte passes
 * either way. What a client has sent meanwhile arrives when it goes on, unless the client hung up. Or it is cut: connections end at once.
 */
export const wayTo = async (address: string) => {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let stalled = false;
  let isCut = false;
  let answered = (_bytes: number) => {};

  const stall = () => {
    stalled = true;
    for (const socket of sockets) socket.pause();
  };

  const join = (near: Socket) => {
    if (near.destroyed) return;
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.on('data', (data) => void other.write(data));
      if (stalled) socket.pause();
    }
    far.on('data', (data) => answered(data.length));
  };

  const server = createServer((near) => {
    near.on('error', () => {});
    if (isCut) near.destroy();
    else if (stalled) waiting.push(() => join(near));
    else join(near);
  });
  const port = await listening(server);
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    /** The same address by this way. */
    url: Object.assign(new URL(address), { hostname: '127.0.0.1', port: String(port) }).href,
    stall,
    /** Stalls once the server has answered this many bytes more; resolves then. */
    stallAfter: (bytes: number) =>
      new Promise<void>((resolve) => {
        let left = bytes;
        answered = (count) => {
          left -= count;
          if (left > 0) return;
          answered = () => {};
          stall();
          resolve();
        };
      }),
    cut() {
      isCut = true;
      end();
    },
    goOn() {
      stalled = false;
      isCut = false;
      for (const socket of sockets) socket.resume();
      for (const join of waiting.splice(0)) join();
    },
    close() {
      server.close();
      end();
    },
  };
};
