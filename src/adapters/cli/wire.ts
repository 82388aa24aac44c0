import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { CliFailure } from './failures.ts';

// Only what the command line shows is decoded: new fields may come, and `--json` prints all of them.
const nullable = <C extends t.Mixed>(codec: C) => t.union([codec, t.null]);

const agent = t.type({
  id: t.string,
  name: t.string,
  description: nullable(t.string),
  workflow_type: t.string,
  mcp_url: t.string,
});
export const agents = t.type({ agents: t.array(agent) });

const versionFields = {
  version: t.number,
  live: t.boolean,
  created_at: t.string,
  created_by: nullable(t.type({ name: t.string })),
  changes: t.array(t.string),
};
export const versionPage = t.type({ versions: t.array(t.type(versionFields)), next: nullable(t.string) });
export const versionDetail = t.type({ ...versionFields, definition: t.UnknownRecord });

const runFields = {
  id: t.string,
  agent_name: t.string,
  status: t.string,
  error: nullable(t.string),
  created_at: t.string,
  started_at: nullable(t.string),
  completed_at: nullable(t.string),
};
export const runSummary = t.type(runFields);
export const runPage = t.type({ runs: t.array(runSummary), total: t.number, offset: t.number, limit: t.number });

const item = t.type({
  index: t.number,
  file_names: t.array(t.string),
  status: t.string,
  error: nullable(t.string),
  document_ids: t.array(t.string),
});
const listedDocument = t.type({ id: t.string, name: t.string, status: t.string, error: nullable(t.string) });
export const documentPage = t.type({
  documents: t.array(
    t.intersection([listedDocument, t.type({ created_at: t.string, review: t.type({ status: t.string }) })]),
  ),
  next: nullable(t.string),
});
export const runDetail = t.type({ ...runFields, items: t.array(item), documents: t.array(listedDocument) });

export const queryResult = t.type({
  columns: t.array(t.type({ name: t.string, data_type: t.string })),
  records: t.array(t.UnknownRecord),
  row_count: t.number,
  truncated: t.boolean,
});

const evidence = t.intersection([
  t.type({ quote: t.string, file_name: t.string, page: nullable(t.number) }),
  // An older server does not answer these.
  t.partial({ support: nullable(t.string), confidence: nullable(t.number) }),
]);
const coverage = t.type({
  pages_read: t.number,
  pages_total: t.number,
  characters_read: t.number,
  characters_total: t.number,
  complete: t.boolean,
});
export const document = t.intersection([
  t.type({
    id: t.string,
    run_id: t.string,
    name: t.string,
    status: t.string,
    document_data: nullable(t.UnknownRecord),
    evidence: t.record(t.string, evidence),
    error: nullable(t.string),
    external_reference: nullable(t.string),
  }),
  t.partial({ coverage: nullable(coverage) }),
]);

/** What reviews show of a document: a server without them does not answer it. */
export const reviewedDocument = t.type({
  name: t.string,
  revision: t.number,
  document_data: nullable(t.UnknownRecord),
  review: t.type({ status: t.string }),
});
export const rehearsal = t.type({ would: t.string, row: t.UnknownRecord, reason: nullable(t.string) });
/** An older server does not answer by which door a revision came. */
const author = t.intersection([t.type({ name: t.string }), t.partial({ via: nullable(t.string) })]);
export const revisionPage = t.type({
  revisions: t.array(
    t.type({
      revision: t.number,
      created_at: t.string,
      by: author,
      changes: t.array(t.type({ pointer: t.string, from: t.unknown, to: t.unknown })),
    }),
  ),
  next: nullable(t.string),
});

export const message = t.type({
  id: t.string,
  role: t.string,
  content: t.string,
  tool_call_id: nullable(t.string),
  author: nullable(t.type({ name: t.string })),
  tool_calls: t.array(t.type({ id: t.string, name: t.string, arguments: t.unknown })),
});
export const thread = t.type({ id: t.string, agent_id: t.string, status: t.string, messages: t.array(message) });
/** What one turn added to a conversation. */
export const turn = t.type({ conversation_id: t.string, messages: t.array(message), error: nullable(t.string) });

export const event = t.type({
  id: t.string,
  sequence: t.number,
  type: t.string,
  created_at: t.string,
  run_id: t.string,
  document_id: nullable(t.string),
  data: t.UnknownRecord,
});

export const webAnswer = t.type({ summary: t.string, sources: t.array(t.type({ title: t.string, url: t.string })) });

export type Agent = t.TypeOf<typeof agents>['agents'][number];
export type VersionSummary = t.TypeOf<typeof versionPage>['versions'][number];
export type VersionDetail = t.TypeOf<typeof versionDetail>;
export type RunDetail = t.TypeOf<typeof runDetail>;
export type RunItem = RunDetail['items'][number];
export type DocumentPage = t.TypeOf<typeof documentPage>;
export type WireDocument = t.TypeOf<typeof document>;
export type Thread = t.TypeOf<typeof thread>;
export type WireEvent = t.TypeOf<typeof event>;
export type WireMessage = t.TypeOf<typeof message>;

/** The data of an answer: decoded, and as it arrived. */
export interface Decoded<A> {
  readonly value: A;
  readonly raw: unknown;
}

/** What this program shows of an answer is checked: another server may stand at PORTICO_URL. */
export const decoded = <A>(codec: t.Type<A, unknown, unknown>, raw: unknown): A => {
  const result = codec.decode(raw);
  if (isLeft(result))
    throw new CliFailure('the answer of the server is not what Portico answers: is PORTICO_URL right?');
  return result.right;
};

export const read = async <A>(codec: t.Type<A, unknown, unknown>, answer: Promise<unknown>): Promise<Decoded<A>> => {
  const raw = await answer;
  return { value: decoded(codec, raw), raw };
};
