/** What the use of a workspace costs, as decimal numbers: models per 1,000,000 tokens, by their names in the workspace file. */
export interface Prices {
  /** Of ISO 4217, such as `EUR`. */
  readonly currency: string;
  readonly models: Readonly<Record<string, { readonly input: string; readonly output: string }>>;
  /** Of a page that OCR reads; null: it has no price. */
  readonly ocrPage: string | null;
}

export const usageGroups = ['day', 'agent', 'agent_version', 'model', 'user'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** How much was done. Costs are decimal numbers with every digit; null where nothing had a price. */
export interface UsageFigures {
  readonly runs: number;
  readonly documents: number;
  readonly pages: number;
  readonly pagesOcr: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: string | null;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The figures of one group; what is not grouped by is absent. */
export interface UsageRow extends UsageFigures {
  /** Of UTC, such as `2026-11-27`. */
  readonly day?: string;
  readonly agent?: Named;
  readonly agentVersion?: number;
  readonly model?: string;
  readonly user?: Named;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly total: UsageFigures;
  /** null: the workspace has no prices. */
  readonly currency: string | null;
}

/** The longest list of rows that is answered. */
export const MOST_USAGE_ROWS = 10_000;
