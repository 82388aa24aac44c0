import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PorticoEvent, Schemas } from '../../../../../client/portico.ts';
import { shownPages } from '../../../../../domain/routing/page-names.ts';
import { to } from '../../address.ts';
import { api } from '../../api.ts';
import { useMayWrite } from '../../parts/agents.ts';
import { copy, countText, durationText, Heading, Progress, Status, Time } from '../../parts/basics.tsx';
import { confirm } from '../../parts/dialogs.tsx';
import { follow, useThrottled } from '../../parts/live.ts';
import { Action } from '../../parts/notice.tsx';
import { base } from '../../settings.ts';
import { Parts } from './parts/parts.tsx';
import { type Detail, runOf } from './run-requests.ts';

interface Step extends Pick<PorticoEvent, 'id' | 'type' | 'created_at'> {
  readonly data: Schemas['Step'];
}

const isStep = (event: PorticoEvent): event is PorticoEvent & Step => event.type.startsWith('unit.');

/** Events that come in one burst are shown by one drawing, however many they are. */
const DRAW_MS = 100;

/** The steps of a run as they happen, by their units. Everything else that happens to the run calls `change`. */
const useSteps = (runId: string, change: () => void): ReadonlyMap<number, readonly Step[]> => {
  const units = useRef(new Map<number, readonly Step[]>());
  const shown = useSignal<ReadonlyMap<number, readonly Step[]>>(new Map());
  const ask = useThrottled(change);
  const draw = useThrottled(() => {
    shown.value = new Map(units.current);
  }, DRAW_MS);
  useEffect(() => {
    const ended = new AbortController();
    const byUnit = new Map<number, readonly Step[]>();
    units.current = byUnit;
    const take = (event: PorticoEvent) => {
      if (!isStep(event)) return ask();
      byUnit.set(event.data.unit, [...(byUnit.get(event.data.unit) ?? []), event]);
      draw();
    };
    void follow((options) => api.runEvents(runId, options), take, ended.signal);
    return () => ended.abort();
  }, [runId]);
  return shown.value;
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

const usageText = ({ usage }: Schemas['Step']) =>
  usage ? `${usage.input_tokens} + ${usage.output_tokens} tokens` : '';

const StepLine = ({ step }: { readonly step: Step }) => {
  const { type, data } = step;
  const failed = data.error !== null || type === 'unit.failed';
  return (
    <li class={failed ? 'failed' : ''}>
      <span class="what">
        {words[type] ?? type} <span class="soft">{data.name}</span>
        {data.error && (
          <>
            {' '}
            <strong>{data.error.replaceAll('_', ' ')}</strong>
          </>
        )}
      </span>
      <span class="soft number">{usageText(data)}</span>
      <span class="soft number">{data.duration_ms === null ? '' : durationText(data.duration_ms)}</span>
    </li>
  );
};

type Item = Schemas['RunItem'];

const isOver = ({ completed_at: at }: Detail) => at !== null;

const tookOf = ({ started_at: from, completed_at: until }: Detail): string =>
  from === null ? '–' : durationText((until === null ? Date.now() : Date.parse(until)) - Date.parse(from));

const Facts = ({ run }: { readonly run: Detail }) => (
  <dl class="facts">
    <div>
      <dt>Status</dt>
      <dd>
        <Status of={run.status} />
      </dd>
    </div>
    <div>
      <dt>Began</dt>
      <dd>
        <Time at={run.created_at} />
      </dd>
    </div>
    <div>
      <dt>Took</dt>
      <dd>{tookOf(run)}</dd>
    </div>
    <div>
      <dt>Model</dt>
      <dd>{run.model}</dd>
    </div>
    <div>
      <dt>Version</dt>
      <dd>{run.agent_version}</dd>
    </div>
    <div>
      <dt>Tokens in, out</dt>
      <dd>
        {countText(run.usage.input_tokens)}, {countText(run.usage.output_tokens)}
      </dd>
    </div>
    {run.attempt > 1 && (
      <div>
        <dt>Attempts</dt>
        <dd>{run.attempt}</dd>
      </div>
    )}
    {run.source && (
      <div class="long">
        <dt>Came from</dt>
        <dd title={run.source.key}>
          <a href={to('/sources')}>{run.source.name}</a>
          {[run.source.from, run.source.subject].map((each) => each !== null && ` · ${each}`)}
        </dd>
      </div>
    )}
    <div class="long">
      <dt>Trace</dt>
      <dd class="mono">{run.trace_id}</dd>
    </div>
  </dl>
);

const nameOf = ({ file_names: names, part }: Item) => {
  if (part) return shownPages({ fileName: part.file_name, pages: part.pages });
  return names.length === 0 ? 'Message' : names.join(', ');
};

interface UnitProps {
  readonly runId: string;
  readonly item: Item;
  readonly documents: readonly Schemas['RunDocument'][];
  readonly steps: readonly Step[];
}

/** One line; its steps are behind it, and stand open where something went wrong. */
const Unit = ({ runId, item, documents, steps }: UnitProps) => {
  const last = steps.at(-1);
  return (
    <li class="unit">
      <details open={item.status === 'failed'}>
        <summary>
          <span class="name cut">{nameOf(item)}</span>
          <Status of={item.status} />
        </summary>
        {steps.length > 0 && (
          <ol class="steps">
            {steps.map((step) => (
              <StepLine key={step.id} step={step} />
            ))}
          </ol>
        )}
        {steps.length === 0 && (
          <p class="soft">{item.status === 'queued' ? 'It waits for a worker.' : 'Its steps are no longer kept.'}</p>
        )}
      </details>
      {item.error && <p class="why">{item.error}</p>}
      {item.status === 'running' && last?.data.name && <p class="soft">{last.data.name}</p>}
      {documents.map(({ id, name, status }) => (
        <p class="result">
          <a href={to(`/documents/${id}`, { run_id: runId })}>{name}</a> <Status of={status} />
        </p>
      ))}
    </li>
  );
};

/** A file may have thousands of parts, each of which is a unit. */
const MOST_SHOWN = 100;

/** What failed comes before what is under way, and that before the rest, where not all are shown. */
const rankOf = ({ status }: Item) => {
  if (status === 'failed') return 0;
  return status === 'running' ? 1 : 2;
};

const firstOf = (items: readonly Item[]): readonly Item[] => {
  if (items.length <= MOST_SHOWN) return items;
  const first = items.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_SHOWN);
  return first.sort((a, b) => a.index - b.index);
};

