import type { Caller } from '../../domain/caller.ts';
import { type Author, conversationBusy, type Message } from '../../domain/conversation.ts';
import { DomainError } from '../../domain/errors.ts';
import { storable } from '../../domain/text.ts';
import type { ConversationLease, StoredContext } from '../ports/conversations.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { ModelContent, Models } from '../ports/models.ts';
import type { Log } from '../ports/runtime.ts';
import type { ShownMessage } from '../ports/storage.ts';
import { Stopping } from '../shared/leases.ts';
import { refused, UNKNOWN_OUTCOME } from '../tools/tool.ts';
import { WaitsForApproval } from '../turns/call-approval.ts';
import type { Delta } from '../turns/drafted-message.ts';
import { contextCharacters, note, summaryPart } from '../turns/history.ts';
import { type Journal, NO_USAGE, newMessage } from '../turns/journal.ts';
import type { Readers } from '../turns/readers.ts';
import { abandoned, contentOf, unanswered } from '../turns/tool-calls.ts';
import type { Turn } from '../turns/turn.ts';
import { UnitFailure } from '../turns/unit-failure.ts';
import { exchangeJournal, type JournalDependencies, type JournalTerms, toolMessage } from './exchange-journal.ts';

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

/** What an exchange needs. */
export interface ExchangeDependencies extends JournalDependencies {
  readonly readers: Readers;
  readonly models: Models;
  readonly turn: Turn;
  readonly log: Log;
}

interface Answering extends JournalTerms {
  /** The caller, as readers are shown them. */
  readonly author: Author | null;
  /** null: the turn goes on, because a person has decided. */
  readonly text: string | null;
  readonly observer: TurnObserver | null;
}

/** Enough to see the newest calls and their results. */
const GLANCE = 10_000;

const STOPPED = 'The server stopped before the answer was complete. Send the message again.';
const TAKEN_OVER =
  'The lease of this turn ran out, and another one has taken the conversation over. Send the message again.';

const NOT_STORED = 'The database did not take all of the answer. Send the message again.';

const WITHDRAWN = contentOf(refused('Not run: it needs the approval of a person, and another message came first.'));
const GIVEN_UP = contentOf(refused(`The server stopped each time it went on with this call. ${UNKNOWN_OUTCOME}`));

/** Of the database, which has too much to do or did not answer. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'busy' || error.kind === 'outcome_unknown');

/** Why a turn ended without an answer, for the user; null: only the log says it. `isAsked`: the message of the user is stored. */
const reasonOf = (error: unknown, isAsked: boolean): string | null => {
  if (error instanceof UnitFailure) return error.message;
  // Its own words say that nothing was done.
  if (isAsked && isOfDatabase(error)) return NOT_STORED;
  if (error instanceof Stopping) return STOPPED;
  return error instanceof LeaseLost ? TAKEN_OVER : null;
};

/** As soon as the process that goes on has ended, as a rule. */
export const RETRY_SECONDS = 2;

