import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api, isNotFound } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { useMayWrite } from '../parts/agents.ts';
import { copy, countText, durationText, Empty, Heading, Loading, Status, Time } from '../parts/basics.ts';
import { act } from '../parts/notice.ts';
import { type Step, Steps, useSteps } from '../parts/steps.ts';
import { to } from '../router.ts';
import { base } from '../settings.ts';

type Detail = Schemas['RunDetail'];

const isOver = ({ completed_at: at }: Detail) => at !== null;

const tookOf = ({ started_at: from, completed_at: until }: Detail): string =>
  from === null ? '–' : durationText((until === null ? Date.now() : Date.parse(until)) - Date.parse(from));

const Facts = ({ run }: { readonly run: Detail }) => html`<dl class="facts">
  <div><dt>Status</dt><dd><${Status} of=${run.status} /></dd></div>
  <div><dt>Began</dt><dd><${Time} at=${run.created_at} /></dd></div>
  <div><dt>Took</dt><dd>${tookOf(run)}</dd></div>
  <div><dt>Model</dt><dd>${run.model}</dd></div>
  <div><dt>Version</dt><dd>${run.agent_version}</dd></div>
  <div><dt>Tokens in, out</dt><dd>${countText(run.usage.input_tokens)}, ${countText(run.usage.output_tokens)}</dd></div>
  ${run.attempt > 1 && html`<div><dt>Attempts</dt><dd>${run.attempt}</dd></div>`}
  <div class="long"><dt>Trace</dt><dd class="mono">${run.trace_id}</dd></div>
</dl>`;

interface UnitProps {
  readonly runId: string;
  readonly item: Schemas['RunItem'];
  readonly documents: readonly Schemas['RunDocument'][];
  readonly steps: readonly Step[];
}

const nameOf = ({ file_names: names }: Schemas['RunItem']) => (names.length === 0 ? 'Message' : names.join(', '));

/** One line; its steps are behind it, and stand open where something went wrong. */
const Unit = ({ runId, item, documents, steps }: UnitProps) => {
  const last = steps.at(-1);
  return html`<li class="unit">
    <details open=${item.status === 'failed'}>
      <summary><span class="name cut">${nameOf(item)}</span><${Status} of=${item.status} /></summary>
      ${steps.length > 0 && html`<${Steps} steps=${steps} />`}
      ${steps.length === 0 && html`<p class="soft">${item.status === 'queued' ? 'It waits for a worker.' : 'Its steps are no longer kept.'}</p>`}
    </details>
    ${item.error && html`<p class="why">${item.error}</p>`}
    ${item.status === 'running' && last?.data.name && html`<p class="soft">${last.data.name}</p>`}
    ${documents.map(({ id, name, status }) => html`<p class="result"><a href=${to(`/documents/${id}`, { run_id: runId })}>${name}</a> <${Status} of=${status} /></p>`)}
  </li>`;
};

const commandFor = (id: string) => `curl -sS '${base}/api/v1/runs/${id}' -H "X-API-Key: $PORTICO_API_KEY"`;

const Actions = ({ run, replace }: { readonly run: Detail; readonly replace: () => void }) => {
  const [working, mayWrite] = [useSignal(false), useMayWrite()];
  const cancel = async () => {
    working.value = true;
    await act(() => api.post('/api/v1/runs/{id}/cancel', { params: { path: { id: run.id } } }), 'The run is cancelled.');
    working.value = false;
    replace();
  };
  const copyCommand = () => act(() => copy(commandFor(run.id)), 'The command is in the clipboard.');
  return html`<a class="button plain" href=${to('/events', { run_id: run.id })}>Events</a>
    <button type="button" class="plain" onClick=${() => void copyCommand()}>Copy as curl</button>
    ${mayWrite && !isOver(run) && html`<button type="button" class="bad" disabled=${working.value} onClick=${() => void cancel()}>Cancel the run</button>`}`;
};

const Progress = ({ items }: { readonly items: Detail['items'] }) => {
  const done = items.filter(({ status }) => status !== 'queued' && status !== 'running').length;
  return html`<p class="progress"><progress max=${items.length} value=${done} aria-label="Units that are done"></progress><span class="soft">${done} of ${items.length}</span></p>`;
};

export const Run = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(`run ${id}`, (signal) => api.get('/api/v1/runs/{id}', { params: { path: { id } }, signal }));
  const { data: run, error, reload } = loaded;
  const steps = useSteps(id, reload);
  const back = html`<a class="back" href=${to('/runs')}>Runs</a>`;
  if (isNotFound(error))
    return html`<${Heading} title="Run" back=${back} /><${Empty} title="There is no such run"><p>It may be gone, or you may not see its agent.</p><//>`;
  if (run === null) return html`<${Heading} title="Run" back=${back} /><${Loading} of=${loaded} />`;
  const documentsOf = (item: Schemas['RunItem']) => run.documents.filter((document) => item.document_ids.includes(document.id));
  return html`<${Heading} title=${run.agent_name} back=${back}><${Actions} run=${run} replace=${reload} /><//>
    <${Loading} of=${loaded} />
    <${Facts} run=${run} />
    ${run.error && html`<p class="failure">${run.error}</p>`}
    ${run.user_message && html`<section class="panel"><h2>Message</h2><p class="said">${run.user_message}</p></section>`}
    <section class="panel"><h2>Units of work</h2>
      ${!isOver(run) && run.items.length > 1 && html`<${Progress} items=${run.items} />`}
      <ul class="units">${run.items.map((item) => html`<${Unit} key=${item.index} runId=${run.id} item=${item} documents=${documentsOf(item)} steps=${steps.get(item.index) ?? []} />`)}</ul>
    </section>`;
};
