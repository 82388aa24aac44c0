const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A terminal and a service manager signal a whole group of processes, which pass it on: within this time it is one request to stop. */
const SAME_REQUEST_MS = 1000;

/**
 * Calls `stop` at the first signal to stop; a later one ends the process at once. Returns what ends this, where no signal has come: one
 * that has may come again, and must not end a process that is about to end by itself.
 */
export const onStopSignal = (stop: () => void): (() => void) => {
  let since: number | null = null;
  const onSignal = () => {
    if (since === null) {
      since = performance.now();
      stop();
    } else if (performance.now() - since > SAME_REQUEST_MS) process.exit(130);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    if (since === null) for (const signal of SIGNALS) process.off(signal, onSignal);
  };
};
