import { isObject } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';

const MAX_ROWS = 20;
const MAX_COLUMNS = 8;
const MAX_TEXT = 2_000;
const MAX_CELL = 60;
const MAX_LINK = 500;

export const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

const inline = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // An address that is cut short leads nowhere.
  const most = /^https?:\/\/\S+$/.test(text) ? MAX_LINK : MAX_CELL;
  return cut(text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim(), most);
};

const table = (rows: readonly Record<string, unknown>[]): string => {
  const shown = rows.slice(0, MAX_ROWS);
  const columns = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const more = rows.length > shown.length ? [`… and ${rows.length - shown.length} more.`] : [];
  const body = shown.map((row) => line(columns.map((column) => inline(row[column]))));
  return [line(columns.map(inline)), line(columns.map(() => '---')), ...body, ...more].join('\n');
};

const bullets = (values: readonly unknown[]): string => {
  const more = values.length > MAX_ROWS ? [`… and ${values.length - MAX_ROWS} more.`] : [];
  return [...values.slice(0, MAX_ROWS).map((value) => `- ${inline(value)}`), ...more].join('\n');
};

const field = (key: string, value: unknown, depth: number): string => {
  if (depth > 0) return `${key}: ${inline(value)}`;
  if (typeof value === 'string') return `${key}: ${cut(value.trim(), MAX_TEXT)}`;
  return isObject(value) || Array.isArray(value) ? `${key}:\n${rendered(value, 1)}` : `${key}: ${inline(value)}`;
};

const fields = (value: Record<string, unknown>, depth: number): string =>
  Object.entries(value)
    .slice(0, 40)
    .map(([key, inner]) => field(key, inner, depth))
    .join('\n');

const rendered = (value: unknown, depth: number): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return '(none)';
    return value.every(isObject) ? table(value) : bullets(value);
  }
  return isObject(value) ? fields(value, depth) : inline(value);
};

/** A tool's result as a person reads it: JSON as a small table or a list, anything else as it is. */
export const renderResult = (text: string): string => {
  const start = text.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return cut(text.trim(), MAX_TEXT);
  try {
    return cut(rendered(parseJson(text), 0), 2 * MAX_TEXT);
  } catch {
    return cut(text.trim(), MAX_TEXT);
  }
};
