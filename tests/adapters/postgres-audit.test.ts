import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { auditLog } from '../../src/adapters/postgres/repositories/audit-log.ts';
import { actValues, recordAct } from '../../src/adapters/postgres/statements/audit-statements.ts';
import { auditService } from '../../src/application/audit/audit.ts';
import type { AuditFilter, AuditWindow } from '../../src/application/ports/audit.ts';
import { type Act, actionsMatching, operator, system } from '../../src/domain/audit.ts';
import { aKey, anId, aWorkspace, type Cast } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const anything: AuditFilter = { actor: null, actions: null, subjectId: null, from: null, to: null };

describe('the audit log in PostgreSQL', () => {
  const postgres = usePostgres();
  let cast: Cast;
  const audit = () => auditLog(postgres.database);
  const service = () => auditService({ audit: audit(), documents: { names: async () => ({}) }, sha256 });
  const run = (text: string, values: unknown[] = []) => postgres.database.pool.query(text, values);

  beforeEach(async () => {
    cast = await aWorkspace(postgres.database);
  });

  const anAct = (over: Partial<Act> = {}): Act => ({
    workspaceId: cast.user.workspaceId,
    actor: { type: 'user', id: cast.user.id, name: null },
    via: { kind: 'api_key', id: anId(), address: '192.0.2.7' },
    action: 'agent.published',
    subject: { type: 'agent', id: cast.agent.id, name: null },
    details: { version: 2 },
    ...over,
  });
  const write = async (acts: readonly Act[]) => {
    for (const act of acts) await audit().record(act);
    await audit().chain(cast.user.workspaceId);
  };
  const several = (count: number) =>
    write(Array.from({ length: count }, (_, version) => anAct({ details: { version } })));
  const all = (filter: Partial<AuditFilter> = {}, window: Partial<AuditWindow> = {}) =>
    audit().list(
      cast.user.workspaceId,
      { ...anything, ...filter },
      { after: null, limit: 10_000, order: 'oldest', ...window },
    );
  const fault = async () => (await service().verify(cast.user.workspaceId)).fault;

  it('has each act with the names of who did it and of what it was done to', async () => {
    await write([anAct()]);
    const [entry] = await all();
    expect(entry).to.deep.include({
      sequence: 1,
      actor: { type: 'user', id: cast.user.id, name: 'Ada' },
      subject: { type: 'agent', id: cast.agent.id, name: cast.agent.name },
      action: 'agent.published',
      details: { version: 2 },
      previous: '0'.repeat(64),
    });
    expect(entry?.via.address).to.equal('192.0.2.7');
  });

  it('finds the workspace of what an operator does something to', async () => {
    const key = aKey({ userId: cast.user.id });
    await run('insert into api_keys (id, user_id, name, prefix, hash) values ($1, $2, $3, $4, $5)', [
      key.id,
      key.userId,
      key.name,
      key.prefix,
      key.hash,
    ]);
    const subject = { type: 'key' as const, id: key.id, name: null };
    await write([anAct({ ...operator, workspaceId: null, action: 'key.revoked', subject })]);
    const [entry] = await all();
    expect(entry?.subject).to.deep.equal({ ...subject, name: 'Laptop' });
    expect(entry?.actor).to.deep.equal({ type: 'operator', id: null, name: 'operator' });
  });

  it('loses an act with its transaction, and keeps it with it', async () => {
    const { database } = postgres;
    const acting = (ending: () => void) =>
      database.atomically(async (run) => {
        await run(recordAct, actValues(anAct()));
        ending();
      });
    const failure = new Error('it did not happen');
    await acting(() => {
      throw failure;
    }).catch((error) => expect(error).to.equal(failure));
    await acting(() => {});
    await audit().chain(cast.user.workspaceId);
    expect((await all()).map(({ sequence }) => sequence)).to.deep.equal([1]);
  });

  it('has no gap and nothing twice where eight write at once and others chain meanwhile', async () => {
    const { workspaceId } = cast.user;
    const writer = async (id: number) => {
      for (let version = 0; version < 50; version += 1) await audit().record(anAct({ details: { id, version } }));
    };
    const writers = Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
    let isOver = false;
    const chainer = async () => {
      while (!isOver) await audit().chain(workspaceId);
    };
    const chainers = Promise.all([chainer(), chainer(), chainer()]);
    await writers;
    isOver = true;
    await chainers;
    await audit().chain(workspaceId);
    const entries = await all();
    expect(entries.map(({ sequence }) => sequence)).to.deep.equal(Array.from({ length: 400 }, (_, index) => index + 1));
    expect(new Set(entries.map(({ details }) => `${details.id} ${details.version}`)).size).to.equal(400);
    for (let id = 0; id < 8; id += 1) {
      const own = entries.filter(({ details }) => details.id === id).map(({ details }) => details.version);
      expect(own, 'in the order in which they were written').to.deep.equal(
        own.toSorted((a, b) => Number(a) - Number(b)),
      );
    }
    expect(await fault()).to.equal(null);
  });

  it('chains what each workspace has done apart from the others', async () => {
    const { user } = await aWorkspace(postgres.database);
    await audit().record(anAct());
    await audit().record({ ...anAct(), workspaceId: user.workspaceId });
    expect(await audit().chainAll()).to.be.at.least(2);
    for (const workspaceId of [cast.user.workspaceId, user.workspaceId])
      expect(
        (await audit().list(workspaceId, anything, { after: null, limit: 9, order: 'newest' })).map(
          ({ sequence }) => sequence,
        ),
      ).to.deep.equal([1]);
  });

  it('holds an act until it is known what came of it, or that nobody will say', async () => {
    const held = await audit().hold(anAct({ action: 'record.inserted', details: { outcome: 'unknown' } }));
    const refused = await audit().hold(anAct());
    await audit().hold(anAct({ details: { lost: true } }));
    await audit().chain(cast.user.workspaceId);
    expect(await all()).to.deep.equal([]);
    await audit().settle(held, { outcome: 'written' });
    await audit().drop(refused);
    await audit().chain(cast.user.workspaceId);
    expect((await all()).map(({ details }) => details)).to.deep.equal([{ outcome: 'written' }]);
    await run(`update audit_acts set held_until = now() - interval '1 second'`);
    await audit().chainAll();
    expect((await all()).map(({ details }) => details)).to.deep.equal([{ outcome: 'written' }, { lost: true }]);
  });

  it('tells the log of events every thousand entries, and once a day', async () => {
    const { workspaceId } = cast.user;
    const checkpoints = async () => {
      const { rows } = await run(
        `select (data->>'sequence')::int as sequence, data->>'hash' as hash from events where workspace_id = $1 order by sequence`,
        [workspaceId],
      );
      return rows as { sequence: number; hash: string }[];
    };
    await run(
      `insert into audit_acts (workspace_id, action, actor_type, via_kind, subject_type, subject_id, details)
       select $1, 'agent.published', 'system', 'system', 'agent', $2, '{}' from generate_series(1, 2500)`,
      [workspaceId, cast.agent.id],
    );
    await audit().chainAll();
    const entries = await all();
    const at = (sequence: number) => ({ sequence, hash: entries[sequence - 1]?.hash });
    expect(await checkpoints()).to.deep.equal([at(1000), at(2000)]);
    await audit().chainAll();
    expect(await checkpoints(), 'not before a day has passed').to.have.length(2);
    await run(`update audit_heads set checkpoint_at = now() - interval '25 hours' where workspace_id = $1`, [
      workspaceId,
    ]);
    await audit().chainAll();
    await audit().chainAll();
    expect(await checkpoints()).to.deep.equal([at(1000), at(2000), at(2500)]);
    expect(await audit().state(workspaceId)).to.deep.equal({ head: at(2500), last: 2500, checkpoint: at(2500) });
  });

  it('is listed by actor, action, subject and time, each with the others', async () => {
    const subject = { type: 'user' as const, id: cast.user.id, name: null };
    await write([
      anAct(),
      anAct({ action: 'user.created', subject }),
      anAct({ ...system, action: 'user.changed', subject }),
      anAct({ action: 'user.changed', subject }),
    ]);
    const sequences = async (filter: Partial<AuditFilter>, window: Partial<AuditWindow> = {}) =>
      (await all(filter, window)).map(({ sequence }) => sequence);
    const newest = (window: Partial<AuditWindow> = {}) => ({ order: 'newest', ...window }) as const;
    const users = actionsMatching('user.*');
    expect(await sequences({ actor: cast.user.email.toUpperCase() })).to.deep.equal([1, 2, 4]);
    expect(await sequences({ actor: 'nobody@example.com' })).to.deep.equal([]);
    expect(await sequences({ actions: users })).to.deep.equal([2, 3, 4]);
    expect(await sequences({ actions: users }, { after: 2, limit: 1 })).to.deep.equal([3]);
    expect(await sequences({ actions: ['user.changed'] })).to.deep.equal([3, 4]);
    expect(await sequences({ subjectId: cast.agent.id })).to.deep.equal([1]);
    expect(
      await sequences({ actor: cast.user.email, actions: ['user.changed'], subjectId: cast.user.id }),
    ).to.deep.equal([4]);
    const times = (await all()).map(({ at }) => at);
    expect(await sequences({ from: times[1] ?? null, to: times[1] ?? null }), 'inclusive').to.include(2);
    expect(await sequences({ from: new Date(Date.now() + 60_000) })).to.deep.equal([]);
    expect(await sequences({ to: new Date(Date.now() - 60_000) })).to.deep.equal([]);
    expect(await sequences({ from: new Date(Date.now() - 60_000), to: new Date() })).to.deep.equal([1, 2, 3, 4]);
    expect(await sequences({}, newest())).to.deep.equal([4, 3, 2, 1]);
    expect(await sequences({}, newest({ after: 4, limit: 2 })), 'those before').to.deep.equal([3, 2]);
    expect(await sequences({ actor: cast.user.email }, newest({ after: 4 }))).to.deep.equal([2, 1]);
    expect(await sequences({ actions: users }, newest({ limit: 2 }))).to.deep.equal([4, 3]);
    expect(await sequences({ subjectId: cast.user.id }, newest({ after: 3 }))).to.deep.equal([2]);
    expect(await sequences({ to: new Date() }, newest({ limit: 1 }))).to.deep.equal([4]);
    expect(await sequences({ to: new Date(Date.now() - 60_000) }, newest())).to.deep.equal([]);
  });

  it('finds a time wherever it lies, also among acts that were written a while before they were chained', async () => {
    await several(6);
    const set = (sequence: number, at: string) =>
      run('update audit_entries set at = $3 where workspace_id = $1 and sequence = $2', [
        cast.user.workspaceId,
        sequence,
        at,
      ]);
    for (const [index, at] of ['10:00', '12:00', '11:50', '12:10', '15:00', '14:50'].entries())
      await set(index + 1, `2026-01-01T${at}:00Z`);
    const between = async (from: string, to: string) =>
      (await all({ from: new Date(`2026-01-01T${from}:00Z`), to: new Date(`2026-01-01T${to}:00Z`) })).map(
        ({ sequence }) => sequence,
      );
    expect(await between('11:50', '12:05')).to.deep.equal([2, 3]);
    expect(await between('12:00', '14:55')).to.deep.equal([2, 4, 6]);
    expect(await between('00:00', '23:00')).to.deep.equal([1, 2, 3, 4, 5, 6]);
    const [from, to] = [new Date('2026-01-01T12:00:00Z'), new Date('2026-01-01T14:55:00Z')];
    expect((await all({ from, to }, { order: 'newest', after: 6 })).map(({ sequence }) => sequence)).to.deep.equal([
      4, 2,
    ]);
  });

  describe('behind the back of the server', () => {
    const tamper = (text: string) => run(text.replaceAll('$1', `'${cast.user.workspaceId}'`));
    const own = 'workspace_id = $1';
    beforeEach(() => several(9));

    it('an entry that was changed is named', async () => {
      expect(await fault()).to.equal(null);
      await tamper(`update audit_entries set actor_name = 'Eve' where ${own} and sequence = 4`);
      expect(await fault()).to.deep.equal({ what: 'changed', sequence: 4 });
    });

    it('an entry whose time was changed by a millisecond is named', async () => {
      await tamper(`update audit_entries set at = at + interval '1 millisecond' where ${own} and sequence = 1`);
      expect(await fault()).to.deep.equal({ what: 'changed', sequence: 1 });
    });

    it('an entry that was deleted is named, whether the others were numbered anew or not', async () => {
      await tamper(`delete from audit_entries where ${own} and sequence = 5`);
      expect(await fault()).to.deep.equal({ what: 'left_out', sequence: 5 });
      await tamper(`update audit_entries set sequence = -sequence where ${own} and sequence > 5`);
      await tamper(`update audit_entries set sequence = -sequence - 1 where ${own} and sequence < 0`);
      await tamper(`update audit_heads set sequence = sequence - 1 where ${own}`);
      expect(await fault()).to.deep.equal({ what: 'left_out', sequence: 5 });
    });

    const insert = (sequence: number, hash: string) =>
      tamper(`insert into audit_entries select workspace_id, ${sequence}, at, 'key.revoked', actor_type, actor_id, actor_name, via_kind, via_id, via_address,
        subject_type, subject_id, subject_name, details, previous, ${hash} from audit_entries where ${own} and sequence = 4`);

    it('an entry that was inserted is named, at the end and in the middle', async () => {
      await insert(10, `repeat('a', 64)`);
      expect(await fault()).to.deep.equal({ what: 'put_in', sequence: 10 });
      await tamper(`delete from audit_entries where ${own} and sequence = 10`);
      await tamper(`update audit_entries set sequence = -sequence where ${own} and sequence > 3`);
      await tamper(`update audit_entries set sequence = -sequence + 1 where ${own} and sequence < 0`);
      await tamper(`update audit_heads set sequence = sequence + 1 where ${own}`);
      await tamper(`update audit_entries set sequence = -4 where ${own} and sequence = 5`);
      await tamper(`insert into audit_entries select workspace_id, 4, at, 'key.revoked', actor_type, actor_id, actor_name, via_kind, via_id, via_address,
        subject_type, subject_id, subject_name, details, previous, hash from audit_entries where ${own} and sequence = -4`);
      await tamper(`update audit_entries set sequence = 5 where ${own} and sequence = -4`);
      expect(await fault()).to.deep.equal({ what: 'put_in', sequence: 4 });
    });

    it('entries that were swapped are named', async () => {
      await tamper(`update audit_entries set sequence = -sequence where ${own} and sequence in (3, 7)`);
      await tamper(`update audit_entries set sequence = 10 + sequence where ${own} and sequence < 0`);
      expect(await fault()).to.deep.equal({ what: 'moved', sequence: 3 });
    });

    it('a tail that was cut is named by the stored end, and by the log of events if that was cut as well', async () => {
      await tamper(`update audit_heads set checkpoint_at = now() - interval '25 hours' where ${own}`);
      await audit().chainAll();
      await tamper(`delete from audit_entries where ${own} and sequence > 6`);
      expect(await fault()).to.deep.equal({ what: 'left_out', sequence: 7 });
      await tamper(
        `update audit_heads h set sequence = 6, hash = (select e.hash from audit_entries e where e.${own} and e.sequence = 6) where h.${own}`,
      );
      expect(await fault()).to.deep.equal({ what: 'left_out', sequence: 7 });
      await several(5);
      expect(await fault(), 'also when others have followed').to.deep.equal({ what: 'changed', sequence: 9 });
    });

    it('a chain of which nothing is left is named', async () => {
      await tamper(`delete from audit_entries where ${own}`);
      expect(await fault()).to.deep.equal({ what: 'left_out', sequence: 1 });
    });
  });
});
