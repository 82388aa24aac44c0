import { connect, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listening } from '../../support/listen.ts';

export interface Network {
  readonly port: number;
  /** Bytes that came from the system. */
  readonly received: () => number;
  /** Cuts every connection that there is. */
  readonly cut: () => void;
  /** Passes nothing on any more, and says nothing. */
  readonly stall: () => void;
  readonly close: () => Promise<void>;
}

const networks = new Set<Network>();

/** Closes those that a test left open, also where it failed. */
export const closeNetworks = async () => {
  await Promise.all([...networks].map((network) => network.close()));
};

const openNetwork = async (serve: (near: Socket, count: (bytes: number) => void) => void): Promise<Network> => {
  let received = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {}).on('close', () => sockets.delete(near));
    serve(near, (bytes) => {
      received += bytes;
    });
  });
  const port = await listening(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stall = () => {
    for (const socket of sockets) socket.unpipe().pause();
    server.removeAllListeners('connection').on('connection', (near: Socket) => {
      sockets.add(near);
      near.on('error', () => {});
    });
  };
  const close = () =>
    new Promise<void>((resolve) => {
      networks.delete(network);
      server.close(() => resolve());
      cut();
    });
  const network: Network = { port, received: () => received, cut, stall, close };
  networks.add(network);
  return network;
};

/** A way to the system that can be cut, and that passes on no faster than what it passes is taken. */
export const proxyTo = ({ host, port }: { readonly host: string; readonly port: number }): Promise<Network> =>
  openNetwork((near, count) => {
    const far = connect(port, host);
    far.on('error', () => {}).on('data', (data) => count(data.length));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });

/** A way to the system that brings its bytes in pieces of these sizes, in turn. */
export const dribbleTo = (
  { host, port }: { readonly host: string; readonly port: number },
  sizes: readonly number[],
): Promise<Network> =>
  openNetwork((near, count) => {
    const far = connect(port, host);
    near.setNoDelay(true);
    far.on('error', () => {}).on('data', (data) => count(data.length));
    near.pipe(far);
    let turn = 0;
    const pieces = async function* () {
      for await (const data of far as AsyncIterable<Buffer>)
        for (let at = 0; at < data.length; ) {
          const size = sizes[turn % sizes.length] ?? 1;
          turn += 1;
          yield data.subarray(at, at + size);
          await new Promise((resolve) => setImmediate(resolve));
          at += size;
        }
    };
    pipeline(Readable.from(pieces()), near).catch(() => {});
    near.on('close', () => far.destroy());
  });

/** It takes every connection and never says a word. */
export const blackHole = (): Promise<Network> => openNetwork(() => {});
