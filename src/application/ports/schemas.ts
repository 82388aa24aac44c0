import type { ValidationError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';

/** JSON Schema, draft 2020-12. */
export interface SchemaValidator {
  /** Every error of the value, by JSON Pointer, in words a person or a model can act on; none where it is valid. */
  errors(schema: JsonSchema, value: unknown): readonly ValidationError[];
  /** Why this is not a usable schema, or null. Schemas never reach outside themselves: a `$ref` to another document is refused. */
  defect(schema: JsonSchema): string | null;
}
