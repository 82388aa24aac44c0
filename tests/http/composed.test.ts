import { expect } from 'chai';
import { operations } from '../../src/adapters/http/operations.ts';
import { composed } from '../support/composed.ts';
import { conformance } from './conformance.ts';
import { limitsConformance } from './conformance-limits.ts';

/** Writing records takes a SQL Server: the connector's contract has it. */
const served = operations.filter(({ id }) => id !== 'updateRecord' && id !== 'insertRecord');

conformance('the composed server', (limits) => composed(limits), served);
limitsConformance('the composed server', (limits) => composed(limits), served);

describe('the limit of table reads', () => {
  it('is a user’s, whatever their credentials', async () => {
    const server = await composed({ tableReads: 3 });
    try {
      const read = async (key: string) => {
        const answer = await fetch(`${server.baseUrl}/api/v1/tables/books.public.entries`, { headers: { 'x-api-key': key } });
        await answer.body?.cancel();
        return [answer.status, answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')];
      };
      const [one, two, neighbour] = [await server.key(), await server.key(), await server.key({ role: 'member' })];
      expect([await read(one), await read(two), await read(one), await read(two), await read(one)]).to.deep.equal([
        [200, '3', '2'],
        [200, '3', '1'],
        [200, '3', '0'],
        [429, '3', '0'],
        [429, '3', '0'],
      ]);
      expect(await read(neighbour)).to.deep.equal([200, '3', '2']);
    } finally {
      await server.stop();
    }
  });
});
