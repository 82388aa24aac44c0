import type { Caller } from '../../domain/caller.ts';
import { documentMachine, type Evidence } from '../../domain/document.ts';
import { DomainError, notFound, type Refusal } from '../../domain/errors.ts';
import { type JsonObject, type JsonValue, resolvePointer } from '../../domain/json.ts';
import { reviewMachine } from '../../domain/review.ts';
import { shorten } from '../../domain/text.ts';
import type { DocumentService } from '../documents/documents.ts';
import type { ListedDocument, Position, ShownDocument } from '../ports/storage.ts';
import type { ToolResult } from '../ports/tools.ts';
import { excerptOf, LONGEST_TEXT, MOST_BYTES, sizeOf } from './excerpt.ts';
import {
  alone,
  annotated,
  answered,
  failed,
  inputOf,
  type LoneTool,
  listOf,
  outputOf,
  refused,
  type ToolGroup,
  textInput,
  timeOf,
  uuidInput,
} from './tool.ts';

const documentId = uuidInput('The document, by its `document_id`.');

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const countOrNull = { type: ['integer', 'null'] };
const which = { document_id: text, revision: { type: 'integer' } };
/** A value of any kind, and where what has no room in it is read. */
const excerpt = { left_out: listOf({}) };
const states = { status: text, review: text };

interface Use {
  readonly documents: DocumentService;
  readonly agentId: string;
}

/** Documents of other agents are not there. */
const ownDocument = async (
  { documents, agentId }: Use,
  caller: Caller,
  id: JsonValue | undefined,
): Promise<ShownDocument> => {
  const document = await documents.get(caller, String(id));
  if (document.agentId !== agentId) throw notFound('document');
  return document;
};

const refusals: readonly Refusal[] = ['conflict', 'not_found', 'precondition_failed', 'forbidden'];

/** Refusals by the state of a document, and of who may decide on it, are words of Portico alone, with nothing in them that stands in a file. */
const withRefusals = async (work: () => Promise<ToolResult>): Promise<ToolResult> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || !refusals.includes(error.kind)) throw error;
    return refused(`Nothing was done. ${error.message}`);
  }
};

const CURSOR = '^[0-9]{1,15}_[0-9a-fA-F-]{36}$';
const cursorOf = ({ createdAt, id }: Position) => `${createdAt.getTime()}_${id}`;
const positionOf = (cursor: string): Position => {
  const [time = '', id = ''] = cursor.split('_');
  return { createdAt: new Date(Number(time)), id };
};

const listed = (document: ListedDocument) => ({
  document_id: document.id,
  run_id: document.runId,
  name: document.name,
  status: document.status,
  revision: document.revision,
  review: document.reviewStatus,
  reasons: [...new Set(document.reviewReasons.map(({ code }) => code))],
  error: document.error && shorten(document.error, LONGEST_TEXT),
  created_at: timeOf(document.createdAt),
});

const listDocuments = ({ documents, agentId }: Use): LoneTool => ({
  description:
    'Lists the documents of this agent, newest first, without their data. `next` goes on where an answer ends, and is null at the end; an answer may have fewer documents than `limit`.',
  inputSchema: inputOf({
    status: {
      enum: documentMachine.states.filter((status) => status !== 'trashed'),
      description: 'Only documents with this status.',
    },
    review: { enum: reviewMachine.states, description: 'Only documents whose review has this status.' },
    q: textInput('Only documents with these words, or words that begin so, in their name or their values.', 200),
    where: {
      type: 'object',
      description:
        'Conditions on the data by JSON Pointer: {"/total": {"gt": 1000}}, {"/supplier": {"like": "A%"}}, {"and": […]}, {"or": […]}, {"not": {…}}. ' +
        'Operators: eq, ne, gt, gte, lt, lte, like, in, is_null.',
    },
    run_id: uuidInput('Only documents of this run.'),
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most.' },
    after: { type: 'string', pattern: CURSOR, description: 'The `next` of the answer before.' },
  }),
  outputSchema: outputOf({ documents: listOf({ type: 'object' }), next: textOrNull }),
  annotations: annotated('List documents', 'reads'),
  scope: 'runs:read',
  async run(
    { status = null, review = null, q = null, where, run_id: runId = null, limit = 20, after },
    { caller, signal },
  ) {
    const filter = { agentId, runId, status, review, q, where: where === undefined ? null : JSON.stringify(where) };
    const position = after === undefined ? null : positionOf(String(after));
    const page = await documents.list(
      caller,
      filter as Parameters<DocumentService['list']>[1],
      { limit: Number(limit), after: position },
      signal,
    );
    let left = MOST_BYTES - LONGEST_TEXT;
    const fitting = page.documents.findIndex((document) => {
      left -= sizeOf(listed(document)) + 1;
      return left < 0;
    });
    const shown = fitting === -1 ? page.documents : page.documents.slice(0, fitting);
    const next = fitting === -1 ? page.next : (shown.at(-1) ?? null);
    return answered({ documents: shown.map(listed), next: next && cursorOf(next) });
  },
});

