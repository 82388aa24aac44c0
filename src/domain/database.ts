import type { VisibleTo } from './access.ts';

/** A part of a connection that may be queried. Its id is the workspace file's word for it. */
export interface Database {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly connectionId: string;
  /** null: every schema but the system's own. */
  readonly schemas: readonly string[] | null;
  /** undefined in the file means that of its connection, and is resolved when the file is applied. */
  readonly visibleTo: VisibleTo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
