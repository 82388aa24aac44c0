import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PorticoEvent, Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { durationText } from './basics.ts';
import { follow, throttled } from './live.ts';

export interface Step extends Pick<PorticoEvent, 'id' | 'type' | 'created_at'> {
  readonly data: Schemas['Step'];
}

const isStep = (event: PorticoEvent): event is PorticoEvent & Step => event.type.startsWith('unit.');

/** Events that come in one burst are shown by one drawing, however many they are. */
const DRAW_MS = 100;

/** The steps of a run as they happen, by their units. Everything else that happens to the run calls `change`. */
export const useSteps = (runId: string, change: () => void): ReadonlyMap<number, readonly Step[]> => {
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

export const Steps = ({ steps }: { readonly steps: readonly Step[] }) =>
  html`<ol class="steps">${steps.map((step) => html`<${StepLine} key=${step.id} step=${step} />`)}</ol>`;
