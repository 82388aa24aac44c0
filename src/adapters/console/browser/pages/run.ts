import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PorticoEvent, Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { useMayWrite } from '../parts/agents.ts';
import { copy, countText, durationText, Heading, Loading, Status, Time } from '../parts/basics.ts';
import { follow, throttled } from '../parts/live.ts';
import { act } from '../parts/notice.ts';
import { to } from '../router.ts';
import { base } from '../settings.ts';

interface Step extends Pick<PorticoEvent, 'id' | 'type' | 'created_at'> {
  readonly data: Schemas['Step'];
}

const isStep = (event: PorticoEvent): event is PorticoEvent & Step => event.type.startsWith('unit.');

/** Events that come in one burst are shown by one drawing, however many they are. */
const DRAW_MS = 100;

/** The steps of a run as they happen, by their units. Everything else that happens to the run calls `change`. */
const useSteps = (runId: string, change: () => void): ReadonlyMap<number, readonly Step[]> => {
  const steps = useSignal<ReadonlyMap<number, readonly Step[]>>(new Map());
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    const ended = new AbortController();
    const units = new Map<number, Step[]>();
    const { ask, end } = throttled(() => latest.current());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      steps.value = new Map(units);
    };
    const take = (event: PorticoEvent) => {
      if (!isStep(event)) return ask();
      units.set(event.data.unit, [...(units.get(event.data.unit) ?? []), event]);
      timer ??= setTimeout(draw, DRAW_MS);
    };
    void follow((options) => api.runEvents(runId, options), take, ended.signal);
    return () => {
      ended.abort();
      end();
      clearTimeout(timer);
    };
  }, [runId]);
  return steps.value;
};

const words: Readonly<Record<string, string>> = {
  'unit.started': 'Started',
  'unit.file_read': 'Read the file',
  'unit.model_called': 'Asked the model',
  'unit.tool_called': 'Called the tool',
  'unit.retried': 'Tried again after',
  'unit.completed': 'Completed',
  'unit.failed': 'Failed',
};

const usageText = ({ usage }: Schemas['Step']) => (usage ? `${usage.input_tokens} + ${usage.output_tokens} tokens` : '');

const StepLine = ({ step }: { readonly step: Step }) => {
  const { type, data } = step;
  const failed = data.error !== null || type === 'unit.failed';
  return html`<li class=${failed ? 'failed' : ''}>
    <span class="what">${words[type] ?? type} <span class="soft">${data.name}</span>${data.error && html` <strong>${data.error.replaceAll('_', ' ')}</strong>`}</span>
    <span class="soft number">${usageText(data)}</span>
    <span class="soft number">${data.duration_ms === null ? '' : durationText(data.duration_ms)}</span>
  </li>`;
};

const Steps = ({ steps }: { readonly steps: readonly Step[] }) =>
  html`<ol class="steps">${steps.map((step) => html`<${StepLine} key=${step.id} step=${step} />`)}</ol>`;

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
  const { data: run, reload } = loaded;
  const steps = useSteps(id, reload);
  const back = html`<a class="back" href=${to('/runs')}>Runs</a>`;
  if (run === null) return html`<${Heading} title="Run" back=${back} /><${Loading} of=${loaded} thing="run" />`;
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
