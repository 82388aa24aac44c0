import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api, messageOf, withToken } from '../api.ts';
import { valueText } from '../form/form.ts';
import { countText, durationText, setting } from './basics.tsx';
import { CopyCsv, MOST_DRAWN, type Values, ValuesGrid } from './grid.tsx';
import { SearchField } from './lists.tsx';
import { useWriting } from './writing.ts';

const LONGEST = 1_000_000;

interface Result extends Values {
  readonly truncated: boolean;
  readonly tookMs: number;
}

const Answer = ({ result }: { readonly result: Result }) => {
  const sought = useSignal('');
  const { columns, records: all, truncated, tookMs } = result;
  const isLong = all.length > MOST_DRAWN;
  const words = sought.value.toLowerCase();
  const has = (record: Values['records'][number]) =>
    columns.some((column) => valueText(record[column]).toLowerCase().includes(words));
  const records = useMemo(() => (words === '' ? all : all.filter(has)), [words]);
  const shown = { columns, records };
  return (
    <>
      <div class="heading">
        <p class="soft" role="status">
          {countText(records.length)} {records.length === 1 ? 'row' : 'rows'} in {durationText(tookMs)}
          {truncated && '; the server left out rows beyond its limit'}
        </p>
        {isLong && (
          <SearchField
            label="Find in the rows"
            value={sought.value}
            change={(text: string) => setting(sought, text)()}
          />
        )}
        {records.length > 0 && <CopyCsv grid={shown} />}
      </div>
      {columns.length > 0 && <ValuesGrid grid={shown} label="Result" />}
    </>
  );
};

const useQuery = (databaseId: string) => {
  const result = useSignal<Result | null>(null);
  const failure = useSignal<string | null>(null);
  const running = useSignal<AbortController | null>(null);
  const stop = () => {
    running.value?.abort();
    running.value = null;
  };
  useEffect(() => stop, []);
  const run = async (text: string) => {
    stop();
    const mine = new AbortController();
    running.value = mine;
    failure.value = null;
    const began = performance.now();
    try {
      const body = { database_id: databaseId, query: text };
      // A query may take as long as the server allows.
      const answer = await withToken(() =>
        api.post('/api/v1/query', { body, signal: mine.signal, timeoutSeconds: 600, retries: 0 }),
      );
      const columns = answer.columns.map(({ name }) => name);
      result.value = {
        columns,
        records: answer.records,
        truncated: answer.truncated,
        tookMs: performance.now() - began,
      };
    } catch (error) {
      if (mine.signal.aborted) return;
      result.value = null;
      failure.value = messageOf(error);
    } finally {
      if (running.value === mine) running.value = null;
    }
  };
  return { result, failure, running, run, stop };
};

/** One read-only statement at a time; `table`: one to begin with. */
export const QueryEditor = ({
  databaseId,
  table,
}: {
  readonly databaseId: string;
  readonly table: string | undefined;
}) => {
  const { result, failure, running, run, stop } = useQuery(databaseId);
  const { isEmpty, submit, field } = useWriting({
    keptAt: `portico.query.${databaseId}`,
    isSending: ({ ctrlKey, metaKey }) => ctrlKey || metaKey,
    send: (text) => void (running.value === null && run(text)),
  });
  return (
    <section class="panel">
      <h2>Query</h2>
      <form class="query" onSubmit={submit}>
        <textarea
          class="mono"
          rows={5}
          spellcheck={false}
          autocomplete="off"
          aria-label="SELECT statement"
          maxlength={LONGEST}
          {...field}
          aria-invalid={failure.value !== null}
          placeholder={table ? `select * from ${table} limit 10` : 'select 1'}
        ></textarea>
        {failure.value && (
          <p class="failure" role="alert">
            {failure.value}
          </p>
        )}
        <div class="actions">
          <button type="submit" aria-disabled={running.value !== null || isEmpty || undefined}>
            {running.value ? 'Running…' : 'Run'}
          </button>
          {running.value && (
            <button type="button" class="plain" onClick={stop}>
              Stop
            </button>
          )}
          <span class="soft">Reads only. Ctrl or ⌘ with Enter runs it.</span>
        </div>
      </form>
      {result.value && <Answer key={result.value.tookMs} result={result.value} />}
    </section>
  );
};
