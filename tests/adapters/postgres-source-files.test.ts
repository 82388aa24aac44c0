import { expect } from 'chai';
import { sourceFileRepository } from '../../src/adapters/postgres/repositories/source-file-repository.ts';
import { anId } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('what was read of files, in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    it('is what was read first, by whichever of several processes', async () => {
      const sources = sourceFileRepository(postgres.database);
      const key = `uploads/w/a/${anId()}`;
      expect(await sources.find(key)).to.equal(null);
      const digests = Array.from({ length: 8 }, (_, index) => `digest-${index}`);
      const remembered = await Promise.all(digests.map((sha256) => sources.remember(key, { sha256, version: sha256 })));
      expect(remembered.filter((isFirst) => isFirst)).to.have.length(1);
      const first = digests[remembered.indexOf(true)] ?? '';
      expect(await sources.find(key)).to.deep.equal({ sha256: first, version: first });
    });

    it('has the version at which it was last the same', async () => {
      const sources = sourceFileRepository(postgres.database);
      const key = `uploads/w/a/${anId()}`;
      expect(await sources.remember(key, { sha256: 'a', version: '1' })).to.equal(true);
      expect(await sources.remember(key, { sha256: 'a', version: '2' })).to.equal(true);
      expect(await sources.remember(key, { sha256: 'b', version: '3' })).to.equal(false);
      expect(await sources.find(key)).to.deep.equal({ sha256: 'a', version: '2' });
    });
  });
});
