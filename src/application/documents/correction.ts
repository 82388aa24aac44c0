import type { AgentDefinition } from '../../domain/agent.ts';
import { type Correction, type DataChange, type Document, type Evidence, evidenceOf } from '../../domain/document.ts';
import { sizeDefect } from '../../domain/document-data.ts';
import { invalid } from '../../domain/errors.ts';
import { type Quoted, supportOf } from '../../domain/evidence-support.ts';
import {
  contentError,
  eachLeaf,
  eachMember,
  isSameJson,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  resolvePointer,
} from '../../domain/json.ts';
import { differences } from '../../domain/json-difference.ts';
import { type MergePatch, operationsOf } from '../../domain/merge-patch.ts';
import { type Contradiction, reasonsFor } from '../../domain/review.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { JsonPatches, PatchedLeaf, PatchOperation } from '../ports/json-patch.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { RuleFindings } from './findings.ts';

/** Where a person found a value. */
type FoundPlace = Pick<Evidence, 'fileName' | 'page' | 'boxes'>;

export interface CorrectionRequest {
  readonly patch: readonly PatchOperation[] | MergePatch;
  /** JSON Pointer of a value that the patch changes → where it stands. */
  readonly evidence: Readonly<Record<string, FoundPlace>>;
}

interface Dependencies {
  readonly patches: JsonPatches;
  readonly schemas: Pick<SchemaValidator, 'check'>;
}

/** The data that a patch makes of a document's, and where what of it stood before; a DomainError `invalid` has everything that is wrong with it. */
export const patchedData = async (
  { documentData }: Document,
  patch: CorrectionRequest['patch'],
  schema: JsonSchema,
  sharer: Sharer,
  { patches, schemas }: Dependencies,
) => {
  const operations = 'merge' in patch ? operationsOf(patch, documentData) : patch;
  const { value, leaves } = patches.apply(documentData, operations);
  const defect = contentError(value) ?? sizeDefect(value);
  if (defect !== null) throw invalid({ path: 'patch', message: `makes a document that ${defect}` });
  const errors = await schemas.check(schema, value, sharer);
  if (errors.length > 0)
    throw invalid(...errors.map(({ path, message }) => ({ path: path === '' ? 'patch' : path, message })));
  return { data: value as JsonObject, leaves };
};

/**
 * The values with the place where each was before; null of one that has changed. `isSame` says of one that the patch writes anew whether it is
 * taken for the one that stood there, if the value is the same.
 */
function* placedValues(
  before: JsonValue,
  leaves: readonly PatchedLeaf[],
  isSame: (pointer: string) => boolean,
): Generator<void, readonly PatchedLeaf[]> {
  const placed: PatchedLeaf[] = [];
  for (const leaf of leaves) {
    yield;
    const { pointer, value, origin } = leaf;
    const there = origin === null && isSame(pointer) ? resolvePointer(before, pointer) : undefined;
    placed.push(there !== undefined && isSameJson(there, value) ? { ...leaf, origin: pointer } : leaf);
  }
  return placed;
}

const pageKey = ({ fileName, page }: Pick<Evidence, 'fileName' | 'page'>) => JSON.stringify([fileName, page]);

/** What a person entered, at the place that they name. A page has its words from one source: what was read of it before says which. */
function* enteredFrom(before: Document['evidence']) {
  const ocred = new Set<string>();
  for (const [, evidence] of eachMember(before)) {
    yield;
    if (evidence.support !== 'person' && evidence.source === 'ocr') ocred.add(pageKey(evidence));
  }
  return (place: FoundPlace = { fileName: '', page: null, boxes: [] }): Evidence =>
    evidenceOf({ quote: '', ...place, support: 'person', source: ocred.has(pageKey(place)) ? 'ocr' : 'text' });
}

const memberOf = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** What has to be found out about the quote of a value, and what is known: of a value that stays, how its quote supports it. */
const quotedOf = (pointer: string, { quote, support }: Evidence, stays: boolean): readonly Quoted[] => {
  if (support === 'person' || (stays && support === 'none')) return [];
  if (!stays) return [{ pointer, quote }];
  return [{ pointer, quote, known: support === 'computed' ? 'none' : support }];
};

/** Refuses places of values that the patch leaves as they are. */
const mustBeOfChanged = (quotes: CorrectionRequest['evidence'], values: readonly PatchedLeaf[]): void => {
  const changed = new Set(values.flatMap(({ pointer, origin }) => (origin === null ? pointer : [])));
  const misplaced = Object.keys(quotes).filter((pointer) => !changed.has(pointer));
  if (misplaced.length === 0) return;
  const message = 'is not of a value that the patch changes';
  throw invalid(...misplaced.map((pointer) => ({ path: `evidence["${pointer}"]`, message })));
};

