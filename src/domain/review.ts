import type { Door } from './access.ts';
import { type CheckResult, lacksValue } from './check.ts';
import type { Violation } from './e-invoice/violations.ts';
import type { Support } from './evidence-support.ts';
import { implausibleValues } from './implausible-values.ts';
import { eachLeaf, eachMember, type JsonObject, type JsonSchema } from './json.ts';
import { machine } from './state-machine.ts';

/** Which documents of an agent wait for a decision before they may be processed: each asks for more than those before it. */
export const reviewTimes = ['never', 'when_flagged', 'always'] as const;
export type ReviewTime = (typeof reviewTimes)[number];

/**
 * Who may approve, each stricter than those before it. `client`: people and their programs, but no model; `person`: only in the console, shortly
 * after signing in; `other_person`: besides, no person whose own work it is.
 */
export const approvers = ['anyone', 'client', 'person', 'other_person'] as const;
export type Approver = (typeof approvers)[number];

export interface ReviewPolicy {
  readonly when: ReviewTime;
  readonly by: Approver;
}

export const usualPolicy: ReviewPolicy = { when: 'never', by: 'client' };

/** A policy as people write it: of the usual approvers, the word alone. */
export const shortPolicy = ({ when, by }: ReviewPolicy): ReviewTime | ReviewPolicy =>
  by === usualPolicy.by ? when : { when, by };

/** Whether an approval that keeps one rule of who may approve keeps another as well. */
export const isAsStrict = (kept: Approver, required: Approver): boolean =>
  approvers.indexOf(kept) >= approvers.indexOf(required);

const later = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(a) >= order.indexOf(b) ? a : b);

/** What passes this policy passes both. */
export const stricterPolicy = (a: ReviewPolicy, b: ReviewPolicy): ReviewPolicy => ({
  when: later(reviewTimes, a.when, b.when),
  by: later(approvers, a.by, b.by),
});

export type ReviewStatus = 'not_required' | 'pending' | 'approved' | 'rejected';

type ReviewEvent = 'require' | 'change' | 'clear' | 'approve' | 'reject' | 'reopen';

/**
 * A decision is of one revision, and stands until a change of the data or a person opens the review again. `require` is data with something
 * doubtful, `change` data without; `clear`: all that was doubtful was outside of the document, and is no longer so.
 */
export const reviewMachine = machine<ReviewStatus, ReviewEvent>('review', {
  not_required: { require: 'pending', approve: 'approved', reject: 'rejected' },
  pending: { require: 'pending', clear: 'not_required', approve: 'approved', reject: 'rejected' },
  approved: { require: 'pending', change: 'pending', reopen: 'pending' },
  rejected: { require: 'pending', change: 'pending', reopen: 'pending' },
});

export const reasonCodes = [
  'missing_value',
  'implausible_value',
  'unsupported_value',
  'low_confidence',
  'check_failed',
  'check_not_applicable',
  'duplicate',
  'incomplete_coverage',
  'unread_content',
  'hidden_text',
  'encoding_uncertain',
  'unassigned_pages',
  'contradiction',
  'einvoice_invalid',
  'einvoice_differs',
  'einvoice_incomplete',
  'always',
] as const;

/** Why a person should look at a document. */
export interface ReviewReason {
  readonly code: (typeof reasonCodes)[number];
  /** The value that it is about; null if it is about the document as a whole. */
  readonly pointer: string | null;
  readonly message: string;
}

/** Why a person who looks at a file may read something else in it. */
export interface ReadingDoubt {
  readonly code: 'hidden_text' | 'encoding_uncertain' | 'unassigned_pages' | 'einvoice_incomplete' | 'einvoice_differs';
  readonly message: string;
}

export interface Reviewer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** What is known of the review of a document. */
export interface Review {
  readonly reviewStatus: ReviewStatus;
  readonly reviewReasons: readonly ReviewReason[];
  /** Who decided; null while it is not decided. */
  readonly reviewer: Reviewer | null;
  readonly reviewNote: string | null;
  readonly decidedAt: Date | null;
  /** null where nothing is decided. */
  readonly decidedVia: Door | null;
}

export const noReview: Review = {
  reviewStatus: 'not_required',
  reviewReasons: [],
  reviewer: null,
  reviewNote: null,
  decidedAt: null,
  decidedVia: null,
};

/** Another document of the same agent that has the same key, or was read from the same file. */
export interface Duplicate {
  readonly documentId: string;
  readonly reason: 'key' | 'file';
}

/** Two parts of a long file say different things of a value. */
export interface Contradiction {
  readonly pointer: string;
  readonly message: string;
}

/** A value of an e-invoice that the page around it does not show. */
interface Difference {
  readonly pointer: string;
  readonly xml: string;
  readonly pageValue: string | null;
}

