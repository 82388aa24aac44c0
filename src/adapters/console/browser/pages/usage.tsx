import { useQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { useAddress } from '../address.ts';
import { countText, Empty, Heading } from '../parts/basics.tsx';
import { Budgets } from '../parts/budgets.tsx';
import { filterOf, SelectField } from '../parts/lists.tsx';
import { moneyText } from '../parts/money.ts';
import { PlainTable } from '../parts/plain-table.tsx';
import { Plot, type Series } from '../parts/plot.tsx';
import { reading } from '../queries.ts';

type Row = Schemas['UsageRow'];
type Figure = keyof typeof figures;

const groups = {
  agent: { text: 'by agent', head: 'Agent', query: 'agent', nameOf: ({ agent }: Row) => agent?.name ?? '' },
  model: { text: 'by model', head: 'Model', query: 'model', nameOf: ({ model }: Row) => model ?? '' },
  agent_version: {
    text: 'by version',
    head: 'Version',
    query: 'agent,agent_version',
    nameOf: ({ agent, agent_version: version }: Row) => `${agent?.name ?? ''} ${version ?? ''}`,
  },
  user: { text: 'by user', head: 'User', query: 'user', nameOf: ({ user }: Row) => user?.name || 'a former user' },
} as const;

const figures = {
  cost: { text: 'Cost', of: ({ cost }: Row) => Number(cost ?? 0) },
  runs: { text: 'Runs', of: ({ runs }: Row) => runs },
  documents: { text: 'Documents', of: ({ documents }: Row) => documents },
  pages: { text: 'Pages', of: ({ pages }: Row) => pages },
  tokens: { text: 'Tokens', of: (row: Row) => row.input_tokens + row.output_tokens },
} as const;

/** The one that the address names; else what was spent, where there are prices. */
const figureIn = (chosen: string | undefined, currency: string | null): Figure => {
  if (Object.hasOwn(figures, chosen ?? '')) return chosen as Figure;
  return currency ? 'cost' : 'runs';
};

const spans = [
  ['7', 'the last 7 days'],
  ['', 'the last 30 days'],
  ['90', 'the last 90 days'],
  ['365', 'the last year'],
] as const;

const USUAL_DAYS = 30;
const DAY_SECONDS = 86_400;
/** The plot has a line for each of so many groups, and one for all the others: more lines could not be told apart. */
const MOST_LINES = 5;

/** The first is meant where the address says nothing. */
const optionsOf = (entries: readonly (readonly [string, { readonly text: string }])[]) =>
  entries.map(([name, { text }], index) => [index === 0 ? '' : name, text] as const);

/** One line for each of the largest groups, and one for all others. */
const linesOf = (
  rows: readonly Row[],
  days: readonly string[],
  nameOf: (row: Row) => string,
  figureOf: (row: Row) => number,
): readonly Series[] => {
  const byName = Map.groupBy(rows, nameOf);
  const sum = (of: readonly Row[]) => of.reduce((total, row) => total + figureOf(row), 0);
  const ordered = [...byName].toSorted(([, left], [, right]) => sum(right) - sum(left));
  const byDay = (of: readonly Row[]) => days.map((day) => sum(of.filter((row) => row.day === day)));
  const others = ordered.slice(MOST_LINES).flatMap(([, of]) => of);
  return [
    ...ordered.slice(0, MOST_LINES).map(([name, of]) => ({ name, values: byDay(of) })),
    ...(others.length > 0 ? [{ name: 'all others', values: byDay(others) }] : []),
  ];
};

const daysUpTo = (last: Date, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(last.getTime() - (count - 1 - index) * DAY_SECONDS * 1000).toISOString().slice(0, 10),
  );

/** What was done in the workspace, and what it cost. */
export const Usage = () => {
  const chosen = filterOf<{ days?: string; by?: string; figure?: string }>(useAddress().query, [
    'days',
    'by',
    'figure',
  ]);
  const { text, head, query, nameOf } = groups[(chosen.by ?? 'agent') as keyof typeof groups] ?? groups.agent;
  const count = spans.some(([days]) => days === chosen.days) ? Number(chosen.days) : USUAL_DAYS;
  const today = new Date().toISOString().slice(0, 10);
  const days = useMemo(() => daysUpTo(new Date(today), count), [today, count]);
  const from = days[0] ?? today;
  const loaded = useQuery(
    reading(['usage', from, today, query], async (get) => {
      const ask = (group_by: string) => get('/api/v1/usage', { params: { query: { from, to: today, group_by } } });
      const [byDay, whole] = await Promise.all([ask(`day,${query}`), ask(query)]);
      return { byDay, whole };
    }),
  );
  const { byDay, whole } = loaded.data ?? {};
  const currency = whole?.currency ?? null;
  const figure = figureIn(chosen.figure, currency);
  const lines = useMemo(
    () => linesOf(byDay?.rows ?? [], days, nameOf, figures[figure].of),
    [byDay, days, nameOf, figure],
  );
  const seconds = useMemo(() => days.map((day) => Date.parse(day) / 1000), [days]);
  const shown = useMemo(
    () => (value: number) => (figure === 'cost' ? moneyText(value.toPrecision(3), currency) : countText(value)),
    [figure, currency],
  );
  const cells = (name: string, row: Schemas['UsageFigures']) => [
    name,
    countText(row.runs),
    countText(row.documents),
    countText(row.pages),
    countText(row.pages_ocr),
    countText(row.input_tokens),
    countText(row.output_tokens),
    moneyText(row.cost, currency),
  ];
  const columns = [head, 'Runs', 'Documents', 'Pages', 'by OCR', 'Tokens read', 'Tokens written', 'Cost'];
  return (
    <>
      <Heading title="Usage" of={loaded} />
      <Budgets />
      <div class="filters">
        <SelectField name="days" label="Days" options={spans} />
        <SelectField name="by" label="Lines" options={optionsOf(Object.entries(groups))} />
        <SelectField
          name="figure"
          label="Figure"
          options={optionsOf(Object.entries(figures).filter(([name]) => name !== 'cost' || currency !== null))}
        />
      </div>
      {whole && whole.rows.length === 0 && (
        <Empty title="Nothing was done in these days">
          <p>
            Runs, documents, pages and tokens appear here, and what they cost once the workspace file has{' '}
            <code>prices</code>.
          </p>
        </Empty>
      )}
      {whole && whole.rows.length > 0 && (
        <>
          <Plot
            label={`${figures[figure].text} ${text}, day by day`}
            days={seconds}
            series={lines}
            text={shown}
            isCount={figure !== 'cost'}
          />
          <div class="figures">
            <PlainTable
              head={columns}
              rows={[...whole.rows.map((row) => cells(nameOf(row), row)), cells('All', whole.total)]}
            />
          </div>
          {currency === null && (
            <p class="soft">
              The workspace file has no <code>prices</code>, so that nothing has a cost.
            </p>
          )}
        </>
      )}
    </>
  );
};
