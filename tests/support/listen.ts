import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Has a server listen on a port of its own, on this machine only; answers the port. */
export const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

/** Ends a server and the connections of its clients. */
export const closed = (server: Pick<HttpServer, 'close' | 'closeAllConnections'>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Answers HTTP on a port of its own. */
export const listen = async (listener: RequestListener) => {
  const server = createHttpServer({ maxHeaderSize: 131_072 }, listener);
  const port = await listening(server);
  return { port, baseUrl: `http://127.0.0.1:${port}`, stop: () => closed(server) };
};

/** Below the ports that the system gives out by itself, each process of the tests has a stretch of its own: what is free stays free. */
const LOWEST = 12_000;
const STRETCH = 1_000;
const STRETCHES = 20;

const { MOCHA_WORKER_ID: worker = String(STRETCHES - 1) } = process.env;
const first = LOWEST + (Number(worker) % STRETCHES) * STRETCH;
let next = randomInt(STRETCH);

/** For a server that has to be found again where it was, after it was ended and started. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + (next++ % STRETCH);
    const server = createServer();
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
};