/** What a document is judged by. */
export interface Findings {
  readonly data: JsonObject;
  /** Whether it was read from files at all: what a message says has no evidence. */
  readonly hasFiles: boolean;
  /** That of the agent; null if it has none. */
  readonly schema: JsonSchema | null;
  readonly evidence: Readonly<
    Record<string, { readonly support: Support; readonly confidence: number | null; readonly quote: string }>
  >;
  /** null if it is not known. */
  readonly coverage: {
    readonly complete: boolean;
    readonly unread: readonly { readonly what: string }[];
    readonly doubts: readonly ReadingDoubt[];
  } | null;
  readonly contradictions: readonly Contradiction[];
  /** null if it was read from no e-invoice. */
  readonly einvoice: {
    readonly valid: boolean | null;
    readonly violations: readonly Violation[];
    readonly differences: readonly Difference[];
  } | null;
  readonly checks: readonly CheckResult[];
  /** JSON Pointers of the values that it should have and does not. */
  readonly missing: readonly string[];
  /** JSON Pointers of the values that a sum confirms: it would not hold if one of their digits were another. */
  readonly confirmed: readonly string[];
  readonly duplicates: readonly Duplicate[];
}

/** Below, OCR may well have a letter or a digit wrong: a person should look. */
export const LOW_CONFIDENCE = 0.85;

/** A document may have many thousands of values: so many are named of each kind, and the rest counted. */
const MOST_NAMED = 100;

const bounded = (reasons: readonly ReviewReason[]): readonly ReviewReason[] => {
  const [first] = reasons;
  if (first === undefined || reasons.length <= MOST_NAMED) return reasons;
  const rest = {
    code: first.code,
    pointer: null,
    message: `The same is so of ${reasons.length - MOST_NAMED} more values.`,
  };
  return [...reasons.slice(0, MOST_NAMED), rest];
};

const IMPLAUSIBLE = 'The value is the name of another field, or a label of the page.';

function* unsupportedValues({ data, hasFiles, evidence }: Findings): Generator<void, readonly ReviewReason[]> {
  const reasons: ReviewReason[] = [];
  for (const [pointer] of eachLeaf(data)) {
    yield;
    const support = Object.hasOwn(evidence, pointer) ? evidence[pointer]?.support : undefined;
    if (support !== 'none' && (support !== undefined || !hasFiles)) continue;
    const message =
      support === 'none'
        ? 'The quote that is given for the value does not have it.'
        : 'No quote of a file has the value.';
    reasons.push({ code: 'unsupported_value', pointer, message });
  }
  return reasons;
}

function* uncertainValues({ evidence, confirmed }: Findings): Generator<void, readonly ReviewReason[]> {
  const summed = new Set(confirmed);
  const reasons: ReviewReason[] = [];
  for (const [pointer, { confidence, support }] of eachMember(evidence)) {
    yield;
    if (confidence === null || confidence >= LOW_CONFIDENCE || support === 'person' || summed.has(pointer)) continue;
    reasons.push({
      code: 'low_confidence',
      pointer,
      message: `OCR is unsure of its words: of a hundred that are as hard to read, ${Math.round(confidence * 100)} are right.`,
    });
  }
  return reasons;
}

const failedChecks = ({ checks }: Findings): readonly ReviewReason[] =>
  checks.flatMap(({ name, status, message }) =>
    status === 'failed'
      ? [{ code: 'check_failed', pointer: null, message: message ?? `The check ${name} failed.` }]
      : [],
  );

const unappliedChecks = ({ checks }: Findings): readonly ReviewReason[] =>
  checks.flatMap((check) => {
    if (!lacksValue(check)) return [];
    return [{ code: 'check_not_applicable', pointer: null, message: `The check ${check.name}: ${check.message}` }];
  });

const sameAs = { key: 'has the same key', file: 'was read from the same file' } as const;

export const duplicateReasons = (duplicates: readonly Duplicate[]): readonly ReviewReason[] =>
  bounded(
    duplicates.map(({ documentId, reason }) => ({
      code: 'duplicate',
      pointer: null,
      message: `The document ${documentId} ${sameAs[reason]}.`,
    })),
  );

const readingFlags = ({ coverage }: Findings): readonly ReviewReason[] => {
  if (coverage === null) return [];
  const { complete, unread, doubts } = coverage;
  const about = (code: ReviewReason['code'], message: string): ReviewReason => ({ code, pointer: null, message });
  return [
    ...(complete ? [] : [about('incomplete_coverage', 'Not all of the files was read: `coverage` says how much.')]),
    ...(unread.length === 0
      ? []
      : [about('unread_content', 'Something of the files was not read: `coverage.unread` says what.')]),
    ...bounded(doubts.map(({ code, message }) => about(code, message))),
  ];
};

