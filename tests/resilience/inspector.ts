/** One request over the protocol of Node's inspector. */
const ask = (socket: WebSocket, id: number, method: string) =>
  new Promise<Record<string, unknown>>((resolve, reject) => {
    const hear = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
      if (answer.id !== id) return;
      socket.removeEventListener('message', hear);
      resolve(answer.result ?? {});
    };
    socket.addEventListener('message', hear);
    socket.addEventListener('error', () => reject(new Error('The inspector does not answer.')), { once: true });
    socket.send(JSON.stringify({ id, method }));
  });

/** What a process that is inspected on this port has in use once its garbage is collected: objects, and buffers beside them. In bytes. */
export const liveMemory = async (port: number): Promise<number> => {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  try {
    await ask(socket, 1, 'HeapProfiler.collectGarbage');
    await ask(socket, 2, 'HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = await ask(socket, 3, 'Runtime.getHeapUsage');
    return Number(usedSize) + Number(backingStorageSize);
  } finally {
    socket.close();
  }
};
