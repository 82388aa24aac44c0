import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type {
  Connectors,
  DeliveryResult,
  RehearsedDelivery,
  RowDelivery,
} from '../../src/application/ports/connectors.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { eventually } from '../support/until.ts';
import { refusal } from './connector/suite.ts';

/** What a column holds, whatever the system calls it: `exact` is a decimal of 38 digits, 10 of them behind the point; `amount` one of 5 and 2. */
export type Kind = 'id' | 'text' | 'short' | 'integer' | 'exact' | 'amount' | 'date' | 'boolean';

export interface ColumnSpec {
  readonly kind: Kind;
  readonly required?: boolean;
  readonly unique?: boolean;
  /** Another column: no two rows have the same values in both. */
  readonly uniqueWith?: string;
  /** Only values above zero. */
  readonly positive?: boolean;
  /** `entity` whose unique column `key` must have the value. */
  readonly references?: string;
}

/** A real system that the contract may arrange things in. Strings in `rows` are what the system shows of a value as text. */
export interface SystemOfRecordHarness {
  /** Waits longer than a test may take. */
  readonly systems: Pick<Connectors, 'open'>;
  /** Waits a second at most. */
  readonly impatient: Pick<Connectors, 'open'>;
  readonly connection: Connection;
  /** Nothing listens there. */
  readonly unreachable: Connection;
  readonly wrongPassword: Connection;
  /** A login that may look at every table and write none. */
  readonly reader: Connection;
  /** The longest name of a table or column, in bytes of UTF-8. */
  readonly longestName: number;
  /** Whether a name is one that the system takes, where more than its length decides. */
  allows?(name: string): boolean;
  /** What a name is compared by, where the system takes different ones for the same. */
  folded?: ((name: string) => string) | undefined;
  createTable(columns: Readonly<Record<string, ColumnSpec>>, name?: string): Promise<string>;
  rows(entity: string): Promise<readonly Readonly<Record<string, string | null>>[]>;
  /** Lets rows be looked for in the table but not be inserted, until it is released. */
  block(entity: string): Promise<() => Promise<void>>;
  /** Sessions of deliveries that wait for a lock. */
  waiting(): Promise<number>;
  /** Sessions of deliveries that have a transaction open. */
  inTransaction(): Promise<number>;
  /** Ends the sessions of deliveries on the server. */
  terminate(): Promise<void>;
}

const never = new AbortController().signal;

export const aDelivery = (entity: string, values: Readonly<Record<string, JsonValue>> = {}): RowDelivery => ({
  entity,
  documentIdColumn: 'document_id',
  documentId: randomUUID(),
  values,
});

