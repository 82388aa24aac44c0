import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Client } from './client.ts';
import type { Context } from './command.ts';
import { CliFailure, exitCode, Interrupted, Refused } from './failures.ts';
import { isOver, progress } from './progress.ts';
import { showDocument, showOutcome } from './views.ts';
import { type Decoded, document, type RunDetail, runDetail, type WireDocument } from './wire.ts';

const WAIT_SECONDS = 25;
const DOCUMENTS_AT_ONCE = 4;
const SHORTEST_GAP_MS = 100;
/** Once per second, a watch fits into 100 requests a minute however busy the run is. */
const LONGEST_GAP_MS = 1000;

/** Polls until the run has ended; each new state is shown. The first answers may come quickly, later ones once a second. */
const untilOver = async (client: Client, id: string, signal: AbortSignal, show: (run: RunDetail) => void): Promise<Decoded<RunDetail>> => {
  const call = { path: `runs/${id}`, query: { wait: WAIT_SECONDS }, answer: runDetail };
  let etag: string | null = null;
  for (let answers = 1; ; answers++) {
    const news: Awaited<ReturnType<typeof client.changed<RunDetail>>> = await client.changed({ ...call, patient: answers > 1 }, etag);
    if (news !== null) {
      etag = news.etag;
      show(news.decoded.value);
      if (isOver(news.decoded.value.status)) return news.decoded;
    }
    await sleep(Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS * answers), undefined, { signal });
  }
};

const documentsOf = async (client: Client, run: RunDetail): Promise<readonly Decoded<WireDocument>[]> => {
  const limit = pLimit(DOCUMENTS_AT_ONCE);
  const documents = await limit.map(run.documents, ({ id }) =>
    client.call({ path: `documents/${encodeURIComponent(id)}`, answer: document, patient: true }).catch((error: unknown) => {
      // It was moved to trash just now.
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }),
  );
  return documents.filter((each) => each !== null);
};

/** Follows a run to its end and prints what it produced; the exit code says whether it was completed. */
export const watchRun = async (
  { terminal }: Context,
  client: Client,
  id: string,
  signal: AbortSignal,
  asJson: boolean,
): Promise<number> => {
  const shown = progress(terminal);
  try {
    const run = await untilOver(client, id, signal, shown.show).finally(shown.end);
    const documents = await documentsOf(client, run.value);
    showOutcome(terminal, run.value);
    if (asJson) terminal.json({ run: run.raw, documents: documents.map(({ raw }) => raw) });
    else for (const { value } of documents) showDocument(terminal, value);
    return run.value.status === 'completed' ? exitCode.done : exitCode.failed;
  } catch (error) {
    if (signal.aborted) throw new Interrupted(`The run goes on: portico runs watch ${id}`);
    if (error instanceof CliFailure && !(error instanceof Refused))
      throw new CliFailure(error.message, [...error.more, `the run may go on: portico runs watch ${id}`]);
    throw error;
  }
};
