/** Something outside this process that it needs, and how to find out whether it can be used. */
export interface Probe {
  /** A word for it that says nothing of where it is: `database`, `files`. */
  readonly name: string;
  /** Whether nothing can be answered without it; else the process goes on, with less than it could do. */
  readonly required: boolean;
  /** Rejects where it cannot be used. What it rejects with is told to the log alone. */
  check(signal: AbortSignal): Promise<void>;
}
