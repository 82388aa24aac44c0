import type { Reviewer } from '../../domain/review.ts';

/** A document that nobody deletes. */
export interface HeldDocument {
  readonly id: string;
  readonly workspace: string;
  readonly name: string;
  readonly reason: string;
  readonly by: Pick<Reviewer, 'name' | 'email'>;
  readonly at: Date;
}

export interface HoldRepository {
  /** Of every workspace, those that are held for the shortest time first. */
  list(limit: number): Promise<readonly HeldDocument[]>;
}
