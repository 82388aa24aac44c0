import * as t from 'io-ts';
import { workflowTypes } from '../domain/agent.ts';
import { type Conversation, conversationMachine } from '../domain/conversation.ts';
import { documentMachine } from '../domain/document.ts';
import type { SplitFile } from '../domain/routing/part.ts';
import { unassignedOf } from '../domain/routing/partition.ts';
import { type Run, type RunUnit, runMachine } from '../domain/run.ts';
import { exampleId, exampleTime } from './example.ts';
import { exampleFile, runFile } from './file.ts';
import { named } from './kit/codec.ts';
import { about, component, list, nullable, wire, written } from './kit/structures.ts';
import { boolean, dateTime, integer, oneOf, text, uuid } from './kit/values.ts';
import { filePages, parts, type ShownPart, unassigned } from './part.ts';

export const workflowType = named('WorkflowType', oneOf(...workflowTypes));
export const runStatus = named('RunStatus', oneOf(...runMachine.states));
export const documentStatus = named('DocumentStatus', oneOf(...documentMachine.states));
export const conversationStatus = named('ConversationStatus', oneOf(...conversationMachine.states));
const count = integer({ min: 0 });
/** A number as text, so that no digit is lost. */
export const decimal = text({ max: 100, pattern: /^\d+(\.\d+)?$/ });
const traceId = text({ min: 32, max: 32, pattern: /^[0-9a-f]{32}$/ });

/** Of runs, and of documents: they have the version of their run. */
export const version = {
  agentVersion: about('The version of the agent that the run has from its creation to its end.', integer({ min: 1 })),
  model: about('The language model of that version, as the workspace file names it.', t.string),
};

export const usage = component('Usage', { inputTokens: count, outputTokens: count });

export const statusReason = component('StatusReason', { code: t.string, message: t.string });

/** The approvals that are waited for; null for none. */
export const waitingFor = nullable(
  written(wire({ approvalIds: list(uuid) }), (approvalIds: readonly string[]) => ({ approvalIds })),
);

const source = component('RunSource', {
  name: about('The source, as `GET /sources` names it.', t.string),
  key: about('The key of the mail, file or object, as the intake of the source lists it.', t.string),
  from: about('The sender of a mail.', nullable(t.string)),
  subject: about('The subject of a mail.', nullable(t.string)),
});

const summary = {
  id: uuid,
  workflowType,
  agentId: uuid,
  ...version,
  agentName: t.string,
  status: runStatus,
  traceId: about('The W3C trace id of the run’s spans.', traceId),
  error: about('What failed and why, for people.', nullable(t.string)),
  createdAt: dateTime,
  startedAt: nullable(dateTime),
  completedAt: nullable(dateTime),
  processTogether: boolean,
  waitingFor: about(
    'Set while calls of tools wait for the approval of a person; the run goes on by itself once they are decided.',
    waitingFor,
  ),
  attempt: about('How many times a worker has started the run.', count),
  statusReason: about(
    'Why the run ended as it did: `worker_lost`, `interrupted` (what the run needs could not be reached each time it was tried), `internal` (something went wrong on our side each time), `deadline_exceeded`, `model_error`, `unit_failed`, `cancelled_by_user`, …',
    nullable(statusReason),
  ),
  source: about('Where the run came from by itself; null if someone asked for it.', nullable(source)),
  usage,
  cost: about(
    'What the run has cost by the `prices` of the workspace, with every digit; null as long as nothing of it had a price.',
    nullable(decimal),
  ),
};

export const run = component('Run', summary);

const unit = component('RunItem', {
  index: count,
  fileNames: list(t.string),
  part: about(
    'The pages that it reads, of a run that divides its files; null if it reads its files as a whole.',
    nullable(wire(filePages)),
  ),
  status: runStatus,
  error: nullable(t.string),
  conversationId: nullable(uuid),
  documentIds: list(uuid),
});

const conversation = component('RunConversation', {
  id: uuid,
  status: conversationStatus,
  fileNames: list(t.string),
  createdAt: dateTime,
});

