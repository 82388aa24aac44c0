import type { RowStream } from '../ports/connectors.ts';
import type { ToolResult } from '../ports/tools.ts';
import { succeeded } from './tool.ts';

export interface RowCaps {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export const rowCaps: RowCaps = { maxRows: 500, maxBytes: 60_000 };

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Finds where rows end in JSON text that is never parsed: each is an object. */
const rowScanner = ({ maxRows, maxBytes }: RowCaps) => {
  const kept: Uint8Array[] = [];
  let [size, end, rows, depth] = [0, 0, 0, 0];
  let [inText, escaped, more] = [false, false, false];

  const step = (byte: number, at: number) => {
    if (inText) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inText = false;
      return;
    }
    if (byte === QUOTE) inText = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth > 0) return;
      more = rows >= maxRows || at > maxBytes;
      if (!more) [rows, end] = [rows + 1, at];
    }
  };

  return {
    /** Whether there is room for more. */
    take(chunk: Uint8Array): boolean {
      for (let index = 0; index < chunk.length && !more; index += 1) step(chunk[index] as number, size + index + 1);
      kept.push(chunk);
      size += chunk.length;
      if (size > maxBytes && depth > 0) more = true;
      return !more;
    },
    result() {
      const bytes = new Uint8Array(Math.min(size, end));
      let at = 0;
      for (const chunk of kept) {
        if (at >= end) break;
        const part = chunk.subarray(0, end - at);
        bytes.set(part, at);
        at += part.length;
      }
      return { text: new TextDecoder().decode(bytes), rows, cut: more };
    },
  };
};

const remark = (rows: number, { maxRows, maxBytes }: RowCaps) => {
  if (rows === 0) return `The first row alone is over ${maxBytes} bytes: ask for fewer columns.`;
  const why = rows >= maxRows ? `at most ${maxRows} rows` : `at most ${maxBytes} bytes`;
  return `Only the first ${rows} rows are shown (${why}): ask for fewer rows or columns, or sum up.`;
};

/** Rows as JSON, as many of them as fit; says what was cut. */
export const rowsAnswer = async (stream: RowStream, { more: word }: { more: string }, caps: RowCaps = rowCaps): Promise<ToolResult> => {
  const scanner = rowScanner(caps);
  for await (const chunk of stream.chunks) if (!scanner.take(chunk)) break;
  const { text, rows, cut } = scanner.result();
  const more = cut || stream.end().more;
  const columns =
    rows > 0 ? '' : `,"columns":${JSON.stringify(stream.columns.map(({ name, dataType }) => ({ name, data_type: dataType })))}`;
  const note = cut ? `,"note":${JSON.stringify(remark(rows, caps))}` : '';
  return succeeded(`{"records":[${text}],"row_count":${rows},"${word}":${more}${columns}${note}}`);
};
