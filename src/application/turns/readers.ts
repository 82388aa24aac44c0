import type { Message, SystemRef } from '../../domain/conversation.ts';
import type { ConnectionRepository, DatabaseRepository, Viewer } from '../ports/storage.ts';

/** Which connections and databases the user sees who reads a conversation. */
interface Reader {
  sees(system: SystemRef): Promise<boolean>;
}

/** Stands for a user who was removed. */
export const noReader: Reader = { sees: async () => false };

export type Readers = (viewer: Viewer) => Reader;

interface Dependencies {
  readonly connections: Pick<ConnectionRepository, 'findVisible'>;
  readonly databases: Pick<DatabaseRepository, 'findVisible'>;
}

/** Each connection and database is looked up once for each reader. */
export const readers =
  ({ connections, databases }: Dependencies): Readers =>
  (viewer) => {
    const known = new Map<string, Promise<boolean>>();
    const look = async ({ kind, id }: SystemRef) =>
      (await { connection: connections, database: databases }[kind].findVisible(viewer, id)) !== null;
    return {
      sees(system) {
        const key = `${system.kind} ${system.id}`;
        const isSeen = known.get(key) ?? look(system);
        known.set(key, isSeen);
        return isSeen;
      },
    };
  };

export const WITHHELD = '[withheld: it came from a connection or database that you do not see]';

/** Withholds the results of tools whose connection or database the reader does not see. */
export const withholding =
  (reader: Reader) =>
  async <M extends Message>(message: M): Promise<M> => {
    const system = message.role === 'tool' ? (message.provenance?.system ?? null) : null;
    return system === null || (await reader.sees(system)) ? message : { ...message, content: WITHHELD };
  };
