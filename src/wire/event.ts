import * as t from 'io-ts';
import { eventIdOf, eventTypes, matching, sequenceOf } from '../domain/event.ts';
import { eventPatterns, webhookEvents } from '../domain/webhook.ts';
import { approval } from './approval.ts';
import { checkpoint } from './audit.ts';
import { budgetMark } from './budget.ts';
import { documentEvent, exampleDocument } from './document.ts';
import { type Codec, named } from './kit/codec.ts';
import { about, component, nullable, onlyWritten, wire, written } from './kit/structures.ts';
import { cursor, dateTime, integer, oneOf, scalar, uuid } from './kit/values.ts';
import { exampleRun, run, usage } from './run.ts';

const NOW = 'now';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const isEventId = new RegExp(`^${ID}$`);

/** A cursor, the id of an event, or `now`. */
export const startCursor: Codec<number | typeof NOW> = scalar<number | typeof NOW>({
  expected: 'a cursor that this API answered, the id of an event, or now',
  read(value) {
    if (value === NOW) return NOW;
    if (typeof value === 'string' && isEventId.test(value)) return sequenceOf(value);
    const read = cursor.decode(value);
    return read._tag === 'Right' ? read.right : undefined;
  },
  write: (start) => (start === NOW ? NOW : cursor.encode(start)),
  schema: { type: 'string', pattern: `^(${NOW}|[A-Za-z0-9_-]{8}|${ID})$`, examples: [NOW] },
});

const patterns = [...new Set([...eventPatterns, 'unit.*', ...eventTypes])];
const word = `(?:${patterns.map((each) => each.replaceAll('.', '\\.').replaceAll('*', '\\*')).join('|')})`;

/** Event types and patterns, separated by commas. */
export const typeList: Codec<readonly string[]> = scalar<readonly string[]>({
  expected: `one or more of ${patterns.join(' ')}, separated by commas`,
  read(value) {
    const names = typeof value === 'string' ? value.split(',') : [];
    return names.length > 0 && names.every((name) => patterns.includes(name)) ? names : undefined;
  },
  write: (names) => names.join(),
  schema: { type: 'string', pattern: `^${word}(?:,${word})*$` },
});

/** The types that a list of patterns names. */
export const typesOf = (names: readonly string[]) => [...new Set(names.flatMap(matching))];

const step = component('Step', {
  unit: about('The `index` of the unit of work among the `items` of the run.', integer({ min: 0 })),
  name: about(
    'The file that was read, the model or the tool that was called; of `unit.retried`, the code of what is tried again after: `interrupted` is the unit as a whole.',
    nullable(t.string),
  ),
  durationMs: about('How long it took; before another attempt, how long it waits.', nullable(integer({ min: 0 }))),
  usage: nullable(usage),
  error: about('The code of what went wrong; null if nothing did.', nullable(t.string)),
});

type Subject =
  | { readonly kind: 'run'; readonly run: t.TypeOf<typeof run> }
  | { readonly kind: 'document'; readonly document: t.TypeOf<typeof documentEvent> }
  | { readonly kind: 'approval'; readonly approval: t.TypeOf<typeof approval> }
  | { readonly kind: 'checkpoint'; readonly checkpoint: t.TypeOf<typeof checkpoint> }
  | { readonly kind: 'budget'; readonly budget: t.TypeOf<typeof budgetMark> }
  | { readonly kind: 'step'; readonly step: t.TypeOf<typeof step> };

/** What an event is about, as it was then. */
export const eventData = onlyWritten<Subject>(
  (value) => {
    if (value.kind === 'step') return step.encode(value.step);
    if (value.kind === 'approval') return approval.encode(value.approval);
    if (value.kind === 'checkpoint') return checkpoint.encode(value.checkpoint);
    if (value.kind === 'budget') return budgetMark.encode(value.budget);
    return value.kind === 'run' ? run.encode(value.run) : documentEvent.encode(value.document);
  },
  (schemaOf) => ({ anyOf: [run, documentEvent, approval, checkpoint, budgetMark, step].map(schemaOf) }),
);

const NUMBER = 'The number of the event in the log; numbers only grow.';

const fields = wire({
  id: about('The same in webhooks, as `event_id`.', uuid),
  sequence: about(NUMBER, integer({ min: 1 })),
  type: oneOf(...eventTypes),
  createdAt: dateTime,
  runId: about('Null of an approval that no run waits for, of a checkpoint and of a budget.', nullable(uuid)),
  documentId: nullable(uuid),
  data: about(
    'The run, the document without its data, or the approval, as it was then; of a checkpoint, where the audit log ended; of a budget, what was spent; of a step, what is known of it, never contents.',
    eventData,
  ),
});

export const event = named(
  'LogEvent',
  written(fields, (logged: Omit<t.TypeOf<typeof fields>, 'data'> & { readonly subject: Subject }) => ({
    ...logged,
    data: logged.subject,
  })),
);

/** What a webhook is sent of an event. */
export const webhookMessage = wire({
  type: oneOf(...webhookEvents),
  timestamp: about('When it happened.', dateTime),
  sequence: about(NUMBER, integer({ min: 1 })),
  eventId: about('The `id` of the event in the log, the same for every webhook.', uuid),
  data: eventData,
});

const { units, conversations, documents, files, userMessage, workspaceId, userId, origin, ...exampleSummary } =
  exampleRun;
const numbered = { sequence: 89236535513703, createdAt: exampleRun.createdAt };

export const exampleEvent = {
  ...numbered,
  id: eventIdOf({ ...numbered, workspaceId: exampleDocument.workspaceId }),
  type: 'run.completed',
  runId: exampleRun.id,
  documentId: null,
  subject: { kind: 'run', run: exampleSummary },
} as const;
