import { notFound } from '../../domain/errors.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import { FILE_NAME, MEDIA_TYPE, type RunFile } from '../../domain/run.ts';
import { shorten } from '../../domain/text.ts';
import type { RunDetail } from '../ports/storage.ts';
import type { ToolResult } from '../ports/tools.ts';
import type { RunService } from '../runs/runs.ts';
import type { UploadService, UploadUrl } from '../runs/uploads.ts';
import { excerptOf, LONGEST_TEXT, MOST_BYTES, sizeOf } from './excerpt.ts';
import {
  alone,
  annotated,
  answered,
  inputOf,
  type LoneTool,
  listOf,
  outputOf,
  type ToolGroup,
  textInput,
  timeOf,
  uuidInput,
} from './tool.ts';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const countOrNull = { type: ['integer', 'null'] };

/** What is larger goes to an upload URL: a message of the protocol has to hold it, and a model may have to write it. */
const MOST_INLINE_BYTES = 1024 * 1024;
const BASE64 = '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
const MOST_WAIT_SECONDS = 25;
const MOST_FILES = 100;
const MOST_NAMES = 10;

const newFile: Readonly<Record<string, JsonSchema>> = {
  file_name: { ...textInput('With its extension, such as invoice.pdf.', 255), pattern: FILE_NAME.source },
  content_type: { ...textInput('Its media type, such as application/pdf.', 255), pattern: MEDIA_TYPE.source },
};
const uploadedFile = { file_key: textInput('The key of the upload.', 1024), ...newFile };

