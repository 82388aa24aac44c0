import type { Agent } from '../domain/agent.ts';
import type { Attachment, Message } from '../domain/conversation.ts';
import type { Evidence } from '../domain/document.ts';
import type { Fault } from '../domain/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../domain/json.ts';
import type { Usage } from '../domain/run.ts';
import { verifyEvidence } from './evidence.ts';
import type { FileReader, ReadFile } from './file-reader.ts';
import { ModelError, type ModelMessage, type Models, type Step } from './ports/models.ts';
import type { Clock, Ids } from './ports/runtime.ts';
import type { SchemaValidator } from './ports/schemas.ts';
import { extractionSchema, instructionsFor, repairMessage } from './prompt.ts';

/** Why a unit of work failed, in plain words for the person who started the run. */
export class UnitFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnitFailure';
    this.code = code;
  }
}

export interface Question {
  readonly agent: Agent;
  /** What is stored already: a turn goes on from there, not from the beginning. */
  readonly history: readonly Message[];
  readonly userMessage: string;
  readonly attachments: readonly Attachment[];
  /** Stores messages that are final, and what they cost. */
  append(messages: readonly Message[], usage: Usage): Promise<void>;
}

export interface ExtractedDocument {
  readonly data: JsonObject;
  readonly evidence: Readonly<Record<string, Evidence>>;
}

export interface Turn {
  /** The document of an extraction, null of an assistant's answer. Rejects with UnitFailure, or with the signal's reason. */
  answer(question: Question, signal: AbortSignal): Promise<ExtractedDocument | null>;
}

interface Dependencies {
  readonly models: Models;
  readonly files: FileReader;
  readonly schemas: SchemaValidator;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** How often a model may correct an answer that does not fit the schema. */
const REPAIRS = 1;
const NOTHING: Usage = { inputTokens: 0, outputTokens: 0 };

/** PostgreSQL keeps no NUL, and JSON no half of a surrogate pair. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();

const parsed = (text: string): unknown => {
  const unfenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(unfenced);
  } catch {
    return undefined;
  }
};

type Checked = { readonly document: ExtractedDocument } | { readonly faults: readonly Fault[] };

export const turn = ({ models, files, schemas, ids, clock }: Dependencies): Turn => {
  const message = (fields: Pick<Message, 'role' | 'content'> & Partial<Message>): Message => ({
    ...{ id: ids.next(), toolCalls: [], toolCallId: null, attachments: [], createdAt: clock.now() },
    ...fields,
  });

  const check = (text: string, schema: JsonSchema, read: readonly ReadFile[]): Checked => {
    const answer = parsed(text);
    if (!isObject(answer) || !isObject(answer.document))
      return { faults: [{ path: '', message: 'must be JSON of the form {"document": {…}, "evidence": […]}' }] };
    const faults = schemas.faults(schema, answer.document);
    if (faults.length > 0) return { faults };
    const data = answer.document as JsonObject;
    return {
      document: {
        data,
        evidence: verifyEvidence(
          answer.evidence,
          data,
          read.flatMap((file) => file.parts),
        ),
      },
    };
  };

  /** Every file of the history, read once; each is shown where its message stands. */
  const readAll = async (history: readonly Message[], agent: Agent, signal: AbortSignal) => {
    const read = new Map<string, readonly ReadFile[]>();
    for (const { id, attachments } of history) {
      if (attachments.length > 0) read.set(id, await files.read(attachments, models.traits(agent.model), signal));
    }
    return read;
  };

  const shown = (history: readonly Message[], read: ReadonlyMap<string, readonly ReadFile[]>): ModelMessage[] =>
    history.map((stored): ModelMessage => {
      if (stored.role === 'assistant') return { role: 'assistant', text: stored.content, toolCalls: stored.toolCalls };
      const text = stored.content === '' ? [] : [{ type: 'text' as const, text: stored.content }];
      return { role: 'user', content: [...text, ...(read.get(stored.id) ?? []).flatMap((file) => file.content)] };
    });

  const ask = async (agent: Agent, messages: readonly ModelMessage[], signal: AbortSignal): Promise<Step> => {
    const outputSchema = agent.documentSchema && extractionSchema(agent.documentSchema);
    try {
      return await models.step({ model: agent.model, instructions: instructionsFor(agent), messages, tools: [], outputSchema }, signal);
    } catch (error) {
      if (error instanceof ModelError) throw new UnitFailure(error.code, error.message, { cause: error });
      throw error;
    }
  };

  /** What to do with the newest message: another question to the model, or the end. */
  const conclude = (
    agent: Agent,
    history: readonly Message[],
    read: readonly ReadFile[],
  ): { done: ExtractedDocument | null } | { say: Message | null } => {
    const last = history.at(-1);
    if (last?.role !== 'assistant') return { say: null };
    if (agent.documentSchema === null) return { done: null };
    const checked = check(last.content, agent.documentSchema, read);
    if ('document' in checked) return { done: checked.document };
    const asked = history.filter(({ role }) => role === 'user').length - 1;
    if (asked < REPAIRS) return { say: message({ role: 'user', content: repairMessage(checked.faults) }) };
    const faults = checked.faults.slice(0, 5).map(({ path, message: expected }) => `${path || 'it'} ${expected}`);
    throw new UnitFailure('invalid_output', `The model's answer does not fit the agent's document schema: ${faults.join('; ')}.`);
  };

  return {
    async answer({ agent, history: stored, userMessage, attachments, append }, signal) {
      const history = [...stored];
      const add = async (next: Message, usage: Usage) => {
        await append([next], usage);
        history.push(next);
      };
      if (history.length === 0) await add(message({ role: 'user', content: storable(userMessage), attachments }), NOTHING);
      const read = await readAll(history, agent, signal);
      const all = [...read.values()].flat();
      files.mustBeReadable(all);
      for (;;) {
        signal.throwIfAborted();
        const next = conclude(agent, history, all);
        if ('done' in next) return next.done;
        if (next.say) await add(next.say, NOTHING);
        const step = await ask(agent, shown(history, read), signal);
        if (step.finish === 'length')
          throw new UnitFailure('model_error', 'The model stopped before its answer was complete: it is too long.');
        await add(message({ role: 'assistant', content: storable(step.text) }), step.usage);
      }
    },
  };
};
