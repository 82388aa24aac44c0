import type { VisibleTo } from './access.ts';

/** Every type of connected system: what people call it, and whether records can be written. The adapter's registry has how it is reached. */
export const systemTypes = {
  mysql: { label: 'MySQL, MariaDB', writes: true },
  postgresql: { label: 'PostgreSQL', writes: true },
  sqlserver: { label: 'SQL Server', writes: true },
} as const;

export type ConnectionType = keyof typeof systemTypes;

export const connectionTypes = Object.keys(systemTypes) as readonly string[] as readonly [
  ConnectionType,
  ...ConnectionType[],
];

/** Tools that write are offered only where they can work. */
export const writableTypes = connectionTypes.filter((type) => systemTypes[type].writes);

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
