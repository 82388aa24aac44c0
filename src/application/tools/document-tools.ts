import type { Caller } from '../../domain/caller.ts';
import { documentMachine } from '../../domain/document.ts';
import { CREATED_AT, documentOrder, positionOf } from '../../domain/document-order.ts';
import { DomainError, notFound, type Refusal } from '../../domain/errors.ts';
import { type JsonObject, type JsonValue, resolvePointer } from '../../domain/json.ts';
import { reasonCodes, reviewMachine } from '../../domain/review.ts';
import { shorten } from '../../domain/text.ts';
import { documentForModels, listedValues } from '../../wire/document.ts';
import { documentCursor } from '../../wire/document-cursor.ts';
import type { Codec } from '../../wire/kit/codec.ts';
import { about, closed, list, nullable, optional, wire, withDefault } from '../../wire/kit/structures.ts';
import { anyJson, anyObject, dateTime, integer, jsonPointer, oneOf, string, uuid } from '../../wire/kit/values.ts';
import { documentStatus } from '../../wire/run.ts';
import type { DocumentService } from '../documents/documents.ts';
import type { DocumentHead, ListedDocument, ShownDocument } from '../ports/storage.ts';
import type { ToolResult } from '../ports/tools.ts';
import { type Excerpt, excerptOf, LONGEST_TEXT, MOST_BYTES, sizeOf } from './excerpt.ts';
import { alone, annotated, answered, described, failed, refused, type ToolGroup, textInput } from './tool.ts';

const documentId = about('The document, by its `document_id`.', uuid);
const justOne = closed({ documentId });

const count = integer({ min: 0 });
const which = { documentId: uuid, revision: count };
const reviewStatus = oneOf(...reviewMachine.states);
const states = { status: documentStatus, review: reviewStatus };
/** Where what has no room in a value is read. */
const leftOut = list(wire({ pointer: string, bytes: count }));

const brief = (words: string | null) => words && shorten(words, LONGEST_TEXT);

/** How many bytes an answer has for a part of it, which this one has not yet. */
const roomIn = <A>(output: Codec<A>, without: A) => MOST_BYTES - sizeOf(output.encode(without) as JsonValue);

interface Use {
  readonly documents: DocumentService;
  readonly agentId: string;
}

/** Documents of other agents are not there. */
const ownDocument = async ({ documents, agentId }: Use, caller: Caller, id: string): Promise<ShownDocument> => {
  const document = await documents.get(caller, id);
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

const documentEntry = wire({
  documentId: uuid,
  runId: uuid,
  name: string,
  status: documentStatus,
  revision: count,
  review: reviewStatus,
  reasons: list(oneOf(...reasonCodes)),
  error: nullable(string),
  createdAt: dateTime,
  values: listedValues,
});

const entryOf = ({ id, reviewStatus: review, reviewReasons, error, ...document }: ListedDocument) => ({
  ...document,
  documentId: id,
  review,
  reasons: [...new Set(reviewReasons.map(({ code }) => code))],
  error: brief(error),
});

const documentPage = closed({ documents: list(documentEntry), next: nullable(documentCursor) });

const listDocuments = ({ documents, agentId }: Use) =>
  described({
    description:
      'Lists the documents of this agent, newest first or as `order_by` says, without their data; `values` has a few of it. `next` goes on where an answer ends, and is null at the end; an answer may have fewer documents than `limit`.',
    input: closed({
      status: about(
        'Only documents with this status.',
        optional(oneOf(...documentMachine.states.filter((status) => status !== 'trashed'))),
      ),
      review: about('Only documents whose review has this status.', optional(reviewStatus)),
      q: optional(
        textInput('Only documents with these words, or words that begin so, in their name or their values.', 200),
      ),
      where: about(
        'Conditions on the data by JSON Pointer: {"/total": {"gt": 1000}}, {"/supplier": {"like": "A%"}}, {"and": […]}, {"or": […]}, {"not": {…}}. ' +
          'Operators: eq, ne, gt, gte, lt, lte, like, in, is_null.',
        optional(anyObject),
      ),
      runId: about('Only documents of this run.', optional(uuid)),
      orderBy: about(
        '`created_at`, or one of the pointers that `values` of an answer have.',
        withDefault(string, CREATED_AT),
      ),
      orderDirection: about('Without it: `desc` by `created_at`, else `asc`.', optional(oneOf('asc', 'desc'))),
      limit: about('How many at most.', withDefault(integer({ min: 1, max: 100 }), 20)),
      after: about('The `next` of the answer before.', optional(documentCursor)),
    }),
    output: documentPage,
    annotations: annotated('List documents', 'reads'),
    scope: 'runs:read',
    async run(
      { status = null, review = null, q = null, where, runId = null, orderBy, orderDirection, limit, after = null },
      { caller, signal },
    ) {
      const filter = { agentId, runId, status, review, q, where: where === undefined ? null : JSON.stringify(where) };
      const order = documentOrder(orderBy, orderDirection);
      const page = await documents.list(caller, filter, { limit, after, order }, signal);
      let left = MOST_BYTES - LONGEST_TEXT;
      const fitting = page.documents.findIndex((document) => {
        left -= sizeOf(documentEntry.encode(entryOf(document)) as JsonValue) + 1;
        return left < 0;
      });
      if (fitting === -1) return answered(documentPage, { documents: page.documents.map(entryOf), next: page.next });
      const shown = page.documents.slice(0, fitting);
      const last = shown.at(-1);
      const next = last === undefined ? null : positionOf(last, order);
      return answered(documentPage, { documents: shown.map(entryOf), next });
    },
  });

const documentPart = closed({ ...which, pointer: string, value: anyJson, leftOut, next: nullable(count) });

const getDocument = (use: Use) =>
  described({
    description:
      'Reads a document of this agent: its data, the quotes that its values were read from, its review, checks and duplicates. What has no room in ' +
      'the answer is in `left_out`: read it by its `pointer`. If `next` is not null, the same call with `after` goes on there.',
    input: closed({
      documentId,
      pointer: about(
        'A JSON Pointer to the part to read, such as /document_data/lines; empty for all of it.',
        withDefault(jsonPointer(LONGEST_TEXT), ''),
      ),
      after: about(
        'How many entries of that part, or characters of a text, to skip: the `next` of the answer before.',
        withDefault(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), 0),
      ),
    }),
    output: documentPart,
    annotations: annotated('Read a document', 'reads'),
    scope: 'runs:read',
    async run({ documentId: id, pointer, after }, { caller }) {
      const document = await ownDocument(use, caller, id);
      const part = resolvePointer(documentForModels.encode(document) as JsonObject, pointer);
      if (part === undefined) return failed('The document has nothing at this pointer.');
      const head = { documentId: document.id, revision: document.revision, pointer };
      const room = roomIn(documentPart, { ...head, value: null, leftOut: [], next: Number.MAX_SAFE_INTEGER });
      return answered(documentPart, { ...head, ...excerptOf(part, { pointer, after, room }) });
    },
  });

