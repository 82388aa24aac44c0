import { isObject } from '../../../../domain/json.ts';
import { type Division, type Files, isSame, merged } from './division.ts';

/** What a person has changed of the parts of a run and not saved: what they were, and what they became by each step. */
export interface DivisionDraft {
  readonly base: Division;
  readonly steps: readonly Division[];
}

/** So many steps can be taken back. */
const MOST_STEPS = 50;

const KEPT = 'portico.parts ';
const nameOf = (runId: string) => KEPT + runId;

/** Whether this tab keeps moves of pages, of any run, that are not saved. */
export const hasUnsavedMoves = (): boolean => Object.keys(sessionStorage).some((name) => name.startsWith(KEPT));

/** What a reload of the page has kept. */
export const keptDraft = (runId: string): DivisionDraft | null => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(runId)) ?? 'null');
    return isObject(kept) && Array.isArray(kept.base) && Array.isArray(kept.steps) && kept.steps.length > 0
      ? (kept as unknown as DivisionDraft)
      : null;
  } catch {
    return null;
  }
};

export const keepDraft = (runId: string, draft: DivisionDraft | null): void => {
  sessionStorage.removeItem(nameOf(runId));
  if (draft === null) return;
  try {
    sessionStorage.setItem(nameOf(runId), JSON.stringify(draft));
  } catch {
    // Too large for the browser: a reload loses it, of which the page warns.
  }
};

/** As the person has it at present. */
export const nowOf = ({ base, steps }: DivisionDraft): Division => steps.at(-1) ?? base;

/** null: nothing is changed. */
export const withStep = (draft: DivisionDraft, next: Division): DivisionDraft | null =>
  isSame(next, draft.base) ? null : { ...draft, steps: [...draft.steps, next].slice(-MOST_STEPS) };

export const stepBack = ({ base, steps }: DivisionDraft): DivisionDraft | null =>
  steps.length > 1 ? { base, steps: steps.slice(0, -1) } : null;

/** Over what the run has by now; null: nothing is left of it. `fits`: whether it could be kept. */
export const onto = (files: Files, draft: DivisionDraft, theirs: Division) => {
  if (isSame(draft.base, theirs)) return { draft, fits: true };
  const next = merged(files, draft.base, nowOf(draft), theirs);
  const kept = next && !isSame(next, theirs) ? { base: theirs, steps: [next] } : null;
  return { draft: kept, fits: next !== null };
};
