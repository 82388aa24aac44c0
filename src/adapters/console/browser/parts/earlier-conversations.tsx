import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { api, withToken } from '../api.ts';
import { reading } from '../queries.ts';
import { Disclosure, LoadedList, Time } from './basics.tsx';
import { Action } from './notice.tsx';

const MOST = 20;

interface EarlierProps {
  readonly agentId: string;
  readonly open: (conversationId: string) => void;
}

/** The newest runs of the agent; each began a conversation. */
const Runs = ({ agentId, open }: EarlierProps) => {
  const params = { query: { agent_id: agentId, limit: MOST } };
  const loaded = useQuery(reading(['runs of', agentId], (get) => get('/api/v1/runs', { params })));
  const show = async (id: string) => {
    const run = await withToken(() => api.get('/api/v1/runs/{id}', { params: { path: { id } } }));
    const [conversation] = run.conversations;
    if (conversation === undefined) throw new Error('Nothing was said in this run.');
    open(conversation.id);
  };
  const entry = ({ id, created_at: at, status }: Schemas['Run']) => (
    <li key={id} class="unit">
      <Action class="text" does={() => show(id)}>
        <Time at={at} />
      </Action>{' '}
      <span class="soft">{status}</span>
    </li>
  );
  return <LoadedList of={loaded} items={loaded.data?.runs} look="units" none="There are none yet." entry={entry} />;
};

export const EarlierConversations = (props: EarlierProps) => (
  <Disclosure class="earlier" summary="Earlier conversations">
    {() => <Runs {...props} />}
  </Disclosure>
);
