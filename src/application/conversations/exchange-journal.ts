import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Message } from '../../domain/conversation.ts';
import { mustExist } from '../../domain/errors.ts';
import type { ConversationLease, ConversationTurns, StoredContext } from '../ports/conversations.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import { oneAtATime } from '../shared/async.ts';
import type { CallApprovals } from '../turns/call-approval.ts';
import { type Journal, type MessageFields, newMessage, OWN } from '../turns/journal.ts';

/** What the journal of an exchange needs. */
export interface JournalDependencies {
  readonly turns: ConversationTurns;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly links: { approval(id: string): string };
  readonly settings: { readonly approvalHours: number };
}

/** Whose exchange it is, with which agent, and where. */
export interface JournalTerms {
  readonly caller: Caller;
  readonly agent: Agent;
  readonly lease: ConversationLease;
}

/** The result of a call, as the journal has it. */
export const toolMessage = (content: string, toolCallId: string, authorId: string): MessageFields => ({
  role: 'tool',
  content,
  toolCallId,
  authorId,
  provenance: OWN,
});

/** The journal of one exchange; `shown`: what becomes of it is shown to who asked. */
export const exchangeJournal = (
  dependencies: JournalDependencies,
  { caller, agent, lease }: JournalTerms,
  shown: (message: Message) => void,
) => {
  const { turns, ids, links, settings } = dependencies;
  const { conversationId } = lease;
  const messages = new Map<string, string>();
  let isLimited = false;
  const isWaiting = ({ id, toolCallId }: Message) => toolCallId !== null && messages.get(toolCallId) === id;
  const store = oneAtATime();
  const append: Journal['append'] = (added, usage) =>
    store(async () => {
      for (const message of added.filter(isWaiting)) await turns.settle(lease, message);
      const others = added.filter((message) => !isWaiting(message));
      if (others.length > 0 || added.length === 0) ({ isLimited } = await turns.append(lease, others, usage));
      for (const message of added) shown(message);
    });
  const find: CallApprovals['find'] = (toolCallId) => turns.approvalOf(conversationId, toolCallId);
  const request: CallApprovals['request'] = (call) =>
    store(async () => {
      const id = ids.next();
      const content = `Waits for the approval of a person: ${links.approval(id)}`;
      const message = newMessage(dependencies, toolMessage(content, call.toolCallId, caller.userId));
      const terms = { agentVersion: agent.version, asker: caller, message, hours: settings.approvalHours };
      await turns.requestApproval(lease, { id, ...call, ...terms });
      shown(message);
      return mustExist(await find(call.toolCallId), 'approval');
    });
  const journal: Journal = {
    append,
    isLimited: () => isLimited,
    reserve: (bound) => turns.reserve(lease, bound),
    step() {},
    intend: (calls) => turns.intend(lease, calls),
    approvals: { messages, find, request },
    summarise: (summary) => turns.summarise(lease, summary),
  };
  /** From now on, the results of these calls take the place of their messages. */
  const take = ({ waiting, ...stored }: StoredContext) => {
    ({ isLimited } = stored);
    for (const [call, id] of waiting) messages.set(call, id);
  };
  return { journal, take };
};
