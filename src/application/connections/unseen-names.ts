import type { VisibleTo } from '../../domain/access.ts';
import type { Connection } from '../../domain/connection.ts';
import { objectsIn, withoutNames } from '../../domain/hidden-names.ts';

/** What a system says, in words for its readers. */
export type Words = (text: string) => string;

type Seen = Pick<Connection, 'name' | 'visibleTo'>;

export const isSeenBy = ({ visibleTo }: Seen, userId: string): boolean =>
  visibleTo === null || visibleTo.includes(userId);

/** Whether everybody who sees what this is of, such as an agent, sees the connection, too. */
export const isSeenByAll = (connection: Seen, { visibleTo }: { readonly visibleTo: VisibleTo }): boolean =>
  connection.visibleTo === null || (visibleTo?.every((userId) => isSeenBy(connection, userId)) ?? false);

/** Hides the name of the connection, and the names of tables, from readers who do not see the connection. */
export const wordsFor =
  (isSeen: boolean, { name }: Seen, entity: string): Words =>
  (text) =>
    isSeen ? text : withoutNames(text, [name, entity, entity.slice(entity.lastIndexOf('.') + 1), ...objectsIn(text)]);