/** The deliveries of every Connector pass this. */
export const systemsOfRecordContract = (harness: () => SystemOfRecordHarness) => {
  const deliver = (row: RowDelivery, connection = harness().connection, signal = never): Promise<DeliveryResult> =>
    harness().systems.open(connection).deliver(row, signal);
  const rehearse = (row: RowDelivery, connection = harness().connection, signal = never): Promise<RehearsedDelivery> =>
    harness().systems.open(connection).rehearse(row, signal);
  const reasonFor = async (row: RowDelivery, connection = harness().connection): Promise<string> => {
    const result = await deliver(row, connection);
    if (result.outcome !== 'rejected') throw new Error('A rejection was expected.');
    return result.reason;
  };
  const table = (columns: Readonly<Record<string, ColumnSpec>>, name?: string) =>
    harness().createTable({ document_id: { kind: 'id' }, ...columns }, name);
  const allowed = (name: string) =>
    Buffer.byteLength(name) <= harness().longestName && (harness().allows?.(name) ?? true);
  const count = async (entity: string) => (await harness().rows(entity)).length;
  /** Ends the session of the work while it waits for the table: nothing is written. */
  const loseSession = async (entity: string, work: () => Promise<unknown>) => {
    const release = await harness().block(entity);
    const lost = refusal(work());
    await eventually(async () => (await harness().waiting()) === 1);
    await harness().terminate();
    expect((await lost).kind).to.equal('unavailable');
    await release();
    expect(await count(entity)).to.equal(0);
  };

  describe('a row that is taken', () => {
    it('is there with the values and the id of the document, and is named', async () => {
      const entity = await table({
        name: { kind: 'text' },
        total: { kind: 'amount' },
        paid: { kind: 'boolean' },
        due: { kind: 'date' },
      });
      const row = aDelivery(entity, { name: 'Ada', total: 12.5, paid: true, due: '2026-11-20' });
      expect(await deliver(row)).to.deep.equal({
        outcome: 'written',
        reference: `${entity} document_id=${row.documentId}`,
      });
      const [written] = await harness().rows(entity);
      expect(written).to.include({ document_id: row.documentId, name: 'Ada', total: '12.50', due: '2026-11-20' });
    });

    it('keeps null as null and lets absent columns have their defaults', async () => {
      const entity = await table({ name: { kind: 'text' }, note: { kind: 'text' } });
      await deliver(aDelivery(entity, { name: null }));
      expect((await harness().rows(entity))[0]).to.include({ name: null, note: null });
    });

    it('reads text as the type of its column', async () => {
      const entity = await table({ total: { kind: 'amount' }, pieces: { kind: 'integer' }, paid: { kind: 'boolean' } });
      await deliver(aDelivery(entity, { total: '12.50', pieces: '7', paid: 'true' }));
      expect((await harness().rows(entity))[0]).to.include({ total: '12.50', pieces: '7' });
    });

    it('keeps a decimal of 30 digits exact', async () => {
      const entity = await table({ total: { kind: 'exact' } });
      await deliver(aDelivery(entity, { total: '12345678901234567890.1234567891' }));
      expect((await harness().rows(entity))[0]?.total).to.equal('12345678901234567890.1234567891');
    });

    it('has objects and lists as JSON in a text column', async () => {
      const entity = await table({ lines: { kind: 'text' } });
      await deliver(aDelivery(entity, { lines: [{ sku: 'a', pieces: 2 }, null] }));
      expect((await harness().rows(entity))[0]?.lines).to.equal('[{"sku":"a","pieces":2},null]');
    });

    it('comes back as it went in, whatever its values and the names of table and columns', async () => {
      const seed = fc.hash(randomUUID()) | 0;
      console.log(`      property seed ${seed}`);
      const text = fc.string({ unit: anyCharacter, maxLength: 40 }).filter((value) => !value.includes('\0'));
      const name = fc
        .oneof(
          text,
          fc.constantFrom(
            'a"b',
            "a'b",
            '[x]',
            'x]y',
            'x; drop table y; --',
            'select',
            '$1',
            'Ünï ☃',
            '__proto__',
            'a.b',
            '"',
            '\\',
          ),
        )
        .filter((value) => value.trim() !== '' && allowed(value));
      const named = fc.uniqueArray(name, {
        minLength: 1,
        maxLength: 3,
        selector: (value) => harness().folded?.(value) ?? value.toLowerCase().normalize('NFKC'),
      });
      await fc.assert(
        fc.asyncProperty(
          name,
          named,
          fc.array(text, { minLength: 3, maxLength: 3 }),
          async (suffix, columns, texts) => {
            const specs = columns.map((column): [string, ColumnSpec] => [column, { kind: 'text' }]);
            const unique = `${randomUUID().slice(0, 8)}${suffix}`;
            const fitting = allowed(unique) ? unique : undefined;
            const entity = await table(Object.fromEntries(specs), fitting);
            const values = Object.fromEntries(columns.map((column, index) => [column, texts[index] ?? '']));
            const row = aDelivery(entity, values);
            expect((await deliver(row)).outcome).to.equal('written');
            expect(await harness().rows(entity)).to.deep.equal([
              Object.fromEntries([['document_id', row.documentId], ...Object.entries(values)]),
            ]);
          },
        ),
        { seed, numRuns: 40 },
      );
    });
  });

  describe('exactly once', () => {
    it('writes one row for a document that is delivered again', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const row = aDelivery(entity, { name: 'first' });
      const results = [await deliver(row), await deliver({ ...row, values: { name: 'second' } })];
      expect(results.map(({ outcome }) => outcome)).to.deep.equal(['written', 'written']);
      expect((await harness().rows(entity)).map(({ name }) => name)).to.deep.equal(['first']);
    });

    it('writes one row for ten deliveries of a document at once, though they all look before any may write', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const row = aDelivery(entity, { name: 'only' });
      const release = await harness().block(entity);
      const delivered = Promise.all(Array.from({ length: 10 }, () => deliver(row)));
      await eventually(async () => (await harness().waiting()) >= 3);
      await release();
      expect(new Set((await delivered).map(({ outcome }) => outcome))).to.deep.equal(new Set(['written']));
      expect(await count(entity)).to.equal(1);
    });

    it('writes one row for each of several documents at once', async () => {
      const entity = await table({ name: { kind: 'text' } });
      await Promise.all(Array.from({ length: 10 }, (_, index) => deliver(aDelivery(entity, { name: `${index}` }))));
      expect(await count(entity)).to.equal(10);
    });

    it('writes nothing where the session is ended in the middle, and one row the next time', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const row = aDelivery(entity, { name: 'late' });
      await loseSession(entity, () => deliver(row));
      expect((await deliver(row)).outcome).to.equal('written');
      expect(await count(entity)).to.equal(1);
    });
  });

  it('is reached again at once when the system was restarted, though sessions from before are dead', async () => {
    const entity = await table({ name: { kind: 'text' } });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => deliver(aDelivery(entity, { name: 'before' }))));
      await harness().terminate();
      expect((await deliver(aDelivery(entity, { name: 'after' }))).outcome).to.equal('written');
    }
  });

  describe('a row that is rejected', () => {
    const rejections: readonly [
      string,
      Readonly<Record<string, ColumnSpec>>,
      Readonly<Record<string, JsonValue>>,
      RegExp,
    ][] = [
      ['for a missing column', {}, { nowhere: 1, neither: 2 }, /"nowhere".*"neither"/],
      [
        'for a required column without a value',
        { total: { kind: 'amount', required: true } },
        { total: null },
        /total/,
      ],
      ['for a required column that is not mapped', { total: { kind: 'amount', required: true } }, {}, /total/],
      [
        'for a text that is no number',
        { other: { kind: 'text' }, total: { kind: 'amount' } },
        { other: 'x', total: 'twelve' },
        /total.*twelve/,
      ],
      ['for a fraction in a column of whole numbers', { pieces: { kind: 'integer' } }, { pieces: 1.5 }, /pieces/],
      ['for a number that is too large', { total: { kind: 'amount' } }, { total: 123456 }, /overflow|out of range/i],
      [
        'for a text that is too long',
        { other: { kind: 'text' }, code: { kind: 'short' } },
        { other: 'x', code: 'abcd' },
        /code/,
      ],
      ['for a day that is not in the calendar', { due: { kind: 'date' } }, { due: '2026-02-30' }, /due/],
      ['for an object where a number belongs', { total: { kind: 'amount' } }, { total: { net: 1 } }, /total/],
      ['for a check', { total: { kind: 'amount', positive: true } }, { total: -1 }, /check|constraint/i],
      ['for a NUL character', { name: { kind: 'text' } }, { name: 'a\0b' }, /"name".*NUL/],
      ['for a NUL character within a list', { name: { kind: 'text' } }, { name: ['a\0b'] }, /"name".*NUL/],
      ['for half of a surrogate pair', { name: { kind: 'text' } }, { name: 'a\ud800' }, /"name".*surrogate/],
    ];
    for (const [why, columns, values, reason] of rejections) {
      it(`tells why and writes nothing: ${why}`, async () => {
        const entity = await table(columns);
        const row = aDelivery(entity, values);
        const told = await reasonFor(row);
        expect(told).to.match(reason);
        expect(await rehearse(row)).to.include({ would: 'reject', reason: told });
        expect(await count(entity)).to.equal(0);
      });
    }

    const broken = async (columns: Readonly<Record<string, ColumnSpec>>, values: Record<string, JsonValue>) => {
      const entity = await table(columns);
      const row = aDelivery(entity, values);
      const rehearsed = await rehearse(row);
      const delivered = await deliver(row);
      if (rehearsed.would !== 'reject' || delivered.outcome !== 'rejected') throw new Error('the row was written');
      const { outcome: _, ...refused } = delivered;
      expect(rehearsed).to.deep.include(refused);
      return refused;
    };

    it('names the constraint or the column that a row breaks', async () => {
      const check = await broken({ total: { kind: 'amount', positive: true } }, { total: -1 });
      expect(check.reason).to.include(check.constraint ?? 'a constraint');
      const number = { number: { kind: 'short', unique: true } } as const;
      const entity = await table(number);
      await deliver(aDelivery(entity, { number: 'A-1' }));
      const copy = await deliver(aDelivery(entity, { number: 'A-1' }));
      if (copy.outcome !== 'rejected') throw new Error('the copy was written');
      expect(copy.reason).to.include(copy.constraint ?? 'a constraint');
      expect(copy.columns).to.deep.equal(['number']);
      const required = { total: { kind: 'amount', required: true } } as const;
      expect(await broken(required, { total: null })).to.deep.include({
        constraint: null,
        columns: ['total'],
      });
      expect(await broken({ total: { kind: 'amount' } }, { total: 'twelve' })).to.deep.include({ columns: ['total'] });
    });

    it('names the columns of a constraint of more than one', async () => {
      const entity = await table({ supplier: { kind: 'short' }, number: { kind: 'short', uniqueWith: 'supplier' } });
      await deliver(aDelivery(entity, { supplier: 'A', number: '1' }));
      await deliver(aDelivery(entity, { supplier: 'B', number: '1' }));
      const copy = await deliver(aDelivery(entity, { supplier: 'A', number: '1' }));
      if (copy.outcome !== 'rejected') throw new Error('the copy was written');
      expect(copy.columns).to.have.members(['supplier', 'number']);
      expect(await count(entity)).to.equal(2);
      const suppliers = await harness().createTable({ key: { kind: 'short', unique: true } });
      const orphan = await broken({ supplier: { kind: 'short', references: suppliers } }, { supplier: 'X' });
      expect(orphan.columns).to.deep.equal(['supplier']);
    });

    it('names the value that is there already', async () => {
      const entity = await table({ number: { kind: 'short', unique: true } });
      await deliver(aDelivery(entity, { number: 'A-1' }));
      expect(await reasonFor(aDelivery(entity, { number: 'A-1' }))).to.match(/(?=.*number).*A-1/);
      expect(await count(entity)).to.equal(1);
    });

    it('names the value that another table does not have', async () => {
      const suppliers = await harness().createTable({ key: { kind: 'short', unique: true } });
      const entity = await table({ supplier: { kind: 'short', references: suppliers } });
      expect(await reasonFor(aDelivery(entity, { supplier: 'X' }))).to.match(/supplier/);
    });

    it('names the missing table', async () => {
      for (const entity of ['nowhere.invoices', 'invoices', '', 'a\0b', 'public.x"; drop table y; --']) {
        expect(await reasonFor(aDelivery(entity))).to.match(/^There is no table/);
      }
    });

    it('names the missing column of the document id', async () => {
      const entity = await harness().createTable({ name: { kind: 'text' } });
      expect(await reasonFor(aDelivery(entity, { name: 'x' }))).to.match(/"document_id"/);
    });

    it('tells that the login may not write', async () => {
      const entity = await table({ name: { kind: 'text' } });
      expect(await reasonFor(aDelivery(entity, { name: 'x' }), harness().reader)).to.match(/permission/i);
      expect(await count(entity)).to.equal(0);
    });

    it('is taken later, when what was wrong is mended', async () => {
      const entity = await table({ total: { kind: 'amount', required: true } });
      const row = aDelivery(entity, { total: null });
      await reasonFor(row);
      expect((await deliver({ ...row, values: { total: 1 } })).outcome).to.equal('written');
    });
  });

  describe('a rehearsal', () => {
    it('says that the row would be inserted, and leaves none behind, however often', async () => {
      const entity = await table({ name: { kind: 'short', unique: true } });
      const row = aDelivery(entity, { name: 'Ada' });
      for (let time = 0; time < 3; time += 1)
        expect(await rehearse(row)).to.deep.equal({ would: 'insert', reason: null });
      expect(await count(entity)).to.equal(0);
      expect(await harness().inTransaction()).to.equal(0);
      expect((await deliver(row)).outcome).to.equal('written');
      expect(await rehearse(row)).to.deep.equal({ would: 'already_there', reason: null });
      expect(await count(entity)).to.equal(1);
    });

    it('says what the delivery would be refused with: a value that is there already, a table that is not, a right', async () => {
      const entity = await table({ number: { kind: 'short', unique: true } });
      await deliver(aDelivery(entity, { number: 'A-1' }));
      const rows: readonly (readonly [RowDelivery, Connection, RegExp])[] = [
        [aDelivery(entity, { number: 'A-1' }), harness().connection, /(?=.*number).*A-1/],
        [aDelivery('nowhere.invoices'), harness().connection, /^There is no table/],
        [aDelivery(entity, { number: 'A-2' }), harness().reader, /permission/i],
      ];
      for (const [row, connection, words] of rows) {
        const { would, reason } = await rehearse(row, connection);
        expect(would).to.equal('reject');
        expect(reason).to.match(words);
      }
      expect(await count(entity)).to.equal(1);
    });

    it('is unavailable where the system is', async () => {
      const error = await refusal(rehearse(aDelivery('public.t'), harness().unreachable));
      expect(error.kind).to.equal('unavailable');
    });

    it('that is aborted in the middle of its statement stops, writes nothing and leaves nothing open', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const release = await harness().block(entity);
      const controller = new AbortController();
      const reason = new Error('stopped');
      const stopped = rehearse(aDelivery(entity, { name: 'x' }), undefined, controller.signal).catch(
        (thrown: unknown) => thrown,
      );
      await eventually(async () => (await harness().waiting()) === 1);
      controller.abort(reason);
      expect(await stopped).to.equal(reason);
      // A server may still be ending the session that it was asked to end.
      await eventually(async () => (await harness().inTransaction()) === 0);
      await release();
      expect(await count(entity)).to.equal(0);
    });

    it('whose session is ended in the middle leaves nothing', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const row = aDelivery(entity, { name: 'x' });
      await loseSession(entity, () => rehearse(row));
      expect((await rehearse(row)).would).to.equal('insert');
    });
  });

  describe('a system that cannot be reached', () => {
    it('is unavailable, by name and without its address, where nothing listens', async () => {
      const { unreachable } = harness();
      const error = await refusal(deliver(aDelivery('public.t'), unreachable));
      expect(error.kind).to.equal('unavailable');
      expect(error.message)
        .to.include(unreachable.name)
        .and.not.match(/127\.0\.0\.1|\/\//);
    });

    it('is unavailable where the password is wrong, and tells neither it nor the user', async () => {
      const { wrongPassword } = harness();
      const error = await refusal(deliver(aDelivery('public.t'), wrongPassword));
      expect(error.kind).to.equal('unavailable');
      const { username, password } = new URL(wrongPassword.sealedUrl);
      expect(error.message).to.include(wrongPassword.name).and.not.include(password).and.not.include(`"${username}"`);
      expect(error.cause).to.equal(undefined);
    });

    it('is unavailable where it does not answer in time, and nothing is left open there', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const release = await harness().block(entity);
      const error = await refusal(
        harness()
          .impatient.open(harness().connection)
          .deliver(aDelivery(entity, { name: 'x' }), never),
      );
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.include('in time');
      expect(await harness().inTransaction()).to.equal(0);
      await release();
      expect(await count(entity)).to.equal(0);
    });
  });

  describe('an abort', () => {
    it('before anything rejects with its reason', async () => {
      const entity = await table({});
      const reason = new Error('stopped');
      const error = await deliver(aDelivery(entity), undefined, AbortSignal.abort(reason)).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.equal(reason);
      expect(await count(entity)).to.equal(0);
    });

    it('in the middle of a statement stops it, writes nothing and leaves nothing open', async () => {
      const entity = await table({ name: { kind: 'text' } });
      const row = aDelivery(entity, { name: 'x' });
      const release = await harness().block(entity);
      const controller = new AbortController();
      const reason = new Error('stopped');
      const stopped = deliver(row, undefined, controller.signal).catch((thrown: unknown) => thrown);
      await eventually(async () => (await harness().waiting()) === 1);
      controller.abort(reason);
      expect(await stopped).to.equal(reason);
      expect(await harness().inTransaction()).to.equal(0);
      await release();
      expect(await count(entity)).to.equal(0);
      expect((await deliver(row)).outcome).to.equal('written');
    });

    it('at any moment writes the row whole or not at all, and the next delivery makes it one', async () => {
      const entity = await table({ name: { kind: 'text' } });
      for (let moment = 0; moment < 20; moment += 1) {
        const row = aDelivery(entity, { name: `${moment}` });
        const controller = new AbortController();
        const outcome = deliver(row, undefined, controller.signal).catch((thrown: unknown) => thrown);
        await sleep(moment / 4);
        controller.abort(new Error('stopped'));
        const told = await outcome;
        if (told instanceof Error) expect(told.message).to.equal('stopped');
        if (told instanceof Error) expect(await count(entity)).to.equal(moment);
        await deliver(row);
        expect(await count(entity)).to.equal(moment + 1);
      }
    });
  });
};
