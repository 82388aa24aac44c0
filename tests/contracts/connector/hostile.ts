import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { anyCharacter } from '../../support/arbitraries.ts';
import { seeded } from './records.ts';
import { is, never, rowsOf, type Suite } from './suite.ts';

const injections = [
  'a"b',
  "a'b",
  '[x]',
  'x]y',
  ']]',
  '""',
  'x; drop table y; --',
  "'; drop table y; --",
  '/* x',
  '$1',
  '@p0',
  ':p',
  '?',
  '%s',
  '\\',
  "\\'",
  '`',
  'select',
  'NULL',
  '__proto__',
  'constructor',
  'a.b',
  'Ünï ☃',
  '🍎',
  '\u202e',
  ' lead',
  '\t\n',
];

export const hostileContract = ({ dialect, connector, make, records }: Suite) => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }).filter((value) => !value.includes('\0')),
    fc.constantFrom(...injections),
  );
  const name = text.filter((value) => value.trim() !== '' && dialect.allows(value));
  const names = fc.uniqueArray(name, {
    minLength: 1,
    maxLength: 4,
    selector: (value) => dialect.folded?.(value) ?? value.toLowerCase().normalize('NFKC'),
  });

  it('names and values of every kind go in and come back unchanged, and mean nothing but themselves', async () => {
    await fc.assert(
      fc.asyncProperty(name, names, fc.array(text, { minLength: 4, maxLength: 4 }), async (suffix, columns, texts) => {
        const named = `${randomUUID().slice(0, 8)}${suffix}`;
        const values = columns.map((_, index) => texts[index] ?? '');
        const row = Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']));
        const table = await make({
          columns: Object.fromEntries(columns.map((column) => [column, dialect.types.text])),
          rows: [Object.values(row).map(dialect.literal)],
          ...(dialect.allows(named) && { name: named }),
        });
        expect(await rowsOf(records(table))).to.deep.equal([row]);
        for (const [index, column] of columns.entries()) {
          const value = values[index] ?? '';
          expect(await rowsOf(records(table, is(column, 'eq', value)))).to.deep.equal([row]);
          expect(await rowsOf(records(table, is(column, 'eq', `${value}x`)))).to.deep.equal([]);
          const window = { schema: table.schema, name: table.name, direction: 'desc' as const, limit: 5, offset: 0 };
          expect(await rowsOf(connector().rows({ ...window, orderBy: column, after: null }, never))).to.deep.equal([
            row,
          ]);
          expect(await rowsOf(connector().rows({ ...window, orderBy: column, after: value }, never))).to.deep.equal([]);
        }
        const selected = columns.map((column) => dialect.quote(column)).join(', ');
        const caps = { schemas: null, maxRows: 5, maxBytes: 1_000_000, timeoutSeconds: 30 };
        const where = columns
          .map((column, index) => `${dialect.quote(column)} = ${dialect.literal(values[index] ?? '')}`)
          .join(' and ');
        const sql = `select ${selected} from ${table.quoted} where ${where}`;
        expect(await rowsOf(connector().query(sql, caps, never))).to.deep.equal([row]);
      }),
      // JavaScript puts a name that is a number before all others.
      { seed: seeded(), numRuns: 40, examples: [['x', ['y', '0'], ['of y', 'of 0', '', '']]] },
    );
  });
};