/** The evidence of a value that stays; the sum that it is may be another one by now. */
const keptEvidence = (evidence: Evidence, support: Evidence['support']): Evidence =>
  evidence.support === 'computed' ? { ...evidence, support } : evidence;

/**
 * The evidence of the data. What did not change keeps its own. What changed has the place that the person gives; else the quote that was
 * there, if that has the new value too and has not moved away (`isThere`); else it says that a person entered the value. A sum is checked
 * again, because what it is the sum of may have changed.
 */
function* evidenceFor(
  data: JsonObject,
  values: readonly PatchedLeaf[],
  before: Document['evidence'],
  quotes: CorrectionRequest['evidence'],
  isThere: (pointer: string) => boolean,
): Generator<void, Document['evidence']> {
  mustBeOfChanged(quotes, values);
  const candidates: (Evidence | undefined)[] = [];
  const quoted: Quoted[] = [];
  for (const { pointer, origin } of values) {
    yield;
    const place = origin ?? (isThere(pointer) && memberOf(quotes, pointer) === undefined ? pointer : null);
    const candidate = place === null ? undefined : memberOf(before, place);
    candidates.push(candidate);
    if (candidate) quoted.push(...quotedOf(pointer, candidate, origin !== null));
  }
  const supports = yield* supportOf(data, quoted);
  const entered = yield* enteredFrom(before);
  const evidence: Record<string, Evidence> = {};
  for (const [index, { pointer, origin }] of values.entries()) {
    yield;
    const candidate = candidates[index];
    const support = supports.get(pointer) ?? 'none';
    const isQuoted = candidate && candidate.support !== 'person' && support !== 'none';
    if (origin !== null && candidate) evidence[pointer] = keptEvidence(candidate, support);
    else if (origin === null)
      evidence[pointer] = isQuoted ? { ...candidate, support } : entered(memberOf(quotes, pointer));
  }
  return evidence;
}

/** A contradiction about a value that a person has corrected is settled. */
function* remaining(
  contradictions: readonly Contradiction[],
  before: JsonValue,
  values: readonly PatchedLeaf[],
): Generator<void, readonly Contradiction[]> {
  if (contradictions.length === 0) return [];
  const placeNow = new Map<string, string>();
  for (const { pointer, origin } of values) {
    yield;
    if (origin !== null) placeNow.set(origin, pointer);
  }
  const leaves = new Set<string>();
  for (const [pointer] of eachLeaf(before)) {
    yield;
    leaves.add(pointer);
  }
  return contradictions.flatMap(({ pointer, message }) => {
    const now = leaves.has(pointer) ? placeNow.get(pointer) : pointer;
    return now === undefined ? [] : [{ pointer: now, message }];
  });
}

/** What the patched data makes of a document, and what it changes, if anything. */
export function* prepareCorrection(
  document: Document,
  { data, leaves: patchedLeaves }: Awaited<ReturnType<typeof patchedData>>,
  quotes: CorrectionRequest['evidence'],
  { review, documentSchema: schema }: Pick<AgentDefinition, 'review' | 'documentSchema'>,
) {
  const before = document.documentData;
  const at = (root: JsonValue, pointer: string) => resolvePointer(root, pointer) ?? null;
  const changes = differences(before, data).map(
    (pointer): DataChange => ({ pointer, from: at(before, pointer), to: at(data, pointer) }),
  );
  const leaves: PatchedLeaf[] = [];
  const kept = new Set<string>();
  for (const leaf of patchedLeaves()) {
    yield;
    if (leaf.origin !== null) kept.add(leaf.origin);
    // Null is no value, and has no evidence.
    if (leaf.value !== null) leaves.push(leaf);
  }
  // What has moved, as the rows behind a new one do, does not stand for what came to its place.
  const isThere = (pointer: string) => !kept.has(pointer);
  const isSame = (pointer: string) =>
    isThere(pointer) && (changes.length === 0 || memberOf(quotes, pointer) === undefined);
  const values = yield* placedValues(before, leaves, isSame);
  const evidence = yield* evidenceFor(data, values, document.evidence, quotes, isThere);
  const contradictions = yield* remaining(document.contradictions, before, values);
  // A document that was read from files has named each of its values that no quote has, unless a person entered it.
  const hasFiles = document.reviewReasons.some(({ code }) => code === 'unsupported_value');
  /** The correction, once it is known what the rules of the agent find of the data. */
  function* conclude(findings: RuleFindings): Generator<void, Correction> {
    const { checks, duplicateKey, missing, confirmed, duplicates } = findings;
    const conclusions = { evidence, contradictions, checks };
    const reasons = yield* reasonsFor(review.when, {
      ...conclusions,
      data,
      schema,
      hasFiles,
      coverage: document.coverage,
      einvoice: document.einvoice,
      missing,
      confirmed,
      duplicates,
    });
    return { ...conclusions, duplicateKey, data, reasons };
  }
  return { data, conclude, changes };
}
