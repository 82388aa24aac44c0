import type { ConversationRepository, ShownMessage } from '../../application/ports/storage.ts';
import type { Conversation } from '../../domain/conversation.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { ConversationTable } from './entities.ts';
import { findById, isId } from './ids.ts';
import { messageColumns } from './messages.ts';
import { conversationStates } from './states.ts';
import { visible } from './visibility.ts';

const findVisible = prepared('conversations_find_visible')`
select ${columnsOf(ConversationTable, 'c', ['status'])},
  case when c.lease_expires_at <= now() then ${conversationStates.after('end')} else c.status end as status
from conversations c join agents a on a.id = c.agent_id where ${visible('a')} and c.workspace_id = $1 and c.id = $3`;

const shownColumns = `m.seq, ${messageColumns}, case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as author`;
const shownMessages = `messages m left join users u on u.id = m.author_id`;

/** Few enough to fit into memory together, however long each message is. */
const PAGE = 50;

/** Each page carries the number of the last message at the start: messages that are added meanwhile are left out. */
const firstPage = prepared('conversations_first_messages')`
select (select max(seq) from messages where conversation_id = $1) as last, ${shownColumns}
from ${shownMessages} where m.conversation_id = $1 order by m.seq limit ${PAGE}`;

const nextPage = prepared('conversations_next_messages')`
select $3::bigint as last, ${shownColumns}
from ${shownMessages} where m.conversation_id = $1 and m.seq > $2 and m.seq <= $3 order by m.seq limit ${PAGE}`;

const begunCalls = prepared('conversations_begun_calls')`select begun from conversations where id = $1`;

type Placed = ShownMessage & { readonly seq: number; readonly last: number };

const messageOf = ({ seq: _, last: __, ...message }: Placed): ShownMessage => message;

export const conversationRepository = (database: Pick<Database, 'read' | 'query'>): ConversationRepository => ({
  findVisible: ({ workspaceId, userId }, id) =>
    findById(database, findVisible, [workspaceId, userId, id], (found: Conversation) => found),

  // A conversation may be long: its pages use connections of their own, so that they delay no short read.
  async *messages(id) {
    if (!isId(id)) return;
    let page = await database.query<Placed>(firstPage, [id]);
    for (;;) {
      if (page.length > 0) yield page.map(messageOf);
      const end = page.at(-1);
      if (page.length < PAGE || !end || end.seq >= end.last) return;
      page = await database.query<Placed>(nextPage, [id, end.seq, end.last]);
    }
  },

  async begunCalls(id) {
    const [found] = isId(id) ? await database.query<{ begun: readonly string[] }>(begunCalls, [id]) : [];
    return new Set(found?.begun);
  },
});
