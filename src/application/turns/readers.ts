import type { Message, SystemRef } from '../../domain/conversation.ts';
import type { ConnectionRepository, DatabaseRepository, Viewer } from '../ports/storage.ts';

/** A user who reads a conversation, and which connections and databases they see. */
interface Reader {
  readonly userId: string | null;
  sees(system: SystemRef): Promise<boolean>;
}

/** Stands for a user who was removed. */
export const noReader: Reader = { userId: null, sees: async () => false };

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
      userId: viewer.userId,
      sees(system) {
        const key = `${system.kind} ${system.id}`;
        const isSeen = known.get(key) ?? look(system);
        known.set(key, isSeen);
        return isSeen;
      },
    };
  };

export const WITHHELD = '[withheld: it came from a connection or database that you do not see]';

/**
 * Takes messages in stored order, and withholds the results of tools whose connection or database the reader does not see.
 * Of results from before that was stored, one reads those of one's own turns, and those of web searches.
 */
export const withholding = (reader: Reader) => {
  let author: string | null = null;
  const searches = new Set<string | null>();
  const mayRead = async ({ provenance, toolCallId }: Message): Promise<boolean> => {
    if (provenance === null) return (author !== null && author === reader.userId) || searches.has(toolCallId);
    return provenance.system === null || reader.sees(provenance.system);
  };
  return async <M extends Message>(message: M): Promise<M> => {
    if (message.role === 'user' && message.provenance?.own !== true) author = message.authorId;
    for (const { id, name } of message.toolCalls) if (name === 'search_web') searches.add(id);
    return message.role !== 'tool' || (await mayRead(message)) ? message : { ...message, content: WITHHELD };
  };
};
