import { signal } from '@preact/signals';
import type { Schemas } from '../../../../client/portico.ts';
import { api, messageOf, untilAnswered } from '../api.ts';
import { cache } from '../queries.ts';
import { useAgents } from './agents.ts';
import { FormDialog, showDialog } from './dialogs.tsx';
import { endedRun } from './ended-run.ts';
import { newRun } from './new-run.ts';
import { act, notify } from './notice.tsx';

/** What is read again: a document whose files could not be read, or a failed run that left no document. */
type Failed = { readonly id: string; readonly name: string };

/** What is being read again, by its id; it goes on when the user leaves the page. */
const underWay = signal<ReadonlySet<string>>(new Set());

export const isReadAgain = (id: string): boolean => underWay.value.has(id);

/** Says what came of a run that reads something again. */
const follow = async ({ id, name }: Failed, runId: string) => {
  underWay.value = new Set([...underWay.value, id]);
  try {
    const { status, error } = await endedRun(runId);
    if (status === 'completed') notify(`${name} was read again.`);
    else notify(`${name} could not be read again: ${error ?? `the run was ${status}`}`, true);
  } catch (error) {
    notify(messageOf(error), true);
  } finally {
    underWay.value = new Set([...underWay.value].filter((each) => each !== id));
  }
};

const started = (failed: Failed, { id }: Schemas['Run']) => {
  notify(`${failed.name} is being read again.`);
  void follow(failed, id);
};

/** By one key, so that it is read again once however many answers are lost with the connection. */
const reread = (id: string, agentId?: string, signal?: AbortSignal) => {
  const params = { path: { id }, header: { 'Idempotency-Key': crypto.randomUUID() } };
  const body = agentId === undefined ? {} : { agent_id: agentId };
  return untilAnswered(() => api.post('/api/v1/documents/{id}/reread', { params, body, signal }), signal);
};

/** Reads the files of a document again, by its agent; false: that did not begin. */
export const retry = async (document: Failed): Promise<boolean> => {
  const run = await act({ does: () => reread(document.id) });
  if (run !== null) started(document, run);
  return run !== null;
};

interface ReadByProps {
  readonly document: Failed & { readonly agent_id: string };
  /** What comes once it has begun. */
  readonly after: () => void;
}

const ReadBy = ({ document, after }: ReadByProps) => {
  const { agents } = useAgents();
  const readers = agents.filter(({ workflow_type: type }) => type === 'document_extraction');
  const [other = readers[0]] = readers.filter(({ id }) => id !== document.agent_id);
  return (
    <FormDialog
      title={`Read ${document.name} again?`}
      yes="Read again"
      busy="Sending…"
      isReady={readers.length > 0}
      submit={(entered, signal) => reread(document.id, String(entered.get('agent')), signal)}
      after={(run: Schemas['Run']) => {
        started(document, run);
        after();
      }}
    >
      <label class="field">
        Agent
        <select name="agent">
          {readers.map((agent) => (
            <option value={agent.id} selected={agent === other}>
              {agent.name}
            </option>
          ))}
        </select>
      </label>
      <p class="soft">What the agent reads takes the place of this document, which goes to the trash.</p>
    </FormDialog>
  );
};

/** Asks by which agent a document is read again. */
export const askReader = (document: ReadByProps['document'], after = () => {}): void =>
  showDialog(<ReadBy document={document} after={after} />);

const workAgain = () => void cache.invalidateQueries({ queryKey: ['work'] });

const dismissal = (id: string) => {
  const params = { path: { id }, header: { 'Idempotency-Key': crypto.randomUUID() } };
  return untilAnswered(() => api.post('/api/v1/runs/{id}/dismiss', { params }));
};

export const dismissRun = async ({ id, name }: Failed): Promise<void> => {
  await act({ does: () => dismissal(id), done: `${name} is dismissed.`, after: workAgain });
};

/** What of a run left no document: all its files, or those of the units that failed so; and its message. */
const leftOf = ({ files, process_together, items, user_message }: Schemas['RunDetail']) => {
  const open = items.filter(({ status, document_ids: ids }) => status === 'failed' && ids.length === 0);
  return {
    files: process_together ? files : files.filter((_, index) => open.some((item) => item.index === index)),
    process_together,
    user_message,
  };
};

/** Starts a run on what a failed run left undone, in place of that one. */
export const retryRun = async (failed: Failed & { readonly agent_id: string }): Promise<void> => {
  const params = { path: { id: failed.id } };
  const does = async () => newRun(failed.agent_id, leftOf(await api.get('/api/v1/runs/{id}', { params })));
  const run = await act({ does });
  if (run === null) return;
  started(failed, run);
  await act({ does: () => dismissal(failed.id), after: workAgain });
};