const quoted = ({ quote, fileName, page, support, source, confidence }: Evidence): JsonObject => ({
  quote,
  file_name: fileName,
  page,
  support,
  source,
  confidence,
});

/** A document as models read it: by the names that the API has, without the boxes of its evidence. */
const described = (document: ShownDocument): JsonObject => {
  const {
    reviewStatus: status,
    reviewReasons: reasons,
    reviewer,
    reviewNote: note,
    decidedAt,
    decidedVia,
    coverage,
  } = document;
  return {
    id: document.id,
    run_id: document.runId,
    name: document.name,
    status: document.status,
    revision: document.revision,
    error: document.error,
    external_reference: document.externalReference,
    created_at: timeOf(document.createdAt),
    processed_at: timeOf(document.processedAt),
    review: {
      status,
      reasons: reasons.map((reason) => ({ ...reason })),
      note,
      decided_at: timeOf(decidedAt),
      decided_via: decidedVia,
      reviewer: reviewer && { name: reviewer.name, email: reviewer.email },
    },
    checks: document.checks.map((check) => ({ ...check })),
    duplicates: document.duplicates.map(({ documentId: duplicate, reason }) => ({ document_id: duplicate, reason })),
    coverage: coverage && {
      pages_read: coverage.pagesRead,
      pages_total: coverage.pagesTotal,
      characters_read: coverage.charactersRead,
      characters_total: coverage.charactersTotal,
      complete: coverage.complete,
    },
    document_data: document.documentData,
    evidence: Object.fromEntries(Object.entries(document.evidence).map(([pointer, each]) => [pointer, quoted(each)])),
  };
};

const getDocument = (use: Use): LoneTool => ({
  description:
    'Reads a document of this agent: its data, the quotes that its values were read from, its review, checks and duplicates. What has no room in ' +
    'the answer is in `left_out`: read it by its `pointer`. If `next` is not null, the same call with `after` goes on there.',
  inputSchema: inputOf(
    {
      document_id: documentId,
      pointer: {
        type: 'string',
        maxLength: LONGEST_TEXT,
        pattern: '^(/([^~/]|~[01])*)*$',
        default: '',
        description: 'A JSON Pointer to the part to read, such as /document_data/lines; empty for all of it.',
      },
      after: {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description:
          'How many entries of that part, or characters of a text, to skip: the `next` of the answer before.',
      },
    },
    ['document_id'],
  ),
  outputSchema: outputOf({ ...which, pointer: text, value: {}, ...excerpt, next: countOrNull }),
  annotations: annotated('Read a document', 'reads'),
  scope: 'runs:read',
  async run({ document_id: id, pointer: given = '', after = 0 }, { caller }) {
    const pointer = String(given);
    const document = await ownDocument(use, caller, id);
    const part = resolvePointer(described(document), pointer);
    if (part === undefined) return failed('The document has nothing at this pointer.');
    const head = { document_id: document.id, revision: document.revision, pointer };
    const room = MOST_BYTES - sizeOf({ ...head, value: null, left_out: [], next: Number.MAX_SAFE_INTEGER });
    const { value, leftOut, next } = excerptOf(part, { pointer, after: Number(after), room });
    return answered({ ...head, value, left_out: leftOut, next });
  },
});

