import { keyedRequests } from '../../src/adapters/postgres/repositories/keyed-requests.ts';
import { keyedRequestsContract } from '../contracts/keyed-requests.ts';
import { keyedRequestsHere } from '../support/keyed-requests.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('requests with an Idempotency-Key in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    keyedRequestsContract(() => ({
      requests: keyedRequests(postgres.database),
      pass: async (seconds) =>
        void (await postgres.database.pool.query(
          `update idempotent_requests set created_at = created_at - $1 * interval '1 second', lease_expires_at = lease_expires_at - $1 * interval '1 second'`,
          [seconds],
        )),
    }));
  });
});

describe('requests with an Idempotency-Key in a process of a test', () => {
  const requests = keyedRequestsHere();
  keyedRequestsContract(() => ({ requests, pass: requests.pass }));
});
