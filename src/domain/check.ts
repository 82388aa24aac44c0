/** A rule that documents of an agent are held to, in CEL over `document`. */
export interface Check {
  readonly name: string;
  readonly rule: string;
  /** Whether the rule applies to a document; null: to every one. */
  readonly when: string | null;
  /** What a person reads when the rule does not hold. */
  readonly message: string | null;
}

/** What came of one check; `message` says why it failed, or which value is missing that it is about. It is null otherwise. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'not_applicable';
  readonly message: string | null;
}

/** `defect`: the rule, or whether it applies, could not be computed. `missing`: it applies, but there is no value at this pointer. */
export type CheckOutcome =
  | Exclude<CheckResult['status'], 'failed'>
  | 'broken'
  | { readonly defect: string }
  | { readonly missing: string };

/** Whether the check is about the document, but said nothing of it because a value is missing. */
export const lacksValue = ({ status, message }: CheckResult): boolean =>
  status === 'not_applicable' && message !== null;

/** A check that cannot be computed has failed: a document passes a rule only if the rule holds. */
export const checkResult = ({ name, message }: Check, outcome: CheckOutcome): CheckResult => {
  if (outcome === 'passed' || outcome === 'not_applicable') return { name, status: outcome, message: null };
  const broken = message ?? 'The rule does not hold.';
  if (outcome === 'broken') return { name, status: 'failed', message: broken };
  if ('missing' in outcome)
    return { name, status: 'not_applicable', message: `It could not be applied: ${outcome.missing} has no value.` };
  return {
    name,
    status: 'failed',
    message: `${message === null ? '' : `${message} `}(The check could not be computed: ${outcome.defect}.)`,
  };
};