const rehearsed = closed({
  ...which,
  would: string,
  reason: nullable(string),
  row: anyJson,
  leftOut,
  columnsLeft: count,
});

const rehearseDocument = (use: Use) =>
  described({
    description:
      'Says what processing a document of this agent would come to: the same statements on the system of record, in a transaction that is always ' +
      'rolled back. `would` is insert, already_there or reject. `columns_left` says how many columns of the row have no room in the answer.',
    input: justOne,
    output: rehearsed,
    annotations: annotated('Rehearse a document', 'reads'),
    scope: 'runs:write',
    run: ({ documentId: id }, { caller, signal }) =>
      withRefusals(async () => {
        const document = await ownDocument(use, caller, id);
        const { would, row, reason } = await use.documents.rehearse(caller, document.id, signal);
        const empty: Excerpt = { value: null, leftOut: [], next: null };
        const answerOf = ({ value, leftOut: absent, next }: Excerpt) => ({
          documentId: document.id,
          revision: document.revision,
          would,
          reason: brief(reason),
          row: value,
          leftOut: absent,
          columnsLeft: next === null ? 0 : Object.keys(row).length - next,
        });
        const room = roomIn(rehearsed, { ...answerOf(empty), columnsLeft: Number.MAX_SAFE_INTEGER });
        return answered(rehearsed, answerOf(excerptOf(row, { pointer: '/row', after: 0, room })));
      }),
  });

/** What Portico answers of a document that it changed. */
const outcome = closed({ ...which, ...states });

const outcomeOf = ({ id, revision, status, reviewStatus: review }: DocumentHead) => ({
  documentId: id,
  revision,
  status,
  review,
});

const reviewDocument = (use: Use) =>
  described({
    description:
      'Rejects the revision of a document of this agent that was read, or approves it where the agent lets a model do so; where it does not, the ' +
      'answer has the address of the page where a person approves. A revision is decided on once: only a change of the data opens the review ' +
      'again. A document whose review is pending or rejected is not processed.',
    input: closed({
      documentId,
      revision: about(
        'The `revision` that was read: no other one is decided on.',
        integer({ min: 1, max: 2 ** 31 - 1 }),
      ),
      decision: about('What is decided.', oneOf('approve', 'reject')),
      note: optional(textInput('Why, for those who read the document later.')),
    }),
    output: outcome,
    annotations: annotated('Approve or reject a document', 'changes', { idempotent: true }),
    scope: 'documents:review',
    run: ({ documentId: id, revision, decision, note = null }, { caller }) =>
      withRefusals(async () => {
        const { revision: current } = await ownDocument(use, caller, id);
        const changed = (now: number) =>
          refused(
            `Nothing was decided. The document is at revision ${now} now, not at ${revision}: read it again and decide on that.`,
          );
        if (current !== revision) return changed(current);
        try {
          const decided = await use.documents.decide(
            caller,
            id,
            { event: decision, note },
            (document) => document.revision === revision,
          );
          return { ...answered(outcome, outcomeOf(decided)), own: true };
        } catch (error) {
          if (!(error instanceof DomainError) || error.kind !== 'precondition_failed') throw error;
          return changed(Number(error.extra.revision));
        }
      }),
  });

const processed = closed({ ...which, ...states, externalReference: nullable(string), error: nullable(string) });

const processDocument = (use: Use) =>
  described({
    description:
      'Writes the data of a document of this agent to its system of record, once. The answer has the status processed, or error with the reason ' +
      'why that system rejects the data. What waits for a decision is not written.',
    input: justOne,
    output: processed,
    annotations: annotated('Process a document', 'changes', { idempotent: true }),
    scope: 'runs:write',
    run: ({ documentId: id }, { caller }) =>
      withRefusals(async () => {
        const read = await ownDocument(use, caller, id);
        const document = { ...read, ...(await use.documents.process(caller, read.id)) };
        const { externalReference, error } = document;
        const answer = { ...outcomeOf(document), externalReference: brief(externalReference), error: brief(error) };
        return { ...answered(processed, answer), own: error === null };
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
