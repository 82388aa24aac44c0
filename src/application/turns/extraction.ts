import type { Evidence } from '../../domain/document.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { SchemaValidator } from '../ports/schemas.ts';
import { verifyEvidence } from './evidence.ts';
import type { ReadFile } from './file-reader.ts';

export interface ExtractedDocument {
  readonly data: JsonObject;
  readonly evidence: Readonly<Record<string, Evidence>>;
}

export type Checked = { readonly document: ExtractedDocument } | { readonly errors: readonly ValidationError[] };

const parsed = (text: string): unknown => {
  const unfenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return parseJson(unfenced);
  } catch {
    return undefined;
  }
};

/** The document of an extraction's answer, with the evidence that is true; or what is wrong with it. */
export const checkAnswer = (text: string, schema: JsonSchema, read: readonly ReadFile[], schemas: SchemaValidator): Checked => {
  const answer = parsed(text);
  if (!isObject(answer) || !isObject(answer.document))
    return { errors: [{ path: '', message: 'must be JSON of the form {"document": {…}, "evidence": […]}' }] };
  const errors = schemas.errors(schema, answer.document);
  if (errors.length > 0) return { errors };
  const data = answer.document as JsonObject;
  const parts = read.flatMap((file) => file.parts);
  return { document: { data, evidence: verifyEvidence(answer.evidence, data, parts) } };
};
