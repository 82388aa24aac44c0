import type { AgentDefinition } from '../../domain/agent.ts';
import type { CheckResult } from '../../domain/check.ts';
import { duplicateKeyOf } from '../../domain/duplicate-key.ts';
import type { JsonObject } from '../../domain/json.ts';
import { missingValues, valuesAt } from '../../domain/missing-values.ts';
import type { Duplicate } from '../../domain/review.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { CheckEngine, CheckFinding } from '../ports/checks.ts';
import type { DocumentRepository } from '../ports/storage.ts';
import { sha256 } from '../shared/digest.ts';

type Rules = Pick<AgentDefinition, 'checks' | 'duplicateKey' | 'requiredValues' | 'systemOfRecord' | 'review'>;

/** What the rules of an agent find of a document's data. */
export interface RuleFindings {
  readonly checks: readonly CheckResult[];
  /** Stands for the values of the agent's key; null if the document has not all of them. */
  readonly duplicateKey: string | null;
  /** JSON Pointers of the values that it should have and does not. */
  readonly missing: readonly string[];
  /** JSON Pointers of the values that a sum confirms. */
  readonly confirmed: readonly string[];
  /** Not looked for where no review asks for them: a document shows its duplicates as they are when it is read. */
  readonly duplicates: readonly Duplicate[];
}

/** A document, and for whom it is looked at. */
interface Subject {
  readonly documentId: string;
  readonly sharer: Sharer;
}

interface Dependencies {
  readonly checks: CheckEngine;
  readonly documents: Pick<DocumentRepository, 'claimKeys' | 'duplicatesOf'>;
}

const encoder = new TextEncoder();

/** JSON Pointers of the values that the sums of checks which have passed confirm. */
export const confirmedBy = (data: JsonObject, checked: readonly CheckFinding[]): readonly string[] =>
  checked.flatMap(({ confirmed }) => confirmed.flatMap((place) => valuesAt(data, place).map(([pointer]) => pointer)));

export const documentFindings = ({ checks: engine, documents }: Dependencies) => {
  /** Stands for the values of the agent's key. */
  const keyOf = async (rules: Pick<Rules, 'duplicateKey'>, data: JsonObject): Promise<string | null> => {
    const key = duplicateKeyOf(data, rules.duplicateKey);
    return key === null ? null : sha256(encoder.encode(key));
  };

  const checksOf = (rules: Pick<Rules, 'checks'>, { sharer }: Subject, data: JsonObject) =>
    engine.evaluate(rules.checks, data, sharer);

  const missingOf = (rules: Omit<Rules, 'checks' | 'review'>, data: JsonObject, checked: readonly CheckFinding[]) =>
    missingValues(
      data,
      rules,
      checked.flatMap(({ named }) => named),
    );

  /** `fileHashes`: those of the files that the data was read from, if it is to be found by them from now on. */
  const find = async (
    rules: Rules,
    subject: Subject,
    data: JsonObject,
    fileHashes: readonly string[] | null,
  ): Promise<RuleFindings> => {
    const { documentId } = subject;
    const checked = await checksOf(rules, subject, data);
    const checks = checked.map(({ result }) => result);
    const missing = missingOf(rules, data, checked);
    const confirmed = confirmedBy(data, checked);
    const duplicateKey = await keyOf(rules, data);
    if (rules.review.when === 'never') return { checks, duplicateKey, missing, confirmed, duplicates: [] };
    if (fileHashes !== null) await documents.claimKeys(documentId, duplicateKey, fileHashes);
    const duplicates = await documents.duplicatesOf(documentId, duplicateKey);
    return { checks, duplicateKey, missing, confirmed, duplicates };
  };
  return {
    keyOf,
    checksOf,
    missingOf,
    /** Of data that was just extracted, before the document becomes ready. Of two that do so at once, the later one finds the other. */
    ofExtracted: (
      rules: Rules,
      subject: Subject,
      { data, fileHashes }: { data: JsonObject; fileHashes: readonly string[] },
    ) => find(rules, subject, data, fileHashes),
    /** Of data that is about to take the place of a document's own. */
    ofChanged: (rules: Rules, subject: Subject, data: JsonObject) => find(rules, subject, data, null),
  };
};

export type DocumentFindings = ReturnType<typeof documentFindings>;
