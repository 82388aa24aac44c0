import type { OwnDeed } from '../../domain/audit.ts';
import type { ReadingDoubt } from '../../domain/review.ts';
import type { Pages, Part, SplitFile } from '../../domain/routing/part.ts';
import type { AskedPart } from '../../domain/routing/partition.ts';
import type { RunFile, RunStatus } from '../../domain/run.ts';

/** A file that a run has divided; `fileIndex` is the place in the run's `files` of the file that it is, or that it is within. */
export interface DividedFile extends SplitFile {
  readonly fileIndex: number;
}

/** A part of a file of a run, and what has come of it. */
export interface RunPart extends Part {
  /** Of the unit that reads it; null for a part that nobody reads. */
  readonly unitStatus: RunStatus | null;
  /** Unless it is in the trash. */
  readonly documentId: string | null;
}

/** Who reads a part: an agent by a version of it. */
export interface PartReader {
  readonly agentId: string;
  readonly agentVersion: number;
}

/** A part that a run gets; `reader` is null for one that nobody reads. */
export interface PlacedPart {
  readonly fileIndex: number;
  readonly reader: PartReader | null;
}

/** The parts that a run has from now on. Those that it had are kept with what came of them; of the others the documents go to the trash, and the new ones are read. */
export interface Repartition {
  readonly parts: readonly (AskedPart & PlacedPart)[];
  /** What is in none of them, which makes the documents that stay doubtful; null for nothing. */
  readonly doubt: ReadingDoubt | null;
  /** The number of the parts that the client knows. */
  readonly revision: number;
  /** The id of the run that reads the new ones, and in whose name and how long. */
  readonly readingId: string;
  readonly userId: string;
  readonly deadlineSeconds: number;
  readonly deed: OwnDeed;
}

/** What a document was read from. */
export interface DocumentSource {
  /** Those of the run. */
  readonly files: readonly RunFile[];
  /** Which of them the document was read from. */
  readonly fileIndexes: readonly number[];
  /** Set if it was read from a part of one of them. */
  readonly part: Pages | null;
  /** What the part is; null of one that is no longer there. */
  readonly partName: string | null;
}

/** What a repository of runs knows of those that divide files. */
export interface PartsOfRuns {
  /** All or nothing. `stale`: the parts are others by now; `processed`: a document of a part that changes is written to its system of record, or may be. */
  repart(id: string, change: Repartition): Promise<'changed' | 'stale' | 'processed'>;
  /** Whether or not anybody sees the run, or the document. */
  findSource(documentId: string): Promise<DocumentSource | null>;
}