const rehearseDocument = (use: Use): LoneTool => ({
  description:
    'Says what processing a document of this agent would come to: the same statements on the system of record, in a transaction that is always ' +
    'rolled back. `would` is insert, already_there or reject. `columns_left` says how many columns of the row have no room in the answer.',
  inputSchema: inputOf({ document_id: documentId }, ['document_id']),
  outputSchema: outputOf({
    ...which,
    would: text,
    reason: textOrNull,
    row: {},
    ...excerpt,
    columns_left: { type: 'integer' },
  }),
  annotations: annotated('Rehearse a document', 'reads'),
  scope: 'runs:write',
  run: ({ document_id: id }, { caller, signal }) =>
    withRefusals(async () => {
      const document = await ownDocument(use, caller, id);
      const { would, row, reason } = await use.documents.rehearse(caller, document.id, signal);
      const head = {
        document_id: document.id,
        revision: document.revision,
        would,
        reason: reason && shorten(reason, LONGEST_TEXT),
      };
      const room = MOST_BYTES - sizeOf({ ...head, row: null, left_out: [], columns_left: Number.MAX_SAFE_INTEGER });
      const { value, leftOut, next } = excerptOf(row, { pointer: '/row', after: 0, room });
      return answered({
        ...head,
        row: value,
        left_out: leftOut,
        columns_left: next === null ? 0 : Object.keys(row).length - next,
      });
    }),
});

/** What Portico answers of a document that it changed. */
const outcome = (document: ShownDocument) => ({
  document_id: document.id,
  revision: document.revision,
  status: document.status,
  review: document.reviewStatus,
});

const reviewDocument = (use: Use): LoneTool => ({
  description:
    'Rejects the revision of a document of this agent that was read, or approves it where the agent lets a model do so; where it does not, the ' +
    'answer has the address of the page where a person approves. A revision is decided on once: only a change of the data opens the review ' +
    'again. A document whose review is pending or rejected is not processed.',
  inputSchema: inputOf(
    {
      document_id: documentId,
      revision: {
        type: 'integer',
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'The `revision` that was read: no other one is decided on.',
      },
      decision: { enum: ['approve', 'reject'], description: 'What is decided.' },
      note: textInput('Why, for those who read the document later.'),
    },
    ['document_id', 'revision', 'decision'],
  ),
  outputSchema: outputOf({ ...which, ...states }),
  annotations: annotated('Approve or reject a document', 'changes', { idempotent: true }),
  scope: 'documents:review',
  run: ({ document_id: id, revision, decision, note = null }, { caller }) =>
    withRefusals(async () => {
      const { revision: current } = await ownDocument(use, caller, id);
      const changed = (now: number) =>
        refused(
          `Nothing was decided. The document is at revision ${now} now, not at ${revision}: read it again and decide on that.`,
        );
      if (current !== revision) return changed(current);
      const event = decision === 'approve' ? 'approve' : 'reject';
      try {
        const asked = { event, note: note === null ? null : String(note) } as const;
        const decided = await use.documents.decide(
          caller,
          String(id),
          asked,
          (document) => document.revision === revision,
        );
        return { ...answered(outcome(decided)), own: true };
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'precondition_failed') throw error;
        return changed(Number(error.extra.revision));
      }
    }),
});

const processDocument = (use: Use): LoneTool => ({
  description:
    'Writes the data of a document of this agent to its system of record, once. The answer has the status processed, or error with the reason ' +
    'why that system rejects the data. What waits for a decision is not written.',
  inputSchema: inputOf({ document_id: documentId }, ['document_id']),
  outputSchema: outputOf({ ...which, ...states, external_reference: textOrNull, error: textOrNull }),
  annotations: annotated('Process a document', 'changes', { idempotent: true }),
  scope: 'runs:write',
  run: ({ document_id: id }, { caller }) =>
    withRefusals(async () => {
      const document = await ownDocument(use, caller, id);
      const { externalReference, error, ...processed } = await use.documents.process(caller, document.id);
      const written = { external_reference: externalReference && shorten(externalReference, LONGEST_TEXT) };
      const answer = {
        ...outcome({ ...document, ...processed }),
        ...written,
        error: error && shorten(error, LONGEST_TEXT),
      };
      return { ...answered(answer), own: error === null };
    }),
});

const tools = {
  list_documents: listDocuments,
  get_document: getDocument,
  rehearse_document: rehearseDocument,
  review_document: reviewDocument,
  process_document: processDocument,
};

/** The documents of one agent. */
export const documentTools = (documents: DocumentService, agentId: string): readonly ToolGroup[] =>
  Object.entries(tools).map(([base, make]) => alone(base, make({ documents, agentId })));
