import type { VisibleTo } from './access.ts';

export const connectionTypes = ['postgresql', 'sqlserver'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** A connected system. Its address and credentials are sealed; they are opened only to connect. */
export interface Connection {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly type: ConnectionType;
  readonly sealedUrl: string;
  readonly visibleTo: VisibleTo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Offered only if they can work. */
export const writableTypes: readonly ConnectionType[] = ['sqlserver'];
