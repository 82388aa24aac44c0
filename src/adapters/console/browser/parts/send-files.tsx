import { useSignal } from '@preact/signals';
import { to, useAddress } from '../address.ts';
import { api, withToken } from '../api.ts';
import { samples } from '../settings.ts';
import { useAgents, useMayWrite } from './agents.ts';
import { FormDialog, showDialog } from './dialogs.tsx';
import { FileDrop } from './file-drop.tsx';
import { newRun } from './new-run.ts';
import { Action } from './notice.tsx';

type Order = {
  readonly agentId: string;
  readonly files: readonly File[];
  readonly together: boolean;
  readonly message: string;
  /** Whether what is read is only looked at. */
  readonly isTrial?: boolean;
  readonly signal?: AbortSignal;
};

/** A browser does not know the type of every file. */
const UNKNOWN = 'application/octet-stream';

/** Sends the files and starts a run of them; the answer is its id. */
export const startRun = async ({
  agentId,
  files,
  together,
  message,
  isTrial = false,
  signal,
}: Order): Promise<string> => {
  const named = files.map((file) => ({ name: file.name, contentType: file.type || UNKNOWN, content: file }));
  const uploaded = named.length === 0 ? [] : await withToken(() => api.upload(agentId, named, { signal }));
  const said = message !== '' && { user_message: message };
  const body = { files: uploaded, process_together: together, ...said, ...(isTrial && { trial: true }) };
  return (await newRun(agentId, body, signal)).id;
};

const sampleFile = async ({ name, type, address }: (typeof samples)[number]): Promise<File> =>
  new File([await (await fetch(address)).blob()], name, { type });

/** Agents that have their files, while others could not be sent theirs. */
const sent = new Set<string>();

/** Sends the files that come with the demo to the agents that they are for, and goes to the documents they become. */
const SendSamples = () => {
  const { go } = useAddress();
  const { agents } = useAgents();
  const orders = [...Map.groupBy(samples, ({ agent }) => agent)].flatMap(([name, files]) => {
    const agent = agents.find((each) => each.name === name);
    return agent ? [{ agentId: agent.id, files }] : [];
  });
  if (orders.length === 0) return null;
  const send = async () => {
    for (const { agentId, files } of orders) {
      if (sent.has(agentId)) continue;
      await startRun({ agentId, files: await Promise.all(files.map(sampleFile)), together: false, message: '' });
      sent.add(agentId);
    }
    sent.clear();
    go(to('/documents'));
  };
  const done = 'The files are sent. What the agents read from them appears here.';
  return (
    <Action does={send} done={done} busy="Sending…">
      Send the {samples.length} sample files
    </Action>
  );
};

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The form that starts a run: files, a message, or both. */
const NewRun = () => {
  const { go } = useAddress();
  const { agents } = useAgents();
  const files = useSignal<readonly File[]>([]);
  const message = useSignal('');
  const likely = agents.find((agent) => agent.workflow_type === 'document_extraction') ?? agents[0];
  const add = (more: readonly File[]) => {
    files.value = [...files.value, ...more].slice(0, 100);
  };
  const remove = (file: File) => {
    files.value = files.value.filter((each) => each !== file);
  };
  const write = ({ currentTarget }: Event) => {
    message.value = (currentTarget as HTMLTextAreaElement).value;
  };
  const submit = (entered: FormData, signal: AbortSignal) =>
    startRun({
      signal,
      agentId: String(entered.get('agent')),
      files: files.value,
      together: entered.has('together'),
      message: message.value.trim(),
    });
  const isReady = files.value.length > 0 || message.value.trim() !== '';
  return (
    <FormDialog
      title="Send files to an agent"
      yes="Start"
      busy="Sending…"
      isReady={isReady}
      submit={submit}
      after={(id: string) => go(to(`/runs/${id}`))}
    >
      <label class="field">
        Agent
        <select name="agent">
          {agents.map((agent) => (
            <option value={agent.id} selected={agent === likely}>
              {agent.name}
            </option>
          ))}
        </select>
      </label>
      <FileDrop multiple add={add}>
        <strong>Choose files</strong> or drop them here
      </FileDrop>
      <ul class="picked">
        {files.value.map((file) => (
          <li>
            <span class="cut">{file.name}</span>
            <span class="soft">{sizeText(file.size)}</span>
            <button type="button" class="text" aria-label={`Leave out ${file.name}`} onClick={() => remove(file)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      {files.value.length > 1 && (
        <label class="check">
          <input type="checkbox" name="together" /> They belong together: read them as one document
        </label>
      )}
      <label class="field">
        <span>
          Message <span class="soft">(may be left out)</span>
        </span>
        <textarea rows={3} value={message.value} onInput={write}></textarea>
      </label>
    </FormDialog>
  );
};

/** The button that opens the form. */
export const SendFiles = ({ withSamples = false }: { readonly withSamples?: boolean }) => {
  if (!useMayWrite()) return null;
  return (
    <span class="actions">
      {withSamples && <SendSamples />}
      <button
        type="button"
        class={withSamples && samples.length > 0 ? 'plain' : ''}
        onClick={() => showDialog(<NewRun />)}
      >
        Send files
      </button>
    </span>
  );
};
