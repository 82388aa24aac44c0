import { connect, createServer, type Socket } from 'node:net';
import { listening } from './listen.ts';

/** What becomes of a commit on its way: it never arrives, its answer is lost, or its answer never comes. */
export type Fate = 'lost' | 'done, and cut' | 'done, and silent';

interface Target {
  readonly host: string;
  readonly port: number;
  /** How a commit stands in what is sent. */
  readonly commit: Buffer;
}

/** A way to a database on which every commit has this fate; the `dark` one takes no connection any more after the first commit. */
export const commitProxy = async ({ host, port: target, commit }: Target, fate: Fate, { dark = false } = {}) => {
  const sockets = new Set<Socket>();
  let committed = false;
  const server = createServer((near) => {
    if (dark && committed) return near.destroy();
    const far = connect(target, host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    let committing = false;
    near.on('data', (data) => {
      committing ||= data.includes(commit);
      committed ||= committing;
      if (committing && fate === 'lost') near.destroy();
      else far.write(data);
    });
    far.on('data', (data) => {
      if (!committing) near.write(data);
      else if (fate === 'done, and cut') near.destroy();
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const port = await listening(server);
  return {
    port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
