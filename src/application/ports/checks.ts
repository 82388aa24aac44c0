import type { Check, CheckResult } from '../../domain/check.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { Sharer } from '../shared/fair-share.ts';

/** CEL, the Common Expression Language, with exact decimals. */
export interface CheckEngine {
  /** Why the expression says nothing about documents of this schema that is true or false, in words that follow its place; or null. */
  defect(expression: string, schema: JsonSchema): string | null;
  /**
   * One result for each check, in their order. A check that cannot be computed, or takes too long, has failed and says why. Evaluations are
   * shared by user and workspace; `busy` if too many wait.
   */
  evaluate(checks: readonly Check[], data: JsonObject, sharer: Sharer): Promise<readonly CheckResult[]>;
}
