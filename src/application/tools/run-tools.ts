import { notFound } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json.ts';
import { shorten } from '../../domain/text.ts';
import { fileName, runFile, uploadedFile } from '../../wire/file.ts';
import type { Codec } from '../../wire/kit/codec.ts';
import { about, closed, list, map, nullable, optional, wire, withDefault } from '../../wire/kit/structures.ts';
import { base64, boolean, dateTime, integer, mediaType, string, uuid } from '../../wire/kit/values.ts';
import { documentStatus, runStatus, statusReason } from '../../wire/run.ts';
import type { RunDetail } from '../ports/storage.ts';
import type { ToolResult } from '../ports/tools.ts';
import type { RunService } from '../runs/runs.ts';
import type { UploadService } from '../runs/uploads.ts';
import { excerptOf, LONGEST_TEXT, MOST_BYTES, sizeOf } from './excerpt.ts';
import { alone, annotated, answered, described, type ToolGroup, textInput } from './tool.ts';

/** A larger file goes to an upload URL: a message of the protocol has to hold it, and a model may have to write it. */
const MOST_INLINE_BYTES = 1024 * 1024;
const MOST_WAIT_SECONDS = 25;
const MOST_FILES = 100;
const MOST_NAMES = 10;

interface Use {
  readonly runs: RunService;
  readonly uploads: UploadService;
  readonly agentId: string;
  /** How long a call may take. */
  readonly timeoutSeconds: number;
}

const upload = wire({ url: string, method: string, headers: map(string), expiresAt: dateTime });
const uploaded = closed({ file: runFile, upload: nullable(upload) });

const uploadFile = ({ uploads, agentId }: Use) =>
  described({
    description:
      'Makes room for a file that a run of this agent will read. With `content_base64` the file is stored at once. Without it, PUT the file to `upload.url`, ' +
      'with exactly the headers of `upload.headers`, before you start the run. `file` is an entry of `files` of the new run as it is. ' +
      'A file that no run takes within 24 hours is removed.',
    input: closed({
      fileName: about('With its extension, such as invoice.pdf.', fileName),
      contentType: about('Its media type, such as application/pdf.', mediaType),
      contentBase64: about('The whole file, if it has at most 1 MiB.', optional(base64(MOST_INLINE_BYTES))),
    }),
    output: uploaded,
    annotations: annotated('Upload a file', 'adds'),
    async run({ contentBase64, ...file }, { caller }) {
      if (contentBase64 !== undefined) {
        const stored = await uploads.store(caller, agentId, file, contentBase64);
        return { ...answered(uploaded, { file: stored, upload: null }), own: true };
      }
      const [made] = await uploads.createUrls(caller, agentId, [file]);
      if (!made) throw new Error('No URL was made for the file.');
      const { uploadUrl: url, headers, expiresAt } = made;
      return { ...answered(uploaded, { file: made, upload: { url, method: 'PUT', headers, expiresAt } }), own: true };
    },
  });

/** A run as it is answered at once. */
const identified = { runId: uuid, status: runStatus };
const started = closed(identified);

const startRun = ({ runs, agentId }: Use) =>
  described({
    description:
      'Starts a background run of this agent on uploaded files, a message, or both, and answers its id at once; the run ends later. Each file is worked on ' +
      'by itself, unless `process_together` is true.',
    input: closed({
      files: about(
        'Uploaded files, each the `file` that an upload was answered with.',
        withDefault(list(uploadedFile, { max: MOST_FILES }), []),
      ),
      userMessage: optional(textInput('A message to the agent.', 100_000)),
      processTogether: about('Whether all files are one unit of work.', withDefault(boolean, false)),
    }),
    output: started,
    annotations: annotated('Start a run', 'adds'),
    async run({ userMessage = null, ...request }, { caller, traceId = null, showLimit }) {
      const { run } = await runs.start(caller, {
        ...request,
        agentId,
        userMessage,
        traceId,
        idempotency: null,
        showLimit,
      });
      return { ...answered(started, { runId: run.id, status: run.status }), own: true };
    },
  });

