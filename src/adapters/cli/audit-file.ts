import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { ShownEntry } from '../../domain/audit-chain.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { CliFailure } from './failures.ts';

const isEntry = (value: JsonValue): value is ShownEntry =>
  isObject(value) &&
  Number.isSafeInteger(value.sequence) &&
  typeof value.previous === 'string' &&
  typeof value.hash === 'string';

const entryOf = (line: string): ShownEntry | null => {
  try {
    const value = parseJson(line) as JsonValue;
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
};

/** The entries of an export, line by line, with all that each line has. */
export const entriesIn = async function* (file: string): AsyncGenerator<ShownEntry> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const entry = entryOf(line);
    if (entry === null) throw new CliFailure(`line ${number} of ${file} is no entry of an audit log`);
    yield entry;
  }
};
