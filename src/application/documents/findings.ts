import type { AgentDefinition } from '../../domain/agent.ts';
import type { CheckResult } from '../../domain/check.ts';
import { duplicateKeyOf } from '../../domain/duplicate-key.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Duplicate } from '../../domain/review.ts';
import { sha256 } from '../digest.ts';
import type { CheckEngine } from '../ports/checks.ts';
import type { DocumentRepository } from '../ports/storage.ts';

type Rules = Pick<AgentDefinition, 'checks' | 'duplicateKey' | 'review'>;

/** What the rules of an agent find of a document's data. */
export interface RuleFindings {
  readonly checks: readonly CheckResult[];
  /** Stands for the values of the agent's key; null if the document has not all of them. */
  readonly duplicateKey: string | null;
  /** Not looked for where no review asks for them: a document shows its duplicates as they are when it is read. */
  readonly duplicates: readonly Duplicate[];
}

export interface DocumentFindings {
  /** Of data that was just extracted, before the document becomes ready. Of two that do so at once, the later one finds the other. */
  ofExtracted(rules: Rules, documentId: string, extracted: { data: JsonObject; fileHashes: readonly string[] }): Promise<RuleFindings>;
  /** Of data that is about to take the place of a document's own. */
  ofChanged(rules: Rules, documentId: string, data: JsonObject): Promise<RuleFindings>;
}

const encoder = new TextEncoder();

export const documentFindings = ({
  checks: engine,
  documents,
}: {
  checks: CheckEngine;
  documents: Pick<DocumentRepository, 'claimKeys' | 'duplicatesOf'>;
}): DocumentFindings => {
  const own = async ({ checks, duplicateKey: pointers }: Rules, data: JsonObject) => {
    const key = duplicateKeyOf(data, pointers);
    return { checks: await engine.evaluate(checks, data), duplicateKey: key === null ? null : await sha256(encoder.encode(key)) };
  };
  return {
    async ofExtracted(rules, documentId, { data, fileHashes }) {
      const found = await own(rules, data);
      if (rules.review === 'never') return { ...found, duplicates: [] };
      await documents.claimKeys(documentId, found.duplicateKey, fileHashes);
      return { ...found, duplicates: await documents.duplicatesOf(documentId, found.duplicateKey) };
    },
    async ofChanged(rules, documentId, data) {
      const found = await own(rules, data);
      const isAsked = rules.review !== 'never';
      return { ...found, duplicates: isAsked ? await documents.duplicatesOf(documentId, found.duplicateKey) : [] };
    },
  };
};
