import { PorticoError } from './error.ts';
import type { components } from './openapi.ts';
import { type Exchange, patient, pause, type SendOptions, TIMEOUT_SECONDS } from './send.ts';

export type RunDetail = components['schemas']['RunDetail'];

export interface WaitOptions extends SendOptions {
  /** How long the run is waited for in all; absent: until it has ended. `timeoutSeconds` is for one request. */
  readonly waitSeconds?: number;
  /** Called with the first state of the run and with each one after it. */
  readonly onChange?: (run: RunDetail) => void;
}

export interface PollOptions extends SendOptions {
  readonly wait: number;
  readonly etag: string | null;
}

/** How long the server keeps a request until there is news. */
export const LONG_POLL_SECONDS = 25;
/** At most half of the time in which a request has to be answered. */
export const longPoll = (timeoutSeconds = TIMEOUT_SECONDS) =>
  Math.floor(Math.min(LONG_POLL_SECONDS, timeoutSeconds / 2));
const SHORTEST_GAP_SECONDS = 0.1;
/** Once per second, waiting fits into 100 requests a minute however busy the run is. */
const LONGEST_GAP_SECONDS = 1;
const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'] satisfies RunDetail['status'][]);

const tooLate = (id: string, seconds: number) =>
  new PorticoError({
    request: `GET /api/v1/runs/${id}`,
    origin: `run ${id}`,
    code: 'wait_timed_out',
    detail: `it has not ended within ${seconds} seconds, and goes on`,
  });

/** Asks for a run until it has ended. A status that this program does not know is not an end. */
export const waitForEnd = async (
  id: string,
  poll: (options: PollOptions) => Promise<Exchange & { readonly run: RunDetail | null }>,
  { waitSeconds, onChange, ...options }: WaitOptions,
): Promise<RunDetail> => {
  const deadline = waitSeconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitSeconds * 1000;
  let etag: string | null = null;
  for (let answers = 0; ; answers++) {
    const left = (deadline - performance.now()) / 1000;
    if (left <= 0) throw tooLate(id, waitSeconds ?? 0);
    const wait = Math.max(0, Math.min(longPoll(options.timeoutSeconds), Math.floor(left)));
    // A server that restarts is waited for once the run is known.
    const { run, response } = await poll({ ...(answers > 0 ? patient : {}), ...options, wait, etag });
    if (run !== null) {
      etag = response.headers.get('etag');
      onChange?.(run);
      if (ends.has(run.status)) return run;
    }
    await pause(
      Math.min(
        LONGEST_GAP_SECONDS,
        SHORTEST_GAP_SECONDS * (answers + 1),
        Math.max(0, (deadline - performance.now()) / 1000),
      ),
      options.signal,
    );
  }
};
