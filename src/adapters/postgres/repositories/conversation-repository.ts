import type { ConversationRepository, ShownMessage } from '../../../application/ports/storage.ts';
import type { Conversation } from '../../../domain/conversation.ts';
import { omit } from '../../../domain/omit.ts';
import type { Database } from '../connection/database.ts';
import { findById, isId } from '../connection/ids.ts';
import * as sql from '../statements/conversation-statements.ts';

type Placed = ShownMessage & { readonly seq: number; readonly last: number };

const messageOf = (message: Placed): ShownMessage => omit(message, 'seq', 'last');

export const conversationRepository = (database: Pick<Database, 'read' | 'query'>): ConversationRepository => ({
  findVisible: ({ workspaceId, userId }, id) =>
    findById<Conversation>(database, sql.findVisible, [workspaceId, userId, id]),

  // A conversation may be long: its pages use connections of their own, so that they delay no short read.
  async *messages(id) {
    if (!isId(id)) return;
    let page = await database.query<Placed>(sql.firstPage, [id]);
    for (;;) {
      if (page.length > 0) yield page.map(messageOf);
      const end = page.at(-1);
      if (page.length < sql.PAGE || !end || end.seq >= end.last) return;
      page = await database.query<Placed>(sql.nextPage, [id, end.seq, end.last]);
    }
  },

  async begunCalls(id) {
    const [row] = isId(id) ? await database.query<{ begun: readonly string[] }>(sql.begunCalls, [id]) : [];
    return new Set(row?.begun);
  },
});