interface Use {
  readonly runs: RunService;
  readonly uploads: UploadService;
  readonly agentId: string;
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const entryOf = ({ fileKey, fileName, contentType }: RunFile) => ({
  file_key: fileKey,
  file_name: fileName,
  content_type: contentType,
});
const uploadOf = ({ uploadUrl, headers, expiresAt }: UploadUrl) => ({
  url: uploadUrl,
  method: 'PUT',
  headers: { ...headers },
  expires_at: timeOf(expiresAt),
});

const uploadFile = ({ uploads, agentId }: Use): LoneTool => ({
  description:
    'Makes room for a file that a run of this agent will read. With `content_base64` the file is stored at once. Without it, PUT the file to `upload.url`, ' +
    'with exactly the headers of `upload.headers`, before you start the run. `file` is an entry of `files` of the new run as it is. ' +
    'A file that no run takes within 24 hours is removed.',
  inputSchema: inputOf(
    {
      ...newFile,
      content_base64: {
        type: 'string',
        pattern: BASE64,
        maxLength: Math.ceil(MOST_INLINE_BYTES / 3) * 4,
        description: 'The whole file, if it has at most 1 MiB.',
      },
    },
    Object.keys(newFile),
  ),
  outputSchema: outputOf({
    file: outputOf({ file_key: text, file_name: text, content_type: text }),
    upload: {
      ...outputOf({ url: text, method: text, headers: { type: 'object' }, expires_at: text }),
      type: ['object', 'null'],
    },
  }),
  annotations: annotated('Upload a file', 'adds'),
  async run({ file_name: name, content_type: type, content_base64: content }, { caller }) {
    const file = { fileName: String(name), contentType: String(type) };
    if (content !== undefined) {
      const stored = await uploads.store(caller, agentId, file, bytesOf(String(content)));
      return { ...answered({ file: entryOf(stored), upload: null }), own: true };
    }
    const [url] = await uploads.createUrls(caller, agentId, [file]);
    if (!url) throw new Error('No URL was made for the file.');
    return { ...answered({ file: entryOf(url), upload: uploadOf(url) }), own: true };
  },
});

interface FileInput {
  readonly file_key: string;
  readonly file_name: string;
  readonly content_type: string;
}

const fileOf = ({ file_key: fileKey, file_name: fileName, content_type: contentType }: FileInput): RunFile => ({
  fileKey,
  fileName,
  contentType,
});

const startRun = ({ runs, agentId }: Use): LoneTool => ({
  description:
    'Starts a background run of this agent on uploaded files, a message, or both, and answers its id at once; the run ends later. Each file is worked on ' +
    'by itself, unless `process_together` is true.',
  inputSchema: inputOf({
    files: {
      ...listOf(inputOf(uploadedFile, Object.keys(uploadedFile))),
      maxItems: MOST_FILES,
      description: 'Uploaded files, each the `file` that an upload was answered with.',
    },
    user_message: { ...textInput('A message to the agent.', 100_000) },
    process_together: { type: 'boolean', default: false, description: 'Whether all files are one unit of work.' },
  }),
  outputSchema: outputOf({ run_id: text, status: text }),
  annotations: annotated('Start a run', 'adds'),
  async run(
    { files = [], user_message: message = null, process_together: processTogether = false },
    { caller, traceId = null, showLimit },
  ) {
    const asked = {
      agentId,
      files: (files as unknown as readonly FileInput[]).map(fileOf),
      processTogether: processTogether === true,
    };
    const start = {
      ...asked,
      userMessage: message === null ? null : String(message),
      traceId,
      idempotency: null,
      showLimit,
    };
    const { run } = await runs.start(caller, start);
    return { ...answered({ run_id: run.id, status: run.status }), own: true };
  },
});

const brief = (error: string | null) => error && shorten(error, LONGEST_TEXT);

/** What became of each unit of work. */
const itemsOf = ({ units, files, documents }: RunDetail) => {
  const documentOf = new Map(documents.map((document) => [document.id, document]));
  return units.map(({ index, fileIndexes, status, error, conversationId, documentId }) => {
    const document = documentOf.get(documentId ?? '') ?? null;
    const names = fileIndexes.slice(0, MOST_NAMES).map((position) => files[position]?.fileName ?? '');
    return {
      index,
      status,
      error: brief(error),
      file_names: names,
      file_count: fileIndexes.length,
      conversation_id: conversationId,
      document: document && {
        document_id: document.id,
        name: document.name,
        status: document.status,
        error: brief(document.error),
      },
    };
  });
};

/** Of a tool that starts a run: what its call answers, and what came of the run. */
export const outcomeSchema = outputOf(
  { run_id: text, status: text },
  { items: listOf({ type: 'object' }), next: countOrNull },
);

/** What is said of a run, and as many of its units after the first ones as there is room for. */
const withItems = (head: JsonObject, run: RunDetail, after: number): ToolResult => {
  const room = MOST_BYTES - sizeOf({ ...head, items: null, next: Number.MAX_SAFE_INTEGER });
  const { value: items, next } = excerptOf(itemsOf(run), { pointer: '/items', after, room });
  return answered({ ...head, items, next });
};

/** What came of a run that is over. */
export const outcomeOf = (run: RunDetail): ToolResult => withItems({ run_id: run.id, status: run.status }, run, 0);

const getRun = ({ runs, agentId }: Use): LoneTool => ({
  description:
    'Reads how far a run of this agent is, and what became of each unit of its work: its status, its error, the document that it made. A run that is ' +
    'completed, failed or cancelled does not change any more. With `wait` the answer comes as soon as the status changes. ' +
    'If `next` is not null, the same call with `after` goes on there.',
  inputSchema: inputOf(
    {
      run_id: uuidInput('The run, by its `run_id`.'),
      wait: {
        type: 'integer',
        minimum: 0,
        maximum: MOST_WAIT_SECONDS,
        default: 0,
        description: 'Seconds to wait for a change of the status.',
      },
      after: {
        type: 'integer',
        minimum: 0,
        maximum: MOST_FILES,
        default: 0,
        description: 'How many units to skip: the `next` of the answer before.',
      },
    },
    ['run_id'],
  ),
  outputSchema: outputOf({
    run_id: text,
    status: text,
    status_reason: { type: ['object', 'null'] },
    error: textOrNull,
    created_at: text,
    started_at: textOrNull,
    completed_at: textOrNull,
    items: listOf({ type: 'object' }),
    next: countOrNull,
  }),
  annotations: annotated('Read a run', 'reads'),
  scope: 'runs:read',
  async run({ run_id: id, wait = 0, after = 0 }, { caller, signal }) {
    const found = await runs.get(caller, String(id));
    if (found.agentId !== agentId) throw notFound('run');
    const isNews = ({ status }: RunDetail) => status !== found.status;
    const run = wait === 0 ? found : await runs.watch(caller, found.id, Number(wait), isNews, signal);
    const head = {
      run_id: run.id,
      status: run.status,
      status_reason: run.statusReason && { ...run.statusReason },
      error: brief(run.error),
      created_at: timeOf(run.createdAt),
      started_at: timeOf(run.startedAt),
      completed_at: timeOf(run.completedAt),
    };
    return withItems(head, run, Number(after));
  },
});

/** What programs start and follow the runs of one agent with. */
export const runTools = (use: Use): readonly ToolGroup[] => [
  alone('upload_file', uploadFile(use)),
  alone('start_run', startRun(use)),
  alone('get_run', getRun(use)),
];
