import type {
  ShownIntake,
  ShownSource,
  SourceRepository,
  SourceStates,
  SourceWakeups,
} from '../../../application/ports/sources.ts';
import type { Database } from '../connection/database.ts';
import type { Listener } from '../connection/listener.ts';
import * as sql from '../statements/source-statements.ts';

export const sourceWakeups = (listener: Listener): SourceWakeups => ({
  subscribe: (wake) => listener.listen(sql.CHANNEL, { message: wake, gap: () => wake(null) }),
});

export const sourceRepository = ({ query }: Pick<Database, 'query'>): SourceRepository => ({
  listVisible: ({ workspaceId, userId }) => query<ShownSource>(sql.listVisible, [workspaceId, userId]),

  async findVisible({ workspaceId, userId }, name) {
    return (await query<ShownSource>(sql.findVisible, [workspaceId, userId, name]))[0] ?? null;
  },

  intake: (sourceId, limit, after) => query<ShownIntake>(sql.intake, [sourceId, limit, after]),

  async check(sourceId) {
    await query(sql.check, [sourceId]);
  },

  async states() {
    return (await query<SourceStates>(sql.states, []))[0] ?? { well: 0, waiting: 0, failing: 0, lateSeconds: 0 };
  },

  all: () => query(sql.all, []),
});
