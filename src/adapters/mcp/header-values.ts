import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../domain/json.ts';
import { compareNumbers, isNumber, jsonNumber } from '../../domain/json-number.ts';

export const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const ENCODED = /^=\?base64\?(.*)\?=$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\x20-\x7e\t]*$/;

/** The value of a header that repeats a part of the body, as it is or in base64; null if it is neither. */
export const decoded = (value: string): string | null => {
  const base64 = ENCODED.exec(value)?.[1];
  if (base64 === undefined) return PLAIN.test(value) ? value : null;
  if (!BASE64.test(base64)) return null;
  const bytes = Buffer.from(base64, 'base64');
  return isUtf8(bytes) ? bytes.toString() : null;
};

/** A property of a tool's input that the header `Mcp-Param-<header>` repeats, so that proxies may act on it. */
export interface Mirrored {
  readonly path: readonly string[];
  readonly header: string;
}

const MAX_DEPTH = 8;

export const mirroredIn = (schema: unknown, path: readonly string[] = []): readonly Mirrored[] => {
  if (!isObject(schema) || !isObject(schema.properties) || path.length >= MAX_DEPTH) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const here = [...path, name];
    const header = property['x-mcp-header'];
    return [
      ...(typeof header === 'string' ? [{ path: here, header: header.toLowerCase() }] : []),
      ...mirroredIn(property, here),
    ];
  });
};

const isNumeral = (text: string) => text !== '' && !Number.isNaN(Number(text)) && /^[-+.\deE]+$/.test(text);

const valueAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);

const agrees = (value: unknown, raw: string | undefined): boolean => {
  if (value === undefined || value === null) return raw === undefined;
  const text = raw === undefined ? null : decoded(raw);
  if (text === null) return false;
  if (!isNumber(value)) return text === String(value);
  return isNumeral(text.trim()) && compareNumbers(jsonNumber(text.trim()), value) === 0;
};

/** The first header that differs from the arguments; null if all agree. */
export const disagreement = (
  mirrored: readonly Mirrored[],
  input: unknown,
  headers: IncomingHttpHeaders,
): string | null =>
  mirrored.find(({ path, header }) => !agrees(valueAt(input, path), headerOf(headers, `mcp-param-${header}`)))
    ?.header ?? null;