/** Answers one message of a conversation whose lease is held, or goes on with a turn in which a person has decided. */
export const conversationExchange = (dependencies: ExchangeDependencies) => {
  const { turns, readers, models, turn, log } = dependencies;

  /** Results for calls that an earlier turn left behind: a model is never asked with one of them open. Those that wait for their approval are not among them. */
  const closing = ({ userId: authorId }: Caller, { messages, begun, waiting }: StoredContext): readonly Message[] =>
    abandoned(
      unanswered(messages).filter(({ id }) => !waiting.has(id)),
      begun,
    ).map(({ id, result }) => newMessage(dependencies, toolMessage(contentOf(result), id, authorId)));

  /** What a message of a user goes on from: calls that wait for an approval are withdrawn by it. */
  const withoutWaiting = async (lease: ConversationLease, characters: number): Promise<StoredContext> => {
    const stored = await turns.readContext(lease.conversationId, characters);
    if (stored.waiting.size === 0) return stored;
    await turns.withdraw(lease, WITHDRAWN, GIVEN_UP);
    const now = await turns.readContext(lease.conversationId, characters);
    if (now.waiting.size > 0) throw conversationBusy(lease.conversationId, RETRY_SECONDS);
    return now;
  };

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
    { caller, agent, text, observer }: Answering,
    stored: StoredContext,
    journal: Journal,
    signal: AbortSignal,
  ): Promise<void> => {
    const { userId: authorId } = caller;
    const opening: Message[] = [];
    if (text !== null) {
      const asked = newMessage(dependencies, { role: 'user', content: storable(text), authorId });
      opening.push(...closing(caller, stored), asked);
      await journal.append(opening, NO_USAGE);
    }
    const earlier = await earlierOf(caller, stored);
    // A summary of what this user may not read would be taken from those who may.
    const summarise = earlier?.type === 'note' && stored.summary !== null ? null : journal.summarise;
    const question = {
      userMessage: '',
      userProvenance: null,
      attachments: [],
      authorId,
      caller,
      // A person gets an answer in prose, also from an agent whose runs answer a document.
      agent: { ...agent, documentSchema: null },
      history: [...stored.messages, ...opening],
      earlier,
      earlierFacts: stored.earlier,
      begun: text === null ? stored.begun : new Set<string>(),
      journal: { ...journal, summarise },
      mayStartRuns: true,
      purpose: 'chat' as const,
      onDelta: observer && ((delta: Delta) => observer.onDelta(delta)),
    };
    await turn.answer(question, signal);
  };

  const notFreed =
    ({ conversationId }: ConversationLease) =>
    (err: unknown) =>
      log.warn({ conversation_id: conversationId, err }, 'a conversation could not be freed; its lease will run out');

  /** Leaves the conversation whole and free, however far the turn came. */
  const abandon = async (caller: Caller, lease: ConversationLease, append: Journal['append']) => {
    const results = closing(caller, await turns.readContext(lease.conversationId, GLANCE));
    if (results.length > 0) await append(results, NO_USAGE);
    await turns.end(lease);
  };

  /** A turn that goes on by itself is found again by another process, unless it has come to its end. One that has not begun left nothing. */
  const leave = async (
    { caller, lease, text }: Answering,
    error: unknown,
    hasBegun: boolean,
    append: Journal['append'],
  ): Promise<void> => {
    if (error instanceof LeaseLost) return;
    const isFoundAgain = text === null && !(error instanceof UnitFailure);
    const leaving = hasBegun && !isFoundAgain ? abandon(caller, lease, append) : turns.release(lease);
    await leaving.catch(notFreed(lease));
  };

  return async (answering: Answering, signal: AbortSignal): Promise<Exchange> => {
    const { author, agent, text, lease, observer } = answering;
    const { conversationId } = lease;
    const answers: ShownMessage[] = [];
    let isAsked = text === null;
    const { journal, take } = exchangeJournal(dependencies, answering, (message) => {
      const shown = { ...message, author: message.authorId === author?.id ? author : null };
      if (isAsked) answers.push(shown);
      if (isAsked) observer?.onMessage(shown);
      isAsked ||= message.role === 'user';
    });
    const exchange = (error: string | null): Exchange => ({ conversationId, messages: answers, error });
    let hasBegun = false;
    try {
      const characters = contextCharacters(models.traits(agent.model));
      const stored = await (text === null
        ? turns.readContext(conversationId, characters)
        : withoutWaiting(lease, characters));
      hasBegun = true;
      take(stored);
      await converse(answering, stored, journal, signal).catch((error: unknown) => {
        if (!(error instanceof WaitsForApproval)) throw error;
      });
      // The answer is stored: a user who reads of a failure would send the message again.
      await turns.end(lease).catch(notFreed(lease));
      return exchange(null);
    } catch (error) {
      await leave(answering, error, hasBegun, journal.append);
      const reason = reasonOf(error, isAsked && text !== null);
      if (reason === null) throw error;
      const fields = { conversation_id: conversationId, agent_id: agent.id, reason };
      if (isOfDatabase(error)) log.warn({ ...fields, err: error }, 'an answer could not be stored');
      else log.info(fields, 'a turn ended without an answer');
      return exchange(reason);
    }
  };
};