const differing = ({ einvoice }: Findings): readonly ReviewReason[] =>
  (einvoice?.differences ?? []).map(({ pointer, xml, pageValue }) => {
    const shown = pageValue === null ? 'does not show it' : `shows ${pageValue}`;
    const isField = pointer.startsWith('/');
    const what = isField ? '' : `${pointer}: `;
    return {
      code: 'einvoice_differs',
      pointer: isField ? pointer : null,
      message: `${what}the e-invoice says ${xml.trim()}, the page ${shown}.`,
    };
  });

const broken = ({ einvoice }: Findings): readonly ReviewReason[] => {
  if (einvoice?.valid !== false) return [];
  const rules = new Set(einvoice.violations.flatMap(({ rule, severity }) => (severity === 'error' ? rule : [])));
  const message = `The e-invoice breaks ${[...rules].join(', ')}: \`einvoice.violations\` says where.`;
  return [{ code: 'einvoice_invalid', pointer: null, message }];
};

/** Why a person should look at a document; nothing of it depends on the agent. */
function* flagsOf(findings: Findings): Generator<void, readonly ReviewReason[]> {
  const { contradictions, duplicates, missing } = findings;
  const implausible = yield* implausibleValues(findings);
  const unsupported = yield* unsupportedValues(findings);
  const uncertain = yield* uncertainValues(findings);
  return [
    ...bounded(missing.map((pointer) => ({ code: 'missing_value', pointer, message: 'The value is missing.' }))),
    ...bounded(implausible.map((pointer) => ({ code: 'implausible_value', pointer, message: IMPLAUSIBLE }))),
    ...bounded(unsupported),
    ...bounded(uncertain),
    ...bounded(failedChecks(findings)),
    ...bounded(unappliedChecks(findings)),
    ...duplicateReasons(duplicates),
    ...readingFlags(findings),
    ...bounded(contradictions.map((each) => ({ code: 'contradiction', ...each }))),
    ...broken(findings),
    ...differing(findings),
  ];
}

const ALWAYS: ReviewReason = { code: 'always', pointer: null, message: 'Every document of this agent is reviewed.' };

/** Why a document waits for a decision; none if its agent asks for no reviews. It gives others their turn between the values. */
export function* reasonsFor(when: ReviewTime, findings: Findings): Generator<void, readonly ReviewReason[]> {
  if (when === 'never') return [];
  const flags = yield* flagsOf(findings);
  return [...flags, ...(when === 'always' ? [ALWAYS] : [])];
}

/** What is known of a document that a doubt about its reading may concern. */
export interface Doubtful extends Pick<Review, 'reviewStatus' | 'reviewReasons'> {
  readonly coverage: Findings['coverage'];
  readonly revision: number;
  readonly reopened: boolean;
}

/** Whether the review of a document that has no reason any more waits for a person all the same. */
const isAwaited = ({ revision, reopened, reviewReasons }: Doubtful) =>
  revision > 1 || reopened || reviewReasons.length === 0;

/**
 * The same document with this doubt in place of those of its code, or without any. What is decided stays so. A review that only this doubt has
 * asked for is over with it, unless a person has changed the data or opened the review again: then it waits for them.
 */
export const withDoubt = <D extends Doubtful>(
  document: D,
  code: ReadingDoubt['code'],
  doubt: ReadingDoubt | null,
  when: ReviewTime,
): D => {
  const { coverage, reviewStatus, reviewReasons } = document;
  if (coverage === null) return document;
  const doubts = [...coverage.doubts.filter((each) => each.code !== code), ...(doubt === null ? [] : [doubt])];
  const doubted = { ...document, coverage: { ...coverage, doubts } };
  if (reviewStatus !== 'not_required' && reviewStatus !== 'pending') return doubted;
  const others = reviewReasons.filter((reason) => reason.code !== code);
  const reasons = doubt === null || when === 'never' ? others : [...others, { ...doubt, pointer: null }];
  if (reasons.length > 0)
    return { ...doubted, reviewReasons: reasons, reviewStatus: reviewMachine.next(reviewStatus, 'require') };
  if (reviewStatus === 'not_required' || isAwaited(document)) return { ...doubted, reviewReasons: reasons };
  return { ...doubted, reviewReasons: reasons, reviewStatus: reviewMachine.next(reviewStatus, 'clear') };
};

/** The review of data that was just extracted, or has just changed. A decision was made of other data: it does not stand any more. */
export const reviewOf = (before: ReviewStatus, reasons: readonly ReviewReason[]): Review => {
  const event = reasons.length > 0 ? 'require' : 'change';
  const reviewStatus = reviewMachine.allows(before, event) ? reviewMachine.next(before, event) : before;
  return { ...noReview, reviewStatus, reviewReasons: reasons };
};
