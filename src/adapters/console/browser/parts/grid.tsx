import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren, CSSProperties, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { csvLine } from '../../../../domain/csv.ts';
import { isNumber } from '../../../../domain/json-number.ts';
import { valueText } from '../form/form.ts';
import { copy, countText } from './basics.tsx';
import { Action } from './notice.tsx';

/** Of a table with more rows than this only those near the ones that are seen are drawn. */
export const MOST_DRAWN = 2000;
const BEYOND = 15;
const ROW_PX = 33;
/** What is drawn before it is known how high the table is. */
const FIRST = { width: 0, height: 1000 };

interface BodyProps {
  readonly count: number;
  readonly scroller: RefObject<HTMLElement | null>;
  /** A row that is drawn wherever the table is scrolled to: the focus stays in it. -1: none. */
  readonly kept?: number;
  /** Has a key and, in a long table, one height with all others. */
  readonly row: (index: number) => ComponentChildren;
}

/** The rows of a long table that are drawn now, in order. */
const useDrawn = ({ count, scroller, kept = -1 }: BodyProps) => {
  const height = useSignal(ROW_PX);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const enabled = count > MOST_DRAWN;
  const options = {
    count,
    enabled,
    overscan: BEYOND,
    initialRect: FIRST,
    estimateSize: () => height.value,
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementOffset,
    observeElementRect,
    onChange: () => draw(undefined),
  };
  made.current ??= new Virtualizer(options);
  const rows = made.current;
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  useLayoutEffect(() => {
    // A large font makes rows higher.
    const rowHeight =
      enabled && scroller.current?.querySelector('tbody tr:not([aria-hidden])')?.getBoundingClientRect().height;
    if (!rowHeight || rowHeight === height.value) return;
    height.value = rowHeight;
    rows.measure();
  }, [enabled]);
  if (!enabled) return { indexes: [...Array(count).keys()], height: 0 };
  const seen = rows.getVirtualItems().map(({ index }) => index);
  const indexes = [...new Set([...seen, ...(kept === -1 ? [] : [kept])])].toSorted((one, other) => one - other);
  return { indexes, height: height.value };
};

/** The body of a table, with room for the rows that are not drawn. */
const Body = (props: BodyProps) => {
  const { indexes, height } = useDrawn(props);
  const room = (rows: number, before: number) =>
    rows > 0 && <tr key={`before ${before}`} aria-hidden="true" style={{ height: `${rows * height}px` }}></tr>;
  return (
    <tbody>
      {indexes.flatMap((index, at) => [room(index - (indexes[at - 1] ?? -1) - 1, index), props.row(index)])}
      {room(props.count - 1 - (indexes.at(-1) ?? -1), props.count)}
    </tbody>
  );
};

interface GridProps extends Omit<BodyProps, 'scroller'> {
  readonly label: string;
  readonly look: string;
  /** One without a label has buttons. */
  readonly columns: readonly {
    readonly label: string;
    readonly isNumber: boolean;
    readonly style?: CSSProperties | undefined;
  }[];
}

/** A table of values, which scrolls by itself. */
export const Grid = ({ label, look, columns, ...rows }: GridProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const heading = ({ label: name, isNumber: isRight, style }: GridProps['columns'][number]) =>
    name === '' ? (
      <td></td>
    ) : (
      <th scope="col" class={isRight ? 'number' : ''} style={style}>
        {name}
      </th>
    );
  return (
    <div class="scroll" ref={scroller} tabindex={0} role="region" aria-label={label}>
      <table class={`grid ${look}`} aria-rowcount={rows.count + 1}>
        <thead>
          <tr aria-rowindex={1}>{columns.map(heading)}</tr>
        </thead>
        <Body {...rows} scroller={scroller} />
      </table>
    </div>
  );
};

export type Values = {
  readonly columns: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
};

export const gridOf = (records: Values['records']): Values => ({
  columns: [...new Set(records.flatMap((record) => Object.keys(record)))],
  records,
});

/** Characters of a column. */
const WIDEST = 40;

const cellOf = (value: unknown) => (isNumber(value) ? value : valueText(value));

const csvOf = ({ columns, records }: Values): string =>
  [columns, ...records.map((record) => columns.map((column) => record[column]))]
    .map((cells) => csvLine(cells.map(cellOf)))
    .join('');

export const CopyCsv = ({ grid }: { readonly grid: Values }) => {
  const done = `${countText(grid.records.length)} ${grid.records.length === 1 ? 'row is' : 'rows are'} in the clipboard.`;
  return (
    <Action class="plain" does={() => copy(csvOf(grid))} done={done}>
      Copy as CSV
    </Action>
  );
};

const Cell = ({ value }: { readonly value: unknown }) => {
  if (value === null || value === undefined) return <td class="soft">null</td>;
  const text = typeof value === 'boolean' ? String(value) : valueText(value);
  return (
    <td class={isNumber(value) ? 'number' : ''} title={text.length > WIDEST || text.includes('\n') ? text : undefined}>
      {text}
    </td>
  );
};

/** As wide as its longest value, within reason, so that columns keep their width while the rows change. */
const widthOf = (records: Values['records'], column: string): string => {
  const longest = records.reduce((most, record) => Math.max(most, valueText(record[column]).length), column.length);
  return `${Math.min(longest, WIDEST) + 2}ch`;
};

/** Values as text, with every digit, a line for each row: the whole of a long value is in its tip. */
export const ValuesGrid = ({
  grid: { columns: names, records },
  label,
}: {
  readonly grid: Values;
  readonly label: string;
}) => {
  const isLong = records.length > MOST_DRAWN;
  const styles = useMemo(
    () => names.map((name) => (isLong ? { minWidth: widthOf(records, name) } : undefined)),
    [records],
  );
  const columns = names.map((name, index) => ({
    label: name,
    isNumber: isNumber(records[0]?.[name]),
    style: styles[index],
  }));
  const row = (index: number) => (
    <tr key={index} aria-rowindex={index + 2}>
      {names.map((name) => (
        <Cell value={records[index]?.[name]} />
      ))}
    </tr>
  );
  return <Grid label={label} look="values" columns={columns} count={records.length} row={row} />;
};
