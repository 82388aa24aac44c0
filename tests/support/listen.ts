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

/** For a server that has to be found again where it was, after it was ended and started. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};
