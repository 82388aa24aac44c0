import { expect } from 'chai';
import type { Connection } from '../../../src/domain/connection.ts';
import { blackHole, closeNetworks } from './network.ts';
import { never, type Suite } from './suite.ts';

export const examinationContract = ({ harness, open, numbered }: Suite) => {
  const names = ['name', 'tcp', 'tls', 'login', 'permissions', 'sample read', 'read only'];
  const examined = async (connection: Connection, settings = {}) => {
    const hops = await open(settings).open(connection).examine(never);
    expect(hops.map(({ name }) => name)).to.deep.equal(names);
    const { password } = new URL(connection.sealedUrl);
    for (const { detail } of hops) {
      expect(detail).to.match(/\.$/);
      if (password) expect(detail).not.to.include(password);
    }
    return Object.fromEntries(hops.map(({ name, status, detail }) => [name, { status, detail }]));
  };
  /** The steps after the one that failed are not tried. */
  const failsAt = async (step: string, connection: Connection, settings = {}) => {
    const hops = await examined(connection, settings);
    expect(hops[step]?.status, JSON.stringify(hops)).to.equal('fail');
    const later = names.slice(names.indexOf(step) + 1).map((name) => hops[name]?.status);
    expect(new Set(later)).to.deep.equal(new Set(later.length > 0 ? ['skipped'] : []));
    for (const name of names.slice(0, names.indexOf(step))) expect(hops[name]?.status).to.be.oneOf(['ok', 'skipped']);
  };

  before(() => numbered(1));
  afterEach(closeNetworks);

  it('goes well to the end with a login that only reads', async () => {
    const hops = await examined(harness().reader);
    for (const name of ['tcp', 'login', 'permissions', 'sample read', 'read only'])
      expect(hops[name]?.status, name).to.equal('ok');
  });

  it('warns of a login that could write', async () => {
    const hops = await examined(harness().connection);
    expect(hops['sample read']?.status).to.equal('ok');
    expect(hops['read only'])
      .to.include({ status: 'warn' })
      .and.to.have.property('detail')
      .match(/no agent writes through it\. Unless programs do so by the API, one that may only read is safer\./);
  });

  it('finds nothing wrong with it where something writes, unless it may do more than that takes', async () => {
    const hops = await open().open(harness().connection).examine(never, true);
    const { status, detail = '' } = hops.find(({ name }) => name === 'read only') ?? {};
    expect(detail).to.match(
      status === 'ok' ? /may write \d+ tables?.*an agent writes/ : /is a (?:superuser|member of sysadmin)/,
    );
  });

  it('stops at a name without an address', () => failsAt('name', harness().unnamed));
  it('stops where nothing listens', () => failsAt('tcp', harness().unreachable));
  it('stops at a login that is refused', () => failsAt('login', harness().wrongPassword));
  it('stops at a login that may read nothing', () => failsAt('permissions', harness().blind));

  it('stops in time where nobody says a word', async () => {
    const silent = await blackHole();
    const hops = await examined(harness().via(silent.port), { timeoutSeconds: 1 });
    expect(hops.tcp?.status).to.equal('ok');
    expect(hops['read only']?.status).to.equal('skipped');
    expect(Object.values(hops).filter(({ status }) => status === 'fail')).to.have.length(1);
  });
};
