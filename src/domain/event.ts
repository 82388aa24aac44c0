import type { Usage } from './run.ts';
import { approvalEvents, budgetEvents, type WebhookEvent, webhookEvents } from './webhook.ts';

/** What a unit of work does. */
const stepEvents = [
  'unit.started',
  'unit.file_read',
  'unit.model_called',
  'unit.tool_called',
  'unit.retried',
  'unit.completed',
  'unit.failed',
] as const;

type StepEvent = (typeof stepEvents)[number];

/** What is known of a step: names and figures, never contents. */
export interface StepData {
  /** The index of the unit. */
  readonly unit: number;
  /** Of the file, the model or the tool; of a retry, the code of what was wrong. */
  readonly name: string | null;
  /** How long it took; of a retry, how long it waits. */
  readonly durationMs: number | null;
  readonly usage: Usage | null;
  /** The code of what went wrong; null if nothing did. */
  readonly error: string | null;
}

export type Step = { readonly type: StepEvent } & StepData;

/** Everything that the log of events has. */
export type EventType = WebhookEvent | StepEvent;

export const eventTypes: readonly EventType[] = [...webhookEvents, ...stepEvents];

export const isStep = (type: EventType): type is StepEvent => stepEvents.some((step) => step === type);

export const isOfApproval = (type: EventType): boolean => approvalEvents.some((event) => event === type);

export const isOfBudget = (type: EventType): boolean => budgetEvents.some((event) => event === type);

/** The events that a pattern (`run.completed`, `run.*`, `*`) names. */
export const matching = (pattern: string): readonly EventType[] => {
  if (pattern === '*') return webhookEvents;
  return eventTypes.filter((type) => type === pattern || `${type.slice(0, type.indexOf('.'))}.*` === pattern);
};

interface Origin {
  readonly sequence: number;
  readonly createdAt: Date;
  readonly workspaceId: string;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const VARIANTS = '89ab';

/** The id of an event, a UUIDv7: the time, a part of its workspace's id, and in the last 48 bits its number in the log. */
export const eventIdOf = ({ sequence, createdAt, workspaceId }: Origin): string => {
  const time = hex(createdAt.getTime(), 12);
  const workspace = workspaceId.slice(-7);
  const variant = VARIANTS[Number.parseInt(workspace.slice(0, 1), 16) % VARIANTS.length];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${workspace.slice(1, 4)}-${variant}${workspace.slice(4)}-${hex(sequence, 12)}`;
};

/** The number in the log of the event with this id. */
export const sequenceOf = (eventId: string): number => Number.parseInt(eventId.slice(-12), 16);
