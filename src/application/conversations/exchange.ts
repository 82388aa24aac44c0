import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Author, Message } from '../../domain/conversation.ts';
import { storable } from '../../domain/text.ts';
import type { ConversationLease, ConversationTurns, StoredContext } from '../ports/conversations.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { ModelContent, Models } from '../ports/models.ts';
import type { Clock, Ids, Log } from '../ports/runtime.ts';
import type { ShownMessage } from '../ports/storage.ts';
import { Stopping } from '../shared/leases.ts';
import type { Delta } from '../turns/drafted-message.ts';
import { contextCharacters, note, summaryPart } from '../turns/history.ts';
import { type Journal, NO_USAGE, newMessage, OWN } from '../turns/journal.ts';
import type { Readers } from '../turns/readers.ts';
import { abandoned, contentOf, unanswered } from '../turns/tool-calls.ts';
import type { Turn } from '../turns/turn.ts';
import { UnitFailure } from '../turns/unit-failure.ts';

export interface Exchange {
  readonly conversationId: string;
  /** What the assistant and its tools answered, in stored order. */
  readonly messages: readonly ShownMessage[];
  /** Why there is no answer; the conversation goes on all the same. */
  readonly error: string | null;
}

/** Sees a turn while it goes on. The turn waits for none of this. */
export interface TurnObserver {
  onDelta(delta: Delta): void;
  /** A message of the exchange, once it is stored. */
  onMessage(message: ShownMessage): void;
}

interface Dependencies {
  readonly turns: ConversationTurns;
  readonly readers: Readers;
  readonly models: Models;
  readonly turn: Turn;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

interface Answering {
  readonly caller: Caller;
  /** As readers are shown them. */
  readonly author: Author | null;
  readonly agent: Agent;
  readonly text: string;
  readonly lease: ConversationLease;
  readonly observer: TurnObserver | null;
}

/** Enough to see the newest calls and their results. */
const GLANCE = 10_000;

const STOPPED = 'The server stopped before the answer was complete. Send the message again.';
const TAKEN_OVER =
  'The lease of this turn ran out, and another one has taken the conversation over. Send the message again.';

/** Answers one message of a conversation whose lease is held. */
export const conversationExchange = (dependencies: Dependencies) => {
  const { turns, readers, models, turn, log } = dependencies;

  /** Results for calls that an earlier turn left behind: a model is never asked with one of them open. */
  const closing = (
    { userId: authorId }: Caller,
    history: readonly Message[],
    begun: ReadonlySet<string>,
  ): readonly Message[] =>
    abandoned(unanswered(history), begun).map(({ id: toolCallId, result }) =>
      newMessage(dependencies, { role: 'tool', content: contentOf(result), toolCallId, authorId, provenance: OWN }),
    );

  /** What is known of the messages before those that are read; a summary only for those who may read all that it sums up. */
  const earlierOf = async (
    caller: Caller,
    { summary, earlier, incomplete }: StoredContext,
  ): Promise<ModelContent | null> => {
    if (summary === null) return incomplete ? note('Earlier messages are left out.') : null;
    const reader = readers(caller);
    for (const { provenance } of earlier) {
      const system = provenance?.system ?? null;
      if (system !== null && !(await reader.sees(system)))
        return note('Earlier messages are left out: they hold what the user may not see.');
    }
    return summaryPart(summary);
  };

  const converse = async (
    { caller, agent, text, lease, observer }: Answering,
    journal: Journal,
    signal: AbortSignal,
  ) => {
    const stored = await turns.readContext(lease.conversationId, contextCharacters(models.traits(agent.model)));
    const { messages, begun, earlier: earlierFacts } = stored;
    const { userId: authorId } = caller;
    const opening = [
      ...closing(caller, messages, begun),
      newMessage(dependencies, { role: 'user', content: storable(text), authorId }),
    ];
    await journal.append(opening, NO_USAGE);
    const earlier = await earlierOf(caller, stored);
    const history = [...messages, ...opening];
    // A person gets an answer in prose, also from an agent whose runs answer a document.
    const talking = { ...agent, documentSchema: null };
    const asked = { userMessage: '', userProvenance: null, attachments: [], authorId, caller };
    const question = { ...asked, agent: talking, history, earlier, earlierFacts, begun: new Set<string>() };
    // A summary of what this user may not read would be taken from those who may.
    const summarise = earlier?.type === 'note' && stored.summary !== null ? null : journal.summarise;
    const onDelta = observer && ((delta: Delta) => observer.onDelta(delta));
    await turn.answer(
      { ...question, journal: { ...journal, summarise }, mayStartRuns: true, purpose: 'chat', onDelta },
      signal,
    );
  };

  /** Leaves the conversation whole and free, however far the turn came. */
  const abandon = async (caller: Caller, lease: ConversationLease, append: Journal['append']) => {
    const { messages, begun } = await turns.readContext(lease.conversationId, GLANCE);
    const results = closing(caller, messages, begun);
    if (results.length > 0) await append(results, NO_USAGE);
    await turns.end(lease);
  };

  const reasonOf = (error: unknown): string | null => {
    if (error instanceof UnitFailure) return error.message;
    if (error instanceof Stopping) return STOPPED;
    return error instanceof LeaseLost ? TAKEN_OVER : null;
  };

  return async (answering: Answering, signal: AbortSignal): Promise<Exchange> => {
    const { caller, author, agent, lease, observer } = answering;
    const { conversationId } = lease;
    const answers: ShownMessage[] = [];
    let isAsked = false;
    const append: Journal['append'] = async (messages, usage) => {
      await turns.append(lease, messages, usage);
      for (const message of messages) {
        const shown = { ...message, author: message.authorId === author?.id ? author : null };
        if (isAsked) answers.push(shown);
        if (isAsked) observer?.onMessage(shown);
        isAsked ||= message.role === 'user';
      }
    };
    const journal: Journal = {
      append,
      step() {},
      intend: (calls) => turns.intend(lease, calls),
      approvals: null,
      summarise: (summary) => turns.summarise(lease, summary),
    };
    const exchange = (error: string | null): Exchange => ({ conversationId, messages: answers, error });
    try {
      await converse(answering, journal, signal);
      await turns.end(lease);
      return exchange(null);
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        await abandon(caller, lease, append).catch((err) =>
          log.warn(
            { conversation_id: conversationId, err },
            'a conversation could not be freed; its lease will run out',
          ),
        );
      }
      const reason = reasonOf(error);
      if (reason === null) throw error;
      log.info({ conversation_id: conversationId, agent_id: agent.id, reason }, 'a turn ended without an answer');
      return exchange(reason);
    }
  };
};