const document = component('RunDocument', {
  id: uuid,
  ...version,
  name: t.string,
  status: documentStatus,
  conversationId: uuid,
  error: nullable(t.string),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const detail = wire({
  ...summary,
  userMessage: nullable(t.string),
  files: list(runFile),
  items: about('One for each unit of work.', list(unit)),
  conversations: list(conversation),
  documents: about('Those in the trash are left out.', list(document)),
  parts,
  unassigned,
});

/** Conversations and units name their files by positions in `files`. */
interface Detail extends t.TypeOf<typeof run>, Pick<Run, 'userMessage' | 'files'> {
  readonly units: readonly RunUnit[];
  readonly conversations: readonly (Pick<Conversation, 'id' | 'status' | 'createdAt'> & Pick<RunUnit, 'fileIndexes'>)[];
  /** `agentVersion` and `model` are null if they are those of the run. */
  readonly documents: readonly (Omit<t.TypeOf<typeof document>, 'agentVersion' | 'model'> & {
    readonly agentVersion: number | null;
    readonly model: string | null;
  })[];
  readonly sheets: readonly SplitFile[];
  readonly parts: readonly ShownPart[];
}

const withItems = (run: Detail) => {
  const names = (indexes: readonly number[]) => indexes.map((index) => run.files[index]?.fileName ?? '');
  const { units, conversations, agentVersion, model } = run;
  const shown = new Set(run.documents.map((each) => each.id));
  return {
    ...run,
    items: units.map(({ index, fileIndexes, part, status, error, conversationId, documentId }) => ({
      index,
      fileNames: names(fileIndexes),
      part,
      status,
      error,
      conversationId,
      documentIds: documentId !== null && shown.has(documentId) ? [documentId] : [],
    })),
    documents: run.documents.map((each) => ({
      ...each,
      agentVersion: each.agentVersion ?? agentVersion,
      model: each.model ?? model,
    })),
    unassigned: unassignedOf(run.sheets, run.parts),
    conversations: conversations.map((each) => ({ ...each, fileNames: names(each.fileIndexes) })),
  };
};

/** A run in full: positions of files become their names. */
export const runDetail = named('RunDetail', written(detail, withItems));

const id = { run: exampleId(4), agent: exampleId(2), conversation: exampleId(5), document: exampleId(6) };

const exampleBase = {
  id: id.run,
  workspaceId: exampleId(1),
  workflowType: 'document_extraction',
  agentId: id.agent,
  agentName: 'Invoice reader',
  agentVersion: 3,
  model: 'openai/gpt-5',
  userId: exampleId(7),
  origin: 'api',
  source: null,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  waitingFor: null,
  error: null,
  createdAt: exampleTime('09:30:00.000'),
  processTogether: false,
  statusReason: null,
  userMessage: null,
  files: [exampleFile],
} as const;

export const exampleQueued = {
  ...exampleBase,
  status: 'queued',
  startedAt: null,
  completedAt: null,
  attempt: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  cost: null,
} as const;

const exampleUnit = {
  index: 0,
  fileIndexes: [0],
  status: 'completed',
  error: null,
  errorCode: null,
  conversationId: id.conversation,
  documentId: id.document,
  part: null,
  agentId: null,
  agentVersion: null,
} as const;

export const exampleRun = {
  ...exampleBase,
  status: 'completed',
  startedAt: exampleTime('09:30:00.120'),
  completedAt: exampleTime('09:30:04.810'),
  attempt: 1,
  usage: { inputTokens: 2113, outputTokens: 187 },
  cost: '0.0071525',
  units: [exampleUnit],
  conversations: [{ id: id.conversation, status: 'idle', fileIndexes: [0], createdAt: exampleTime('09:30:00.150') }],
  documents: [
    {
      id: id.document,
      name: exampleFile.fileName,
      status: 'ready',
      conversationId: id.conversation,
      agentVersion: null,
      model: null,
      error: null,
      createdAt: exampleTime('09:30:00.150'),
      updatedAt: exampleTime('09:30:04.790'),
    },
  ],
  sheets: [],
  parts: [],
  partsRevision: 0,
} as const;

/** A run that has divided its file. */
export const exampleRouted = {
  ...exampleRun,
  workflowType: 'document_routing',
  agentName: 'Post room',
  units: [{ ...exampleUnit, part: { fileName: exampleFile.fileName, pages: [1, 2] } }],
  sheets: [{ fileName: exampleFile.fileName, fileIndex: 0, pages: 3, blank: [3] }],
  parts: [
    {
      name: 'invoice',
      fileName: exampleFile.fileName,
      pages: [1, 2],
      evidence: [
        {
          page: 1,
          quote: 'Invoice number: RE-77',
          boxes: [{ page: 1, x: 0.12, y: 0.08, width: 0.21, height: 0.014 }],
        },
      ],
      confidence: 0.95,
      unitStatus: 'completed',
      documentId: id.document,
    },
  ],
} as const;
