interface Terms {
  readonly everyMs: number;
  /** Answers whether to look again at once. */
  look(): Promise<boolean>;
  /** A look that failed is made again at the next wake-up. */
  failed(error: unknown): void;
}

/** Looks for work: when it is woken up, and every so often in case a wake-up was lost. Never looks twice at a time. */
export const poller = ({ everyMs, look, failed }: Terms) => {
  let looking: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const lookOn = async () => {
    while (again && !stopped) {
      again = false;
      try {
        again = (await look()) || again;
      } catch (error) {
        failed(error);
      }
    }
    looking = null;
  };

  /** Looks now, or once more after the look that is under way. */
  const wake = (): void => {
    if (stopped) return;
    again = true;
    looking ??= lookOn();
  };

  return {
    /** Looks now, and every so often from now on: a process that is killed again and again before its first interval is over looks too. */
    start(): void {
      timer = setInterval(wake, everyMs);
      wake();
    },
    wake,
    /** Resolves when no look is under way any more. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await looking;
    },
  };
};
