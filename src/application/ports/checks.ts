import type { Check, CheckResult } from '../../domain/check.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { Sharer } from '../../domain/sharer.ts';

/** What came of a check. */
export interface CheckFinding {
  readonly result: CheckResult;
  /** JSON Pointers of what its rule names, with `*` for every item of a list; none of a check that is not about the document. */
  readonly named: readonly string[];
  /** The same of the values that stand in its sums, differences and products, if it has passed: it confirms them. */
  readonly confirmed: readonly string[];
}

/** CEL, the Common Expression Language, with exact decimals. */
export interface CheckEngine {
  /** Why the expression says nothing about documents of this schema that is true or false, in words that follow its place; or null. */
  defect(expression: string, schema: JsonSchema): string | null;
  /**
   * One finding for each check, in their order. A check that cannot be computed, or takes too long, has failed and says why; one of whose values
   * there are none does not apply and says which. Evaluations are shared by user and workspace; `busy` if too many wait.
   */
  evaluate(checks: readonly Check[], data: JsonObject, sharer: Sharer): Promise<readonly CheckFinding[]>;
}
