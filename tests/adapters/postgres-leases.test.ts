import { expect } from 'chai';
import { openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { conversationTurns } from '../../src/adapters/postgres/repositories/conversation-turns.ts';
import { keyedRequests } from '../../src/adapters/postgres/repositories/keyed-requests.ts';
import { postingQueue } from '../../src/adapters/postgres/repositories/posting-queue.ts';
import { runQueue } from '../../src/adapters/postgres/repositories/run-queue.ts';
import { sourceQueue } from '../../src/adapters/postgres/repositories/source-queue.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';

const id = '01a21a16-aa90-71f0-9c80-512f00000001';

describe('leases', () => {
  const postgres = usePostgres();

  it('are renewed while requests have every connection of the pool', async () => {
    const terms = { poolSize: 1, connectTimeoutSeconds: 1, log: quiet };
    const database = await openDatabase({ url: postgres.url, ...terms });
    const held = await database.pool.connect();
    const renewals: Readonly<Record<string, () => Promise<ReadonlySet<string>>>> = {
      runs: () => runQueue(database).renew([{ runId: id, attempt: 1 }], 30),
      conversations: () => conversationTurns(database).renew([{ conversationId: id, fence: 1 }], 30),
      sources: () => sourceQueue(database).renew([{ id, fence: 1 }], 30),
      deliveries: () => postingQueue(database).renewDeliveries([{ id, fence: 1 }], 30),
      'requests with a key': () => keyedRequests(database).renew([id], 30),
    };
    try {
      for (const [what, renew] of Object.entries(renewals))
        expect(await renew().catch(String), what).to.deep.equal(new Set());
    } finally {
      held.release();
      await database.close();
    }
  });
});