const Units = ({ run, reload }: { readonly run: Detail; readonly reload: () => void }) => {
  const steps = useSteps(run.id, reload);
  const isAll = useSignal(false);
  const documents = useMemo(() => new Map(run.documents.map((document) => [document.id, document])), [run]);
  const shown = isAll.value ? run.items : firstOf(run.items);
  const left = run.items.length - shown.length;
  return (
    <>
      <ul class="units">
        {shown.map((item) => (
          <Unit
            key={item.index}
            runId={run.id}
            item={item}
            documents={item.document_ids.flatMap((id) => documents.get(id) ?? [])}
            steps={steps.get(item.index) ?? []}
          />
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          class="text"
          onClick={() => {
            isAll.value = true;
          }}
        >
          Show all {countText(run.items.length)} units
        </button>
      )}
    </>
  );
};

const isDone = ({ status }: Item) => status !== 'queued' && status !== 'running';

const commandFor = (id: string) => `curl -sS '${base}/api/v1/runs/${id}' -H "X-API-Key: $PORTICO_API_KEY"`;

const Actions = ({ run, reload }: { readonly run: Detail; readonly reload: () => void }) => {
  const mayCancel = useMayWrite() && !isOver(run);
  const cancel = () =>
    confirm({
      title: 'Cancel the run?',
      text: 'What it has not read by then stays unread, and nothing makes it go on. What it has read stays.',
      yes: 'Cancel the run',
      no: 'Let it go on',
      does: () => api.post('/api/v1/runs/{id}/cancel', { params: { path: { id: run.id } } }),
      done: 'The run is cancelled.',
      after: reload,
    });
  return (
    <>
      <a class="button plain" href={to('/events', { run_id: run.id })}>
        Events
      </a>
      <Action class="plain" does={() => copy(commandFor(run.id))} done="The command is in the clipboard.">
        Copy as curl
      </Action>
      {mayCancel && (
        <button type="button" class="bad" onClick={cancel}>
          Cancel the run
        </button>
      )}
    </>
  );
};

export const Run = ({ id }: { readonly id: string }) => {
  const loaded = useQuery(runOf(id));
  const { data, refetch } = loaded;
  const run = data?.run;
  const back = [to('/runs'), 'Runs'] as const;
  if (data === undefined || run === undefined) return <Heading title="Run" back={back} of={loaded} thing="run" />;
  return (
    <>
      <Heading title={run.source?.subject ?? run.agent_name} back={back} of={loaded}>
        <Actions run={run} reload={refetch} />
      </Heading>
      <Facts run={run} />
      {run.error && <p class="failure">{run.error}</p>}
      {run.waiting_for && (
        <p class="verdict warn" role="status">
          It waits for a person:{' '}
          {run.waiting_for.approval_ids.map((approval, at) => (
            <>
              {at > 0 && ', '}
              <a href={to(`/approvals/${approval}`)}>decide on the call</a>
            </>
          ))}
        </p>
      )}
      {run.workflow_type === 'document_routing' && <Parts key={id} seen={data} />}
      {run.user_message && (
        <section class="panel">
          <h2>Message</h2>
          <p class="said">{run.user_message}</p>
        </section>
      )}
      <section class="panel">
        <h2>Units of work</h2>
        {!isOver(run) && run.items.length > 1 && (
          <Progress label="Units that are done" done={run.items.filter(isDone).length} total={run.items.length} />
        )}
        <Units key={id} run={run} reload={refetch} />
      </section>
    </>
  );
};
