import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { api, messageOf, withToken } from '../api.ts';
import { navigate, to } from '../router.ts';
import { samples } from '../settings.ts';
import { useAgents, useMayWrite } from './agents.ts';
import { following, setting } from './basics.ts';
import { Dialog } from './dialogs.ts';
import { act } from './notice.ts';

type Order = { readonly agentId: string; readonly files: readonly File[]; readonly together: boolean; readonly message: string };

/** A browser does not know the type of every file. */
const UNKNOWN = 'application/octet-stream';

const startRun = async ({ agentId, files, together, message }: Order): Promise<string> => {
  const named = files.map((file) => ({ name: file.name, contentType: file.type || UNKNOWN, content: file }));
  const uploaded = named.length === 0 ? [] : await withToken(() => api.upload(agentId, named));
  const body = { files: uploaded, process_together: together, ...(message !== '' && { user_message: message }) };
  return (await withToken(() => api.post('/api/v1/agents/{agent_id}/run', { params: { path: { agent_id: agentId } }, body }))).id;
};

const sampleFile = async ({ name, type, address }: (typeof samples)[number]): Promise<File> =>
  new File([await (await fetch(address)).blob()], name, { type });

/** Sends the files that come with the demo to the agents that they are for, and goes to the documents they become. */
export const SendSamples = () => {
  const { agents } = useAgents();
  const working = useSignal(false);
  const forWhom = Map.groupBy(samples, ({ agent }) => agent);
  const known = [...forWhom].flatMap(([name, files]) => {
    const agent = agents.find((each) => each.name === name);
    return agent ? [{ agentId: agent.id, files }] : [];
  });
  if (known.length === 0) return null;
  const send = async () => {
    working.value = true;
    const start = async () => {
      for (const { agentId, files } of known)
        await startRun({ agentId, files: await Promise.all(files.map(sampleFile)), together: false, message: '' });
      navigate(to('/documents'));
    };
    await act(start, 'The files are sent. What the agents read from them appears here.');
    working.value = false;
  };
  return html`<button type="button" disabled=${working.value} onClick=${() => void send()}>${working.value ? 'Sending…' : `Send the ${samples.length} sample files`}</button>`;
};

const sizeText = (bytes: number) => (bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`);

const Chosen = ({ files, remove }: { readonly files: readonly File[]; readonly remove: (file: File) => void }) =>
  html`<ul class="picked">${files.map(
    (file) =>
      html`<li><span class="cut">${file.name}</span><span class="soft">${sizeText(file.size)}</span>
        <button type="button" class="text" aria-label=${`Leave out ${file.name}`} onClick=${() => remove(file)}>Remove</button></li>`,
  )}</ul>`;

/** The form that starts a run: files, a message, or both. */
const Form = ({ close }: { readonly close: () => void }) => {
  const { agents } = useAgents();
  const [agentId, together, message, isOver] = [useSignal(''), useSignal(false), useSignal(''), useSignal(false)];
  const [files, working, failure] = [useSignal<readonly File[]>([]), useSignal(false), useSignal('')];
  const chosenAgent = agentId.value || (agents.find((agent) => agent.workflow_type === 'document_extraction') ?? agents[0])?.id || '';
  const add = (more: Iterable<File>) => {
    files.value = [...files.value, ...more].slice(0, 100);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    [working.value, failure.value] = [true, ''];
    try {
      const order = { agentId: chosenAgent, files: files.value, together: together.value, message: message.value.trim() };
      navigate(to(`/runs/${await startRun(order)}`));
      close();
    } catch (error) {
      [working.value, failure.value] = [false, messageOf(error)];
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    add(event.dataTransfer?.files ?? []);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = true;
  };
  const isEmpty = files.value.length === 0 && message.value.trim() === '';
  return html`<form onSubmit=${submit}>
    <label class="field">Agent
      <select onChange=${following(agentId)}>${agents.map(({ id, name }) => html`<option value=${id} selected=${id === chosenAgent}>${name}</option>`)}</select></label>
    <label class=${isOver.value ? 'dropzone over' : 'dropzone'} onDrop=${drop} onDragOver=${over} onDragLeave=${setting(isOver, false)}>
      <input type="file" multiple onChange=${(event: Event) => add((event.currentTarget as HTMLInputElement).files ?? [])} />
      <span><strong>Choose files</strong> or drop them here</span></label>
    <${Chosen} files=${files.value} remove=${(file: File) => {
      files.value = files.value.filter((each) => each !== file);
    }} />
    ${
      files.value.length > 1 &&
      html`<label class="check"><input type="checkbox" checked=${together.value} onChange=${setting(together, !together.value)} /> They belong together: read them as one document</label>`
    }
    <label class="field"><span>Message <span class="soft">(may be left out)</span></span>
      <textarea rows="3" value=${message.value} onInput=${following(message)}></textarea></label>
    ${failure.value && html`<p class="failure" role="alert">${failure.value}</p>`}
    <div class="actions"><button type="submit" disabled=${working.value || isEmpty}>${working.value ? 'Sending…' : 'Start'}</button>
      <button type="button" class="plain" onClick=${close}>Cancel</button></div>
  </form>`;
};

/** The button that opens the form. */
export const SendFiles = ({ withSamples = false }: { readonly withSamples?: boolean }) => {
  const open = useSignal(false);
  const close = setting(open, false);
  if (!useMayWrite()) return null;
  return html`<span class="actions">${withSamples && html`<${SendSamples} />`}
    <button type="button" class=${withSamples && samples.length > 0 ? 'plain' : ''} onClick=${setting(open, true)}>Send files</button></span>
    ${open.value && html`<${Dialog} title="Send files to an agent" close=${close}><${Form} close=${close} /><//>`}`;
};
