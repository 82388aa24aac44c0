import pLimit from 'p-limit';
import { type Portico, PorticoError, type Retry, type Schemas, type SendOptions } from '../../client/portico.ts';
import { patient } from '../../client/send.ts';
import { type RunStatus, runMachine } from '../../domain/run.ts';
import { checked, type Document, type Event, type RunDetail, type RunItem, read } from './answers.ts';
import type { Context } from './command.ts';
import { retryNotes } from './connect.ts';
import { CliFailure, describeFailure, exitCode, Interrupted } from './failures.ts';
import { fitted, printable, widthOf } from './printable.ts';
import { painted, type Terminal } from './terminal.ts';
import { nameOfItem, showDocument, showOutcome } from './views.ts';

const DOCUMENTS_AT_ONCE = 4;
const NO_STREAM =
  'the server refuses one more stream of events for this key: the run is read again and again instead, without its steps';
const marks: Readonly<Record<string, string>> = {
  queued: '·',
  running: '▸',
  completed: '✓',
  failed: '✗',
  cancelled: '–',
};

/** A status that this program does not know yet is not an end. */
const isOver = (status: string) =>
  runMachine.states.includes(status as RunStatus) && runMachine.isTerminal(status as RunStatus);

/** A unit of work with what it did last. */
type WatchedItem = Omit<RunItem, 'status'> & { readonly status: string; readonly step?: string };
type WatchedRun = Omit<RunDetail, 'items'> & { readonly items: readonly WatchedItem[] };

/** Shows the status of each unit of work. */
type Show = (run: WatchedRun) => void;

const lineOf = ({ paintNote }: Terminal, item: WatchedItem, columns: number) => {
  const mark = Object.hasOwn(marks, item.status) ? marks[item.status] : '?';
  const status = painted(paintNote, fitted(item.status, 9), 9);
  const name = fitted(nameOfItem(item), columns - 12);
  const room = columns - 14 - widthOf(name);
  const step =
    item.step && item.status === 'running' && room > 10
      ? `  ${paintNote('dim', fitted(printable(item.step), room))}`
      : '';
  return `${mark} ${status} ${name}${step}`;
};

type Step = Schemas['Step'];

const did: Readonly<Record<string, string>> = {
  'unit.file_read': 'read',
  'unit.model_called': 'called',
  'unit.tool_called': 'called',
  'unit.retried': 'trying again:',
};

const stepOf = (type: string, { name, duration_ms: took }: Step): string | undefined => {
  if (!Object.hasOwn(did, type) || typeof name !== 'string') return undefined;
  return `${did[type]} ${name}${typeof took === 'number' ? `, ${(took / 1000).toFixed(1)} s` : ''}`;
};

/** The run after an event. What is over stays so: the run may have been read after the event. */
const after = (run: WatchedRun, event: Event): WatchedRun => {
  const [kind, what] = event.type.split('.');
  if (kind !== 'unit') return run;
  const status = what === 'completed' || what === 'failed' ? what : 'running';
  const data = event.data as Step;
  const step = stepOf(event.type, data);
  const changed = (item: WatchedItem) => ({ ...item, status, ...(step && { step }) });
  return {
    ...run,
    items: run.items.map((item) => (item.index === data.unit && !isOver(item.status) ? changed(item) : item)),
  };
};

/** A line for each change, for files and pipes; what waits is left out. */
const plain = (terminal: Terminal): Show => {
  const shown = new Map<number, string>();
  return ({ items }) => {
    for (const item of items) {
      if (item.status !== 'queued' && shown.get(item.index) !== item.status)
        terminal.note(lineOf(terminal, item, Number.MAX_SAFE_INTEGER));
      shown.set(item.index, item.status);
    }
  };
};

/** If there are more units than lines, those that are done are only counted. */
const live =
  (terminal: Terminal, status: NonNullable<Terminal['status']>): Show =>
  ({ items }) => {
    const columns = Math.max(30, status.columns - 1);
    const room = Math.max(1, status.rows - 3);
    const open = items.filter((item) => !isOver(item.status));
    const lines = (items.length <= room ? items : open.slice(0, room)).map((item) => lineOf(terminal, item, columns));
    status.draw(items.length <= room ? lines : [...lines, `${items.length - open.length} of ${items.length} are done`]);
  };

const documentsOf = async (client: Portico, run: RunDetail): Promise<readonly Document[]> => {
  const limit = pLimit(DOCUMENTS_AT_ONCE);
  const documents = await limit.map(run.documents, ({ id }) =>
    read('document', client.get('/api/v1/documents/{id}', { params: { path: { id } }, ...patient })).catch(
      (error: unknown) => {
        // It was moved to trash just now.
        if (error instanceof PorticoError && error.status === 404) return null;
        throw error;
      },
    ),
  );
  return documents.filter((each) => each !== null);
};

class StreamRefused extends Error {}

/** Shows each event of the run until its end, or until the server refuses a stream: a credential may have ten of them open. */
const streamed = async (client: Portico, first: RunDetail, show: Show, note: (line: string) => void) => {
  const noteRetry = retryNotes(note);
  const onRetry = (retry: Retry) => {
    if (retry.status === 429) throw new StreamRefused();
    noteRetry(retry);
  };
  let run: WatchedRun = first;
  for await (const event of client.runEvents(first.id, { ...patient, onRetry })) {
    run = after(run, checked('event', event));
    show(run);
  }
};

/** The run at its end; shows it until then. */
const followed = async (client: Portico, id: string, show: Show, note: (line: string) => void): Promise<RunDetail> => {
  const get = async (options: SendOptions) => {
    const run = await read('runDetail', client.get('/api/v1/runs/{id}', { params: { path: { id } }, ...options }));
    show(run);
    return run;
  };
  const first = await get({});
  if (isOver(first.status)) return first;
  try {
    await streamed(client, first, show, note);
    return await get(patient);
  } catch (error) {
    if (!(error instanceof StreamRefused)) throw error;
    note(NO_STREAM);
    const onChange = (run: RunDetail) => show(checked('runDetail', run));
    return read('runDetail', client.waitForRun(id, { ...patient, onChange }));
  }
};

/** Follows a run to its end and prints what it produced; the exit code is 0 only for a completed run. */
export const watchRun = async (
  { terminal }: Context,
  client: Portico,
  id: string,
  signal: AbortSignal,
  asJson: boolean,
): Promise<number> => {
  const { status } = terminal;
  const show = status === null ? plain(terminal) : live(terminal, status);
  try {
    const run = await followed(client, id, show, terminal.note).finally(() => status?.settle());
    const documents = await documentsOf(client, run);
    showOutcome(terminal, run);
    if (asJson) terminal.json({ run, documents });
    else for (const document of documents) showDocument(terminal, document);
    return run.status === 'completed' ? exitCode.done : exitCode.failed;
  } catch (error) {
    if (signal.aborted) throw new Interrupted(`The run goes on: portico runs watch ${id}`);
    const isRefusal = error instanceof PorticoError && error.status !== null && error.code !== 'not_portico';
    if (isRefusal || !(error instanceof PorticoError || error instanceof CliFailure)) throw error;
    const [message = '', ...more] = describeFailure(error);
    throw new CliFailure(message, [...more, `the run may go on: portico runs watch ${id}`], { cause: error });
  }
};
