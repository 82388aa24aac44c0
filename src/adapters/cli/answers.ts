import type { Schemas } from '../../client/portico.ts';
import { agent } from '../../wire/agent.ts';
import { agentVersion, agentVersionDetail } from '../../wire/agent-version.ts';
import { approval } from '../../wire/approval.ts';
import { auditEntry } from '../../wire/audit.ts';
import { record } from '../../wire/connection.ts';
import { column } from '../../wire/database.ts';
import { document, listedDocument, rehearsal, revision } from '../../wire/document.ts';
import { event } from '../../wire/event.ts';
import { hasForm } from '../../wire/kit/form.ts';
import { list, nullable, wire } from '../../wire/kit/structures.ts';
import { boolean, integer, string } from '../../wire/kit/values.ts';
import { run, runDetail } from '../../wire/run.ts';
import { intakeItem, source } from '../../wire/source.ts';
import { conversationReply, message, thread } from '../../wire/thread.ts';
import { webAnswer } from '../../wire/web-search.ts';
import { CliFailure } from './failures.ts';

const count = integer({ min: 0 });
const next = nullable(string);

/** What the commands show, by the names that they have for it. */
export const forms = {
  agents: wire({ agents: list(agent) }),
  versions: wire({ versions: list(agentVersion), next }),
  version: agentVersionDetail,
  approval,
  audit: wire({ entries: list(auditEntry), next: nullable(count) }),
  approvals: wire({ approvals: list(approval), next }),
  run,
  runs: wire({ runs: list(run), total: count, offset: count, limit: count }),
  runDetail,
  document,
  documents: wire({ documents: list(listedDocument), next }),
  work: wire({ readyToPost: count }),
  rehearsal,
  revisions: wire({ revisions: list(revision), next }),
  thread,
  message,
  turn: conversationReply,
  event,
  source,
  sources: wire({ sources: list(source) }),
  intake: wire({ items: list(intakeItem), next }),
  rows: wire({ columns: list(column), records: list(record), rowCount: count, truncated: boolean }),
  webAnswer,
} as const;

export type Agent = Schemas['Agent'];
export type RunDetail = Schemas['RunDetail'];
export type RunItem = RunDetail['items'][number];
export type Document = Schemas['DocumentDetail'];
export type Message = Schemas['Message'];
export type Event = Schemas['LogEvent'];

/** The value, once it is sure to have the form: another server may stand at PORTICO_URL. */
export const checked = <A>(form: keyof typeof forms, value: A): A => {
  if (hasForm(forms[form], value)) return value;
  throw new CliFailure('the answer of the server is not what Portico answers: is PORTICO_URL right?');
};

export const read = async <A>(form: keyof typeof forms, answer: Promise<A>): Promise<A> => checked(form, await answer);
