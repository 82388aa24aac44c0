import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { useAddress } from '../address.ts';
import { api, isNotFound, isUnreachable, messageOf, untilAnswered, withToken } from '../api.ts';
import { cache, reading } from '../queries.ts';
import { Button, Loading } from './basics.tsx';
import { EarlierConversations } from './earlier-conversations.tsx';
import { Markdown } from './markdown.tsx';
import { newRun } from './new-run.ts';
import { useWriting } from './writing.ts';

type Message = Pick<Schemas['Message'], 'id' | 'role' | 'content' | 'author' | 'tool_calls' | 'tool_call_id'>;

/** How often the page reads a conversation in which the agent answers another program, or answers on after a reload. */
const LOOK_MS = 1500;
const LONGEST = 100_000;

type ToolProps = { readonly call: Schemas['ToolCall']; readonly result: Message | undefined };

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

const stateOf = (result: ToolProps['result'], failed: boolean) => {
  if (result === undefined) return 'is called';
  return failed ? 'failed' : 'answered';
};

const ToolCall = ({ call, result }: ToolProps) => {
  const failed = result?.content.startsWith('Error: ') ?? false;
  return (
    <details class={failed ? 'call failed' : 'call'}>
      <summary>
        <span class="mono">{call.name}</span> <span class="soft">{stateOf(result, failed)}</span>
      </summary>
      <pre tabindex={0} aria-label="Arguments">
        {asText(call.arguments)}
      </pre>
      {result && (
        <pre tabindex={0} aria-label="Result">
          {result.content}
        </pre>
      )}
    </details>
  );
};

/** A message of the user or of the agent, with the tools that it called and what each of them answered. */
const Said = ({
  message,
  results,
}: {
  readonly message: Message;
  readonly results: ReadonlyMap<string | null, Message>;
}) => (
  <li class={message.role}>
    <h3>{message.role === 'user' ? (message.author?.name ?? 'You') : 'Agent'}</h3>
    {message.role === 'user' ? <p class="said">{message.content}</p> : <Markdown text={message.content} />}
    {message.tool_calls.map((call) => (
      <ToolCall key={call.id} call={call} result={results.get(call.id)} />
    ))}
  </li>
);

/** What was said since the user sent a message, and the message that is being written. */
type Turn = { readonly messages: readonly Message[]; readonly draft: Message | null };

const idle: Turn = { messages: [], draft: null };

const said = (role: 'user' | 'assistant', id: string, content: string): Message => ({
  id,
  role,
  content,
  author: null,
  tool_calls: [],
  tool_call_id: null,
});

/** The conversation of a run; it is there as soon as a worker has taken the run. */
const conversationOf = async (id: string, signal: AbortSignal): Promise<string> => {
  for await (const _ of api.runEvents(id, { signal })) {
    const run = await api.get('/api/v1/runs/{id}', { params: { path: { id } }, signal });
    const [conversation] = run.conversations;
    if (conversation) return conversation.id;
    if (run.error) throw new Error(run.error);
  }
  throw new Error('The run ended without a conversation.');
};

/** A run begins a conversation. */
const begin = async (agentId: string, message: string, signal: AbortSignal): Promise<string> => {
  const { id } = await newRun(agentId, { user_message: message }, signal);
  return untilAnswered(() => conversationOf(id, signal), signal);
};

/** Whether a conversation has a message that it did not have before. */
const hasGot = async (id: string, message: string, before: ReadonlySet<string>, signal: AbortSignal) => {
  const params = { path: { id } };
  const { messages } = await untilAnswered(() => api.get('/api/v1/threads/{id}', { params, signal }), signal);
  return messages.some((each) => each.role === 'user' && each.content === message && !before.has(each.id));
};

type WriteProps = {
  readonly agentId: string;
  readonly busy: boolean;
  readonly send: (text: string) => Promise<boolean>;
};

const Write = ({ agentId, busy, send }: WriteProps) => {
  const post = async (message: string) => {
    if (busy) return;
    write('');
    if (!(await send(message.trim())) && text.value === '') write(message);
  };
  const { text, write, isEmpty, submit, field } = useWriting({
    keptAt: `portico.message.${agentId}`,
    isSending: ({ shiftKey, isComposing }) => !(shiftKey || isComposing),
    send: (message) => void post(message),
  });
  return (
    <form class="write" onSubmit={submit}>
      <textarea
        rows={2}
        aria-label="Message to the agent"
        placeholder="Write to the agent"
        maxlength={LONGEST}
        {...field}
      ></textarea>
      <button type="submit" aria-disabled={busy || isEmpty || undefined}>
        {busy ? 'Answering…' : 'Send'}
      </button>
    </form>
  );
};

