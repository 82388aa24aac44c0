import type { Evidence } from '../../../domain/document.ts';
import { eachMember } from '../../../domain/json.ts';

type EvidenceByPointer = Readonly<Record<string, Evidence>>;

/** So many characters are parsed at a time, and what is left of the entry that they end in. */
const PART_CHARACTERS = 16 * 1024;

/** Only between two entries: the name of the next one is a pointer, and inside of a text a quotation mark is escaped. */
const BETWEEN_ENTRIES = '},"/';

/** The evidence that stands in a text, parsed in parts: a document of many rows has tens of megabytes of it. */
export function* parsedEvidence(text: string): Generator<void, EvidenceByPointer> {
  const evidence: Record<string, Evidence> = {};
  for (let start = 1; start < text.length; ) {
    yield;
    const next = text.indexOf(BETWEEN_ENTRIES, start + PART_CHARACTERS);
    const end = next === -1 ? text.length - 1 : next + 1;
    Object.assign(evidence, JSON.parse(`{${text.slice(start, end)}}`));
    start = end + 1;
  }
  return evidence;
}

/** The text of evidence, as `JSON.stringify` would print it in one go; as bytes, because a text so long would be encoded in one go, too. */
export function* printedEvidence(evidence: EvidenceByPointer): Generator<void, Buffer> {
  const parts: Buffer[] = [];
  for (const [pointer, entry] of eachMember(evidence)) {
    yield;
    const before = parts.length === 0 ? '{' : ',';
    parts.push(Buffer.from(`${before}${JSON.stringify(pointer)}:${JSON.stringify(entry)}`));
  }
  return Buffer.concat([...parts, Buffer.from(parts.length === 0 ? '{}' : '}')]);
}
