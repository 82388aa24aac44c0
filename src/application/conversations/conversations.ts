import type { User } from '../../domain/access.ts';
import { budgetExhausted } from '../../domain/budget.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { type Conversation, conversationBusy } from '../../domain/conversation.ts';
import { mustExist } from '../../domain/errors.ts';
import type { BudgetRepository } from '../ports/budgets.ts';
import type { Asker, ConversationLease, DecidedTurn } from '../ports/conversations.ts';
import type { UserRepository } from '../ports/people.ts';
import type { AgentRepository, ConversationRepository, ShownMessage } from '../ports/storage.ts';
import { leasesOf } from '../shared/leases.ts';
import { newMessage, OWN } from '../turns/journal.ts';
import { withholding } from '../turns/readers.ts';
import {
  conversationExchange,
  type Exchange,
  type ExchangeDependencies,
  RETRY_SECONDS,
  type TurnObserver,
} from './exchange.ts';

export interface Thread {
  readonly conversation: Conversation;
  /** In stored order, some at a time; what the caller may not read is withheld. */
  readonly messages: AsyncIterable<readonly ShownMessage[]>;
}

interface Dependencies extends ExchangeDependencies {
  readonly conversations: ConversationRepository;
  readonly agents: AgentRepository;
  readonly users: Pick<UserRepository, 'find' | 'findEnabled'>;
  readonly budgets: Pick<BudgetRepository, 'spent'>;
  readonly settings: ExchangeDependencies['settings'] & { readonly conversationLeaseSeconds: number };
}

/** A turn that goes on has the rights of who asked, as they are now. */
const callerOf = ({ workspaceId, email, role }: User, asker: Asker): Caller => ({
  ...asker,
  workspaceId,
  email,
  role,
  door: 'model',
  signedInAt: null,
});

const NOT_SEEN = 'Error: Not run: who asked for it is disabled, or no longer sees the agent.';

export const conversationService = (dependencies: Dependencies) => {
  const { conversations, turns, agents, users, budgets, readers, log } = dependencies;
  const respond = conversationExchange(dependencies);
  const leaseSeconds = dependencies.settings.conversationLeaseSeconds;
  const leases = leasesOf<ConversationLease>({
    subject: 'conversation',
    idOf: ({ conversationId }) => conversationId,
    renewal: { leaseSeconds, renew: (held) => turns.renew(held, leaseSeconds) },
    log,
  });

  const visible = async (caller: Caller, id: string) =>
    mustExist(await conversations.findVisible(caller, id), 'conversation');

  async function* readable(caller: Caller, id: string) {
    const read = withholding(readers(caller));
    for await (const page of conversations.messages(id)) {
      const shown: ShownMessage[] = [];
      for (const message of page) shown.push(await read(message));
      yield shown;
    }
  }

  /** The conversations that this process is answering in: a second message is refused without a look into the database. */
  const answering = new Set<string>();

  const take = async (
    caller: Caller,
    { id, agentId }: Conversation,
    text: string,
    observer: TurnObserver | null,
  ): Promise<Exchange> => {
    const [seen, user, spent] = await Promise.all([
      agents.findVisible(caller, agentId),
      users.find(caller.userId),
      budgets.spent(caller.workspaceId, agentId),
    ]);
    const agent = mustExist(seen, 'conversation');
    if (spent) throw budgetExhausted(spent);
    const author = user && { id: user.id, name: user.name };
    const lease = await turns.begin(id, leaseSeconds);
    if (!lease) throw conversationBusy(id, RETRY_SECONDS);
    return leases.during(lease, (signal) => respond({ caller, author, agent, text, lease, observer }, signal));
  };

  /** Ends a turn whose asker is gone or disabled, or no longer sees the agent: its calls are answered as not run. */
  const close = async (lease: ConversationLease) => {
    const { waiting } = await turns.readContext(lease.conversationId, 1);
    for (const [toolCallId, id] of waiting)
      await turns.settle(
        lease,
        newMessage(dependencies, { id, role: 'tool', content: NOT_SEEN, toolCallId, provenance: OWN }),
      );
    await turns.end(lease);
  };

  const continueTurn = async ({ lease, agentId, asker }: DecidedTurn, signal: AbortSignal) => {
    const user = await users.findEnabled(asker.userId);
    const caller = user && callerOf(user, asker);
    const agent = caller && (await agents.findVisible(caller, agentId));
    if (!user || !caller || !agent) return close(lease);
    const author = { id: user.id, name: user.name };
    await respond({ caller, author, agent, text: null, lease, observer: null }, signal);
  };

  return {
    async get(caller: Caller, id: string): Promise<Thread> {
      const conversation = await visible(caller, id);
      return { conversation, messages: readable(caller, conversation.id) };
    },

    /** Sends a message and waits for the answer, even if the client stops waiting. Refused while the conversation is responding. */
    async send(caller: Caller, id: string, text: string, observer: TurnObserver | null = null): Promise<Exchange> {
      mustWrite(caller);
      const conversation = await visible(caller, id);
      const { id: known, status } = conversation;
      if (status === 'responding' || answering.has(known)) throw conversationBusy(known, RETRY_SECONDS);
      answering.add(known);
      return take(caller, conversation, text, observer).finally(() => answering.delete(known));
    },

    /** Goes on with up to so many turns in which a person has decided. Answers their ends, which never reject. */
    async goOn(most: number): Promise<readonly Promise<void>[]> {
      const taken = await turns.takeDecided(most, leaseSeconds);
      return taken.map((turn) =>
        leases
          .during(turn.lease, (signal) => continueTurn(turn, signal))
          .catch((err) =>
            log.warn({ conversation_id: turn.lease.conversationId, err }, 'a turn could not go on; it is tried again'),
          ),
      );
    },

    /** Turns under way may end within the grace; then they end as they are, and their conversations are free. */
    stop: leases.stop,
  };
};

export type ConversationService = ReturnType<typeof conversationService>;
