import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type RunStatus, runMachine } from '../../domain/run.ts';
import type { Client } from './client.ts';
import type { Context } from './command.ts';
import { CliFailure, exitCode, Interrupted, Refused } from './failures.ts';
import { fitted } from './printable.ts';
import { painted, type Terminal } from './terminal.ts';
import { nameOfItem, showDocument, showOutcome } from './views.ts';
import { type Decoded, document, type RunDetail, type RunItem, runDetail, type WireDocument } from './wire.ts';

const WAIT_SECONDS = 25;
const DOCUMENTS_AT_ONCE = 4;
const SHORTEST_GAP_MS = 100;
/** Once per second, a watch fits into 100 requests a minute however busy the run is. */
const LONGEST_GAP_MS = 1000;

/** Shows the status of each unit of work. */
interface Progress {
  show(run: RunDetail): void;
  end(): void;
}

const marks: Readonly<Record<string, string>> = { queued: '·', running: '▸', completed: '✓', failed: '✗', cancelled: '–' };

/** A status that this program does not know yet is not an end. */
const isOver = (status: string) => runMachine.states.includes(status as RunStatus) && runMachine.isTerminal(status as RunStatus);

const lineOf = ({ paintNote }: Terminal, item: RunItem, columns: number) => {
  const mark = Object.hasOwn(marks, item.status) ? marks[item.status] : '?';
  const status = painted(paintNote, fitted(item.status, 9), 9);
  return `${mark} ${status} ${fitted(nameOfItem(item), columns - 12)}`;
};

/** A line for each change, for files and pipes; what waits is left out. */
const plain = (terminal: Terminal): Progress => {
  const shown = new Map<number, string>();
  return {
    show({ items }) {
      for (const item of items) {
        if (item.status !== 'queued' && shown.get(item.index) !== item.status)
          terminal.note(lineOf(terminal, item, Number.MAX_SAFE_INTEGER));
        shown.set(item.index, item.status);
      }
    },
    end() {},
  };
};

/** If there are more units than lines, those that are done are only counted. */
const live = (terminal: Terminal, status: NonNullable<Terminal['status']>): Progress => ({
  show({ items }) {
    const columns = Math.max(30, status.columns - 1);
    const room = Math.max(1, status.rows - 3);
    const open = items.filter((item) => !isOver(item.status));
    const lines = (items.length <= room ? items : open.slice(0, room)).map((item) => lineOf(terminal, item, columns));
    status.draw(items.length <= room ? lines : [...lines, `${items.length - open.length} of ${items.length} are done`]);
  },
  end: status.settle,
});

const progress = (terminal: Terminal): Progress => (terminal.status === null ? plain(terminal) : live(terminal, terminal.status));

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

/** Follows a run to its end and prints what it produced; the exit code is 0 only for a completed run. */
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
