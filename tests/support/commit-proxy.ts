import { connect, createServer, type Socket } from 'node:net';
import { listening } from './listen.ts';

/** What becomes of a commit on its way: it never arrives, its answer is lost or never comes, or it arrives long after its client has gone. */
export type Fate = 'lost' | 'done, and cut' | 'done, and silent' | 'late';

interface Target {
  readonly host: string;
  readonly port: number;
  /** How a commit stands in what is sent. */
  readonly commit: Buffer;
  /** What breaks the connection that sends it. */
  readonly refused?: Buffer;
}

/** A way to a database on which every commit has this fate; the `dark` one takes no connection any more after the first commit. */
export const commitProxy = async (
  { host, port: target, commit, refused }: Target,
  fate: Fate,
  { dark = false } = {},
) => {
  const sockets = new Set<Socket>();
  const late: (() => void)[] = [];
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
      if (committing && fate === 'late') late.push(() => far.write(data));
      if ((committing && (fate === 'lost' || fate === 'late')) || (refused && data.includes(refused))) near.destroy();
      else far.write(data);
    });
    far.on('data', (data) => {
      if (!committing) near.write(data);
      else if (fate === 'done, and cut') near.destroy();
    });
    near.on('close', () => {
      if (!committing || fate !== 'late') far.destroy();
    });
    far.on('close', () => near.destroy());
  });
  const port = await listening(server);
  return {
    port,
    /** Lets the late commits arrive. */
    deliver: () => {
      for (const send of late) send();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
