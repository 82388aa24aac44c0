import type { CliDependencies, Output } from './dependencies.ts';
import { fitted, json, type Paint, painter, printable, type Style, widthOf } from './printable.ts';

export type Terminal = ReturnType<typeof terminal>;

const coloured = (output: Output, env: CliDependencies['env']) =>
  output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';

const styles: Readonly<Record<string, Style>> = {
  completed: 'green',
  processed: 'green',
  ready: 'green',
  ok: 'green',
  create: 'green',
  failed: 'red',
  error: 'red',
  fail: 'red',
  remove: 'red',
  cancelled: 'yellow',
  warn: 'yellow',
  missing: 'yellow',
  running: 'cyan',
  processing: 'cyan',
  extracting: 'cyan',
  change: 'cyan',
  queued: 'dim',
  keep: 'dim',
};

const inStyle = (paint: Paint, status: string, shown: string) => {
  const style = Object.hasOwn(styles, status) ? styles[status] : undefined;
  return style === undefined ? shown : paint(style, shown);
};

/** A status in its colour. */
export const painted = (paint: Paint, status: string, width = 0): string =>
  inStyle(paint, status, printable(status).padEnd(width));

/** The lines of a table; `room` is what the terminal has, null for no end. */
const tableLines = (
  paint: Paint,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  room: number | null,
): readonly string[] => {
  const cells = rows.map((row) => row.map(printable));
  const last = header.length - 1;
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const padded = (cell: string, column: number) => {
    if (column === last) return room === null ? cell : fitted(cell, Math.max(20, room - before));
    return cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  };
  const title = paint('bold', header.map(padded).join('  '));
  return [
    title,
    ...cells.map((row) => row.map((cell, column) => inStyle(paint, cell, padded(cell, column))).join('  ')),
  ];
};

const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** Lines at the bottom of a terminal that are drawn again in place. Each has to fit: a line that wraps cannot be erased. */
const liveLines = (screen: Output) => {
  let drawn: readonly string[] = [];
  const erased = () => (drawn.length > 0 ? `\x1b[${drawn.length}A\r\x1b[0J` : '');
  return {
    draw(lines: readonly string[]) {
      screen.write(erased() + joined(lines));
      drawn = lines;
    },
    /** A line that stays, above those that change. */
    above(line: string) {
      screen.write(erased() + joined([line, ...drawn]));
    },
    /** Leaves the lines where they are and begins anew below. */
    settle() {
      drawn = [];
    },
  };
};

export const terminal = ({ stdout, stderr, env }: Pick<CliDependencies, 'stdout' | 'stderr' | 'env'>) => {
  const paint = painter(coloured(stdout, env));
  const paintNote = painter(coloured(stderr, env));
  const live = stderr.isTTY === true && env.TERM !== 'dumb' ? liveLines(stderr) : null;
  /** A line of the result, as it is: data goes through `printable` first. */
  const out = (line = '') => void stdout.write(`${line}\n`);
  /** A remark, which is no part of the result. */
  const note = live?.above ?? ((line: string) => void stderr.write(`${line}\n`));
  return {
    out,
    note,
    paint,
    paintNote,
    /** Part of a line. */
    write: (text: string) => void stdout.write(text),
    /** What is under way, drawn again in place; null if that cannot be done. */
    status: live && { draw: live.draw, settle: live.settle, columns: stderr.columns || 80, rows: stderr.rows || 24 },
    json: (value: unknown) => out(json(value)),
    fail([first, ...more]: readonly string[]) {
      note(`${paintNote('red', 'portico:')} ${first}`);
      for (const line of more) note(`  ${line}`);
    },
    /** Columns as wide as they need to be; on a terminal the last one is cut to its width. Without a row it prints `whenEmpty`, if that is given. */
    table(header: readonly string[], rows: readonly (readonly string[])[], whenEmpty?: string) {
      if (rows.length === 0 && whenEmpty !== undefined) return out(whenEmpty);
      const room = stdout.isTTY === true ? stdout.columns || 80 : null;
      for (const line of tableLines(paint, header, rows, room)) out(line.trimEnd());
    },
  };
};