interface Thread {
  readonly id: string;
  readonly agentId: string;
  /** The messages that the page has of it. */
  readonly known: () => ReadonlySet<string>;
  readonly settle: () => void;
}

const useTurn = ({ id, agentId, known, settle }: Thread) => {
  const { setQuery } = useAddress();
  const turn = useSignal(idle);
  const failure = useSignal<string | null>(null);
  const working = useSignal(false);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);

  const follow = async (message: string) => {
    for await (const { type, data } of api.continueThread(id, message, { signal: ended.current.signal })) {
      const now = turn.value;
      if (type === 'message') turn.value = { ...now, messages: [...now.messages, data], draft: null };
      else if (type === 'done') failure.value = data.error;
      else
        turn.value = {
          ...now,
          draft: said('assistant', data.id, (now.draft?.id === data.id ? now.draft.content : '') + data.text),
        };
    }
  };
  /** Whether the message arrived; where its answer breaks off, the conversation says so once the server answers again. */
  const arrives = async (message: string): Promise<boolean> => {
    const before = known();
    try {
      await withToken(() => follow(message));
      return true;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return hasGot(id, message, before, ended.current.signal);
    }
  };
  /** Whether the agent has the message. */
  const send = async (message: string): Promise<boolean> => {
    working.value = true;
    failure.value = null;
    turn.value = { messages: [said('user', 'sent', message)], draft: null };
    try {
      if (id === '') setQuery({ conversation: await begin(agentId, message, ended.current.signal) });
      else if (!(await arrives(message))) throw new Error('The message did not arrive. Send it again.');
      return true;
    } catch (error) {
      if (ended.current.signal.aborted) return true;
      failure.value = messageOf(error);
      return false;
    } finally {
      working.value = false;
      settle();
    }
  };
  return { turn, failure, working, send };
};

/** A conversation to try the agent with. Its id is in the address, so that a reload shows it again. */
export const Conversation = ({ agentId }: { readonly agentId: string }) => {
  const { query, setQuery } = useAddress();
  const id = query.conversation ?? '';
  const thread = reading(['thread', id], (get) => get('/api/v1/threads/{id}', { params: { path: { id } } }));
  const { turn, failure, working, send } = useTurn({
    id,
    agentId,
    known: () => new Set(cache.getQueryData(thread.queryKey)?.messages.map((message) => message.id)),
    settle: () => void cache.refetchQueries({ queryKey: thread.queryKey }),
  });
  const loaded = useQuery({
    ...thread,
    enabled: id !== '',
    refetchInterval: ({ state }) =>
      (state.data?.status === 'responding' || !!state.data?.waiting_for) && !working.value && LOOK_MS,
  });
  const { data } = loaded;
  useEffect(() => {
    // What the server has stored takes the place of what was streamed.
    if (!working.value) turn.value = idle;
  }, [data]);
  const messages = id === '' ? [] : (data?.messages ?? []);
  const busy = working.value || (id !== '' && data?.status === 'responding');
  // A message that is stored by now is not shown a second time as the one that was streamed.
  const isStored =
    !working.value && turn.value.messages.some((streamed) => messages.some((message) => message.id === streamed.id));
  const all = isStored
    ? messages
    : [...messages, ...turn.value.messages, ...(turn.value.draft ? [turn.value.draft] : [])];
  const results = new Map(all.filter(({ role }) => role === 'tool').map((each) => [each.tool_call_id, each]));
  return (
    <section class="panel">
      <div class="heading">
        <h2>Talk with it</h2>
        {id !== '' && (
          <Button class="text" off={working.value} onClick={() => setQuery({ conversation: null })}>
            New conversation
          </Button>
        )}
      </div>
      {isNotFound(loaded.error) ? (
        <p class="failure" role="alert">
          There is no such conversation. Begin a new one.
        </p>
      ) : (
        id !== '' && <Loading of={loaded} lines={3} />
      )}
      {messages.length === 0 && !busy && id === '' && (
        <p class="soft">Write to the agent: it answers here, and shows which tools it calls.</p>
      )}
      <ol class="talk" aria-live="polite" aria-busy={busy}>
        {all
          .filter(({ role }) => role !== 'tool')
          .map((message) => (
            <Said key={message.id} message={message} results={results} />
          ))}
      </ol>
      {busy && turn.value.draft === null && (
        <p class="soft" role="status">
          The agent works on its answer.
        </p>
      )}
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <Write key={agentId} agentId={agentId} busy={busy} send={send} />
      {id === '' && !busy && (
        <EarlierConversations agentId={agentId} open={(conversation) => setQuery({ conversation })} />
      )}
    </section>
  );
};