const brief = (error: string | null) => error && shorten(error, LONGEST_TEXT);

const count = integer({ min: 0 });

const item = wire({
  index: count,
  status: runStatus,
  error: nullable(string),
  fileNames: list(string),
  fileCount: count,
  conversationId: nullable(uuid),
  document: nullable(wire({ documentId: uuid, name: string, status: documentStatus, error: nullable(string) })),
});
const items = list(item);

/** What became of each unit of work. */
const itemsOf = ({ units, files, documents }: RunDetail) => {
  const documentOf = new Map(documents.map((document) => [document.id, document]));
  return units.map(({ index, fileIndexes, status, error, conversationId, documentId }) => {
    const document = documentOf.get(documentId ?? '') ?? null;
    return {
      index,
      status,
      error: brief(error),
      fileNames: fileIndexes.slice(0, MOST_NAMES).map((position) => files[position]?.fileName ?? ''),
      fileCount: fileIndexes.length,
      conversationId,
      document: document && { ...document, documentId: document.id, error: brief(document.error) },
    };
  });
};

interface Items {
  readonly items: ReturnType<typeof itemsOf>;
  /** How many there are up to here; null if these are the last. */
  readonly next: number | null;
}

/** What is said of a run, and as many of its units after the first ones as there is room for. */
const withItems = <H>(output: Pick<Codec<H & Items>, 'encode'>, head: H, run: RunDetail, after: number): ToolResult => {
  const all = itemsOf(run);
  const without = output.encode({ ...head, items: [], next: Number.MAX_SAFE_INTEGER });
  const room = MOST_BYTES - sizeOf(without as JsonValue);
  const { next } = excerptOf(items.encode(all) as JsonValue, { pointer: '/items', after, room });
  return answered(output, { ...head, items: all.slice(after, next ?? all.length), next });
};

/** Of a tool that starts a run: what its call answers, and what came of the run. */
export const outcome = closed({ ...identified, items: optional(items), next: optional(nullable(count)) });

/** What came of a run that is over. */
export const outcomeOf = (run: RunDetail): ToolResult =>
  withItems(outcome, { runId: run.id, status: run.status }, run, 0);

const progress = closed({
  ...identified,
  statusReason: nullable(statusReason),
  error: nullable(string),
  createdAt: dateTime,
  startedAt: nullable(dateTime),
  completedAt: nullable(dateTime),
  items,
  next: nullable(count),
});

const getRun = ({ runs, agentId, timeoutSeconds }: Use) =>
  described({
    description:
      'Reads how far a run of this agent is, and what became of each unit of its work: its status, its error, the document that it made. A run that is ' +
      'completed, failed or cancelled does not change any more. With `wait` the answer comes as soon as the status changes. ' +
      'If `next` is not null, the same call with `after` goes on there.',
    input: closed({
      runId: about('The run, by its `run_id`.', uuid),
      wait: about(
        'Seconds to wait for a change of the status.',
        withDefault(integer({ min: 0, max: MOST_WAIT_SECONDS }), 0),
      ),
      after: about(
        'How many units to skip: the `next` of the answer before.',
        withDefault(integer({ min: 0, max: MOST_FILES }), 0),
      ),
    }),
    output: progress,
    annotations: annotated('Read a run', 'reads'),
    scope: 'runs:read',
    async run({ runId, wait, after }, { caller, signal }) {
      const before = await runs.get(caller, runId);
      if (before.agentId !== agentId) throw notFound('run');
      const isNews = ({ status }: RunDetail) => status !== before.status;
      // A call that waits for as long as it may take would be an error.
      const seconds = Math.min(wait, timeoutSeconds / 2);
      const run = wait === 0 ? before : await runs.watch(caller, before.id, seconds, isNews, signal);
      return withItems(progress, { ...run, runId: run.id, error: brief(run.error) }, run, after);
    },
  });

/** What programs start and follow the runs of one agent with. */
export const runTools = (use: Use): readonly ToolGroup[] => [
  alone('upload_file', uploadFile(use)),
  alone('start_run', startRun(use)),
  alone('get_run', getRun(use)),
];
