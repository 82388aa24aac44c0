import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { api, messageOf, withToken } from '../api.ts';
import { valueText } from '../form/form.ts';
import { countText, durationText, setting } from './basics.ts';
import { SearchField } from './lists.ts';
import { CopyCsv, type Grid, ValuesGrid } from './values-grid.ts';
import { MOST_DRAWN } from './window.ts';

const LONGEST = 1_000_000;

interface Result extends Grid {
  readonly truncated: boolean;
  readonly tookMs: number;
}

const Answer = ({ result }: { readonly result: Result }) => {
  const sought = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const { columns, records: all, truncated, tookMs } = result;
  const isLong = all.length > MOST_DRAWN;
  const words = sought.value.toLowerCase();
  const has = (record: Grid['records'][number]) => columns.some((column) => valueText(record[column]).toLowerCase().includes(words));
  const records = useMemo(() => (words === '' ? all : all.filter(has)), [words]);
  const shown = { columns, records };
  return html`<div class="heading"><p class="soft" role="status">${countText(records.length)} ${records.length === 1 ? 'row' : 'rows'} in ${durationText(tookMs)}${truncated && '; the server left out rows beyond its limit'}</p>
      ${isLong && html`<${SearchField} field=${field} label="Find in the rows" value=${sought.value} change=${(text: string) => setting(sought, text)()} />`}
      ${records.length > 0 && html`<${CopyCsv} grid=${shown} />`}</div>
    ${columns.length > 0 && html`<${ValuesGrid} grid=${shown} label="Result" />`}`;
};

const useQuery = (databaseId: string) => {
  const [result, failure] = [useSignal<Result | null>(null), useSignal<string | null>(null)];
  const running = useSignal<AbortController | null>(null);
  useEffect(() => () => running.value?.abort(), []);
  const run = async (text: string) => {
    running.value?.abort();
    const mine = new AbortController();
    [running.value, failure.value] = [mine, null];
    const began = performance.now();
    try {
      const body = { database_id: databaseId, query: text };
      // A query may take as long as the server allows.
      const found = await withToken(() => api.post('/api/v1/query', { body, signal: mine.signal, timeoutSeconds: 600, retries: 0 }));
      const columns = found.columns.map(({ name }) => name);
      result.value = { columns, records: found.records, truncated: found.truncated, tookMs: performance.now() - began };
    } catch (error) {
      if (mine.signal.aborted) return;
      [result.value, failure.value] = [null, messageOf(error)];
    } finally {
      if (running.value === mine) running.value = null;
    }
  };
  const stop = () => {
    running.value?.abort();
    running.value = null;
  };
  return { result, failure, running, run, stop };
};

const keptAt = (databaseId: string) => `portico.query.${databaseId}`;

type EditorProps = { readonly database: Schemas['Database']; readonly tables: readonly Schemas['Table'][] };

/** One read-only statement at a time. What is written outlives a reload. */
export const QueryEditor = ({ database, tables }: EditorProps) => {
  const { result, failure, running, run, stop } = useQuery(database.id);
  const [first] = tables;
  const text = useSignal(sessionStorage.getItem(keptAt(database.id)) ?? '');
  const write = (event: Event) => {
    text.value = (event.currentTarget as HTMLTextAreaElement).value;
    sessionStorage.setItem(keptAt(database.id), text.value);
  };
  const start = () => {
    if (text.value.trim() !== '') void run(text.value);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    start();
  };
  return html`<section class="panel"><h2>Query</h2>
    <form class="query" onSubmit=${submit}>
      <textarea class="mono" rows="5" spellcheck="false" autocomplete="off" aria-label="SELECT statement" maxlength=${LONGEST} value=${text.value} onInput=${write} onKeyDown=${keys}
        aria-invalid=${failure.value !== null} placeholder=${first ? `select * from ${first.schema}.${first.name} limit 10` : 'select 1'}></textarea>
      ${failure.value && html`<p class="failure" role="alert">${failure.value}</p>`}
      <div class="actions"><button type="submit" disabled=${running.value !== null || text.value.trim() === ''}>${running.value ? 'Running…' : 'Run'}</button>
        ${running.value && html`<button type="button" class="plain" onClick=${stop}>Stop</button>`}
        <span class="soft">Reads only. Ctrl or ⌘ with Enter runs it.</span></div>
    </form>
    ${result.value && html`<${Answer} key=${result.value.tookMs} result=${result.value} />`}
  </section>`;
};
