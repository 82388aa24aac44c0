import { type ReaderProcess, startReader } from './reader-process.ts';

interface Idle {
  readonly reader: ReaderProcess;
  readonly timer: NodeJS.Timeout;
}

/** Processes that read files: started when needed, used again, ended when idle for a while or grown large. */
export const readerPool = (memoryMegabytes: number, idleSeconds: number) => {
  const idle: Idle[] = [];
  const live = new Set<ReaderProcess>();
  const retireAtBytes = (memoryMegabytes / 2) * 1_048_576;

  const removeIdle = (reader: ReaderProcess) => {
    const at = idle.findIndex((entry) => entry.reader === reader);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer);
  };
  const start = () => {
    const reader = startReader(memoryMegabytes);
    live.add(reader);
    void reader.gone.then(() => {
      live.delete(reader);
      removeIdle(reader);
    });
    return reader;
  };

  return {
    take(): ReaderProcess {
      const reader = idle.at(-1)?.reader ?? start();
      removeIdle(reader);
      reader.hold(true);
      return reader;
    },
    /** `memoryBytes`: what it holds now. What one file made large would be held against the next. */
    giveBack(reader: ReaderProcess, memoryBytes: number): void {
      reader.hold(false);
      if (memoryBytes > retireAtBytes) {
        reader.kill();
        return;
      }
      const retire = () => {
        removeIdle(reader);
        reader.kill();
      };
      idle.push({ reader, timer: setTimeout(retire, idleSeconds * 1000).unref() });
    },
    async end(): Promise<void> {
      for (const reader of live) {
        // One that is idle would let the program end before it is seen to be gone.
        reader.hold(true);
        reader.kill();
      }
      await Promise.all([...live].map(({ gone }) => gone));
    },
  };
};
