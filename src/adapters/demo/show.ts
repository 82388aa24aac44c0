import type { Schemas } from '../../client/portico.ts';
import { type JsonValue, leavesOf } from '../../domain/json.ts';
import type { LedgerRow } from './ledger.ts';
import type { Outcome, Sample } from './samples.ts';
import type { Screen } from './screen.ts';

export type ReadDocument = Schemas['DocumentDetail'];

/** What became of a sample. */
export interface Result {
  readonly sample: Sample;
  readonly outcome: Outcome;
  readonly document: ReadDocument | null;
}

const amount = (value: unknown) => (typeof value === 'number' ? value.toFixed(2) : '–');
const text = (value: unknown) => (typeof value === 'string' ? value : '–');

export const numberOf = (data: ReadDocument['document_data']) => data?.invoice_number ?? data?.order_number ?? null;

export const showDocument = (show: Screen, { name, document_data: data, evidence, einvoice }: ReadDocument): void => {
  const date = data?.invoice_date ?? data?.order_date;
  const lines = Array.isArray(data?.lines) ? data.lines.length : 0;
  const total = evidence['/total'];
  show.line();
  const proved = Object.values(evidence).filter(({ support }) => support !== null && support !== 'none').length;
  const shown = Object.values(evidence).filter(({ boxes }) => boxes.length > 0).length;
  const onPages = shown === 0 ? '' : `, ${shown} with their place on a page`;
  const values = leavesOf((data ?? null) as JsonValue).length;
  show.good(name, `${proved} of ${values} values stand in the text they were read from${onPages}`);
  show.aside(
    [
      text(data?.supplier),
      text(numberOf(data)),
      text(date),
      `${text(data?.currency)} ${amount(data?.total)}`,
      `${lines} lines`,
    ].join(' · '),
  );
  if (einvoice !== null)
    show.aside(
      `e-invoice: ${einvoice.syntax}, ${einvoice.profile}, ${einvoice.valid === false ? `breaks ${einvoice.violations.length} rules` : 'keeps every rule of it'}`,
    );
  if (total)
    show.aside(`total: “${total.quote}” in ${total.file_name}${total.page === null ? '' : `, page ${total.page}`}`);
};

const titles = { invoices: 'The ledger: demo.invoices', orders: 'The ledger: demo.orders' } as const;

export const showLedger = (show: Screen, rows: readonly LedgerRow[], results: readonly Result[]): void => {
  const fresh = new Set(results.map(({ document }) => document?.id));
  for (const table of ['invoices', 'orders'] as const) {
    const part = rows.filter((row) => row.table === table);
    const isFresh = part.map(({ document_id: id }) => id !== null && fresh.has(id));
    show.step(titles[table]);
    show.table(
      ['', 'date', 'supplier', 'number', '', 'total'],
      part.map(({ date, supplier, number, currency, total }, index) => [
        isFresh[index] ? 'new' : '',
        date,
        supplier,
        number,
        currency,
        total,
      ]),
      { right: [5], marked: isFresh },
    );
  }
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return;
  show.step('What the ledger refused');
  for (const { sample, document } of refused) {
    show.bad(
      sample.file,
      `${text(document?.document_data?.supplier)}, ${text(numberOf(document?.document_data ?? null))}`,
    );
    show.aside(document?.error ?? 'no reason was given');
  }
};

/** What went otherwise than it should, a sentence each. */
const deviations = (rows: readonly LedgerRow[], { sample, outcome, document }: Result): readonly string[] => {
  const read = numberOf(document?.document_data ?? null);
  const entered = rows.filter(({ document_id: id }) => id !== null && id === document?.id).length;
  return [
    ...(outcome === sample.outcome ? [] : [`${sample.file} should be ${sample.outcome} and is ${outcome}.`]),
    ...(document === null || read === sample.number
      ? []
      : [`${sample.file} is number ${sample.number}, and ${text(read)} was read.`]),
    ...(entered === (outcome === 'processed' ? 1 : 0) ? [] : [`${sample.file} stands ${entered} times in the ledger.`]),
  ];
};

/** The last lines; whether everything went as intended. */
export const showVerdict = (
  show: Screen,
  rows: readonly LedgerRow[],
  results: readonly Result[],
  reviewed: readonly Result[],
  others: readonly string[],
): boolean => {
  const count = (wanted: string, among = results) => among.filter(({ outcome }) => outcome === wanted).length;
  const wrong = [...[...results, ...reviewed].flatMap((result) => deviations(rows, result)), ...others];
  show.line();
  show.line(
    show.bold(
      `${results.length} files: ${count('processed')} in the ledger, ${count('refused')} refused by it, ${count('unreadable')} that could not be read.`,
    ),
  );
  if (reviewed.length > 0) {
    const entered = count('processed', reviewed);
    const held = count('held', reviewed);
    show.line(
      show.bold(
        `${reviewed.length} more went through a review: ${entered} corrected, approved and in the ledger, ${held} held back and rejected.`,
      ),
    );
  }
  show.line(wrong.length === 0 ? 'That is as it should be.' : 'That is not as it should be:');
  for (const sentence of wrong) show.aside(sentence);
  return wrong.length === 0;
};
