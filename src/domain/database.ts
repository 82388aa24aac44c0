import type { VisibleTo } from './access.ts';

/** A part of a connection that may be queried. Its id is that of the workspace file. */
export interface Database {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly connectionId: string;
  /** null: every schema but the system's own. */
  readonly schemas: readonly string[] | null;
  /** Unset in the file, it is that of its connection when the file is applied. */
  readonly visibleTo: VisibleTo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
