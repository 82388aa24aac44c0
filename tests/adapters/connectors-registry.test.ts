import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { mustBeInstalled } from '../../src/adapters/connectors/driver-version.ts';
import { registry } from '../../src/adapters/connectors/registry.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { connectionTypes, systemTypes } from '../../src/domain/connection.ts';
import { never, refusal } from '../contracts/connector/suite.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from './connectors-postgresql-harness.ts';

const settings = { sealer, log: quiet, timeoutSeconds: 1, poolSize: 2 };
const slots = { take: () => Promise.reject(new Error('No session was expected.')) };

describe('connectors by type', () => {
  it('do not start with another version of a driver than the one that they reach into', () => {
    for (const { reachesInto } of Object.values(registry)) {
      if (!reachesInto) continue;
      mustBeInstalled(reachesInto);
      expect(() => mustBeInstalled({ ...reachesInto, version: '0.0.1' })).to.throw(
        new RegExp(
          `^${reachesInto.driver} ${reachesInto.version} is installed, and ${reachesInto.by} works with 0.0.1`,
        ),
      );
    }
  });

  for (const type of connectionTypes) {
    const connection = { ...aConnection('nonsense://user:secret@host/database'), type };

    it(`${type} has a writer exactly if its type takes writes, before its driver is loaded and after`, async () => {
      const { writes } = systemTypes[type];
      const all = connectors(settings);
      const family = (await registry[type].load())(settings);
      for (const connector of [all.open(connection), family(connection, slots)]) {
        expect(connector.writer !== undefined).to.equal(writes);
        expect(connector.rehearsal !== undefined).to.equal(writes);
      }
      await Promise.all([all.close(), family.close()]);
    });

    it(`${type} finds what is wrong with an address, and repeats nothing of it`, () => {
      const defect = connectors(settings).addressDefect(type, connection.sealedUrl);
      expect(defect).to.match(/^must be an address/);
      expect(defect).to.not.match(/secret|nonsense/);
    });

    it(`${type} says that another key sealed its address`, async () => {
      const [before, now] = [1, 2].map((byte) => aesSealer(new Uint8Array(32).fill(byte)));
      const all = connectors({ ...settings, sealer: now ?? sealer });
      const sealedUrl = before?.seal(connection.sealedUrl) ?? '';
      const { kind, message } = await refusal(all.open({ ...connection, sealedUrl }).tables(never));
      expect([kind, message]).to.deep.equal([
        'unavailable',
        'The address of the connection "ledger" cannot be opened: it was sealed with another ENCRYPTION_KEY, or it was changed.',
      ]);
      await all.close();
    });

    it(`${type} is refused once the server stops, also if it was never used`, async () => {
      const all = connectors(settings);
      const connector = all.open(connection);
      await all.close();
      expect((await refusal(connector.tables(never))).kind).to.equal('unavailable');
    });
  }
});
