import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import StreamParser from 'tedious/lib/token/stream-parser.js';
import { compare } from '../../src/adapters/connectors/sql/conditions.ts';
import { float32Text, float64Text } from '../../src/adapters/connectors/sql/float-text.ts';
import { readMoment } from '../../src/adapters/connectors/sql/moment.ts';
import { binder } from '../../src/adapters/connectors/sql/values.ts';
import type { CatalogueColumn } from '../../src/adapters/connectors/sqlserver/catalogue.ts';
import { sqlserver } from '../../src/adapters/connectors/sqlserver/dialect.ts';
import { readExactly } from '../../src/adapters/connectors/sqlserver/driver.ts';
import { operandFor, type Use } from '../../src/adapters/connectors/sqlserver/operands.ts';
import {
  type ColumnMetadata,
  columnNames,
  dataTypeOf,
  joinedEncoder,
  rowEncoder,
} from '../../src/adapters/connectors/sqlserver/row-encoder.ts';
import type { Parameter } from '../../src/adapters/connectors/sqlserver/session.ts';
import { decimalText, readDecimal, roundedTo } from '../../src/domain/decimal.ts';
import { ExactNumber } from '../../src/domain/json-number.ts';

const property = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void, numRuns = 500) => {
  const seed = fc.hash(randomUUID()) | 0;
  console.log(`      property seed ${seed}`);
  fc.assert(fc.property(arbitrary, check), { seed, numRuns });
};

const aColumn = (declared: string): CatalogueColumn => {
  const [, type = '', first, second] = /^(\w+)(?:\((\w+)(?:,(\d+))?\))?$/.exec(declared) ?? [];
  const isDecimal = type === 'decimal' || type === 'numeric';
  return {
    name: 'c',
    position: 1,
    type,
    declared,
    length: isDecimal || first === undefined || first === 'max' ? null : Number(first),
    precision: isDecimal ? Number(first) : 0,
    scale: isDecimal ? Number(second) : 0,
    nullable: true,
    default: null,
    collation: null,
    clr: false,
    keyOrdinal: 0,
    uniqueOrdinal: 0,
  };
};

/** What is sent for a value, or what is wrong with it. */
const sent = (declared: string, value: string, use: Use = 'compare'): string => {
  const operand = operandFor(value, aColumn(declared), use);
  if (typeof operand === 'string') return operand;
  const { value: parameter } = operand.parameter;
  const shown = Buffer.isBuffer(parameter) ? parameter.toString('hex') : String(parameter);
  return `${operand.lies ? `${operand.lies} ` : ''}${operand.sql('@p')} ${shown}`;
};

describe('values for SQL Server', () => {
  for (const [declared, value, expected] of [
    ['tinyint', '255', 'convert(tinyint, @p) 255'],
    ['tinyint', '256', 'is an arithmetic overflow of tinyint'],
    ['tinyint', '-1', 'is an arithmetic overflow of tinyint'],
    ['smallint', '-32768', 'convert(smallint, @p) -32768'],
    ['int', '2147483648', 'is an arithmetic overflow of int'],
    ['int', '1.0', 'convert(int, @p) 1'],
    ['int', '1e3', 'convert(int, @p) 1000'],
    ['int', '1.5', 'is not an int'],
    ['int', 'true', 'is not an int'],
    ['int', '', 'is not an int'],
    ['int', '1; drop table x', 'is not an int'],
    ['bigint', '9007199254740993', 'convert(bigint, @p) 9007199254740993'],
    ['bigint', '9223372036854775808', 'is an arithmetic overflow of bigint'],
    ['bigint', `1${'0'.repeat(900)}`, 'is an arithmetic overflow of bigint'],
    ['decimal(5,2)', '123.45', 'convert(decimal(5,2), @p) 123.45'],
    ['decimal(5,2)', '1.005', 'above convert(decimal(5,2), @p) 1'],
    ['decimal(5,2)', '123456', 'above convert(decimal(5,2), @p) 999.99'],
    [
      'decimal(38,10)',
      '12345678901234567890.1234567891',
      'convert(decimal(38,10), @p) 12345678901234567890.1234567891',
    ],
    ['decimal(5,2)', '-1.005', 'above convert(decimal(5,2), @p) -1.01'],
    ['decimal(5,2)', '-123456', 'below convert(decimal(5,2), @p) -999.99'],
    ['decimal(38,10)', '1e40', `above convert(decimal(38,10), @p) ${'9'.repeat(28)}.${'9'.repeat(10)}`],
    ['numeric(5,2)', 'twelve', 'is not a numeric(5,2)'],
    ['decimal(5,2)', '{"net":1}', 'is not a decimal(5,2)'],
    ['money', '-922337203685477.5808', 'convert(money, @p) -922337203685477.5808'],
    ['money', '922337203685477.5808', 'above convert(money, @p) 922337203685477.5807'],
    ['smallmoney', '214748.3647', 'convert(smallmoney, @p) 214748.3647'],
    ['float', '0.1', '@p 0.1'],
    ['float', '1e999', 'is an arithmetic overflow of float'],
    ['float', 'NaN', 'is not a float'],
    ['real', '0.1', '@p 0.10000000149011612'],
    ['real', '1e39', 'is an arithmetic overflow of real'],
    ['bit', 'TRUE', 'convert(bit, @p) 1'],
    ['bit', '0', 'convert(bit, @p) 0'],
    ['bit', '2', 'is not a bit'],
    [
      'uniqueidentifier',
      '{6F9619FF-8B86-D011-B42D-00C04FC964FF}',
      'convert(uniqueidentifier, @p) 6F9619FF-8B86-D011-B42D-00C04FC964FF',
    ],
    ['uniqueidentifier', '6F9619FF', 'is not a uniqueidentifier'],
    ['varbinary(max)', 'AP/+', '@p 00fffe'],
    ['varbinary(max)', 'no base64!', 'is not base64'],
    ['timestamp', 'AAAAAAAAB9E=', '@p 00000000000007d1'],
    ['date', '2026-11-20', 'convert(date, @p) 2026-11-20'],
    ['date', '2026-11-20T00:00:00Z', 'convert(date, @p) 2026-11-20'],
    ['date', '2026-11-20T09:30:00', 'is not a date'],
    ['date', '2026-02-30', 'is not a date'],
    ['date', '20/11/2026', 'is not a date'],
    ['time(7)', '09:30', 'convert(time(7), @p) 09:30:00.0000000'],
    ['time(7)', '2026-11-20T09:30', 'is not a time(7)'],
    ['datetime2(3)', '2026-11-20T09:30:00.1234567', 'convert(datetime2(7), @p) 2026-11-20T09:30:00.1234567'],
    ['datetime2(7)', '2026-11-20T09:30:00.12345678', 'is not a datetime2(7)'],
    ['datetime2(7)', '2026-11-20 09:30Z', 'convert(datetime2(7), @p) 2026-11-20T09:30:00.0000000'],
    ['datetime2(7)', '2026-11-20T09:30:00+02:00', 'has an offset, which datetime2(7) does not keep'],
    ['datetime', '2026-11-20T09:30:00.003', 'convert(datetime, convert(datetime2(7), @p)) 2026-11-20T09:30:00.0030000'],
    ['datetime', '1752-12-31', 'is an arithmetic overflow of datetime'],
    ['smalldatetime', '2079-06-07', 'is an arithmetic overflow of smalldatetime'],
    [
      'datetimeoffset(7)',
      '2026-11-20T09:30:00.5-05:30',
      'convert(datetimeoffset(7), @p) 2026-11-20T09:30:00.5000000-05:30',
    ],
    ['datetimeoffset(7)', '2026-11-20', 'convert(datetimeoffset(7), @p) 2026-11-20T00:00:00.0000000+00:00'],
    ['datetimeoffset(7)', '2026-11-20T09:30:00+15:00', 'is not a datetimeoffset(7)'],
    ['nvarchar(3)', 'longer than three', '@p longer than three'],
    ['varchar(3)', 'plain', 'convert(varchar(8000), @p) plain'],
    ['varchar(3)', 'déjà ☃', '@p déjà ☃'],
    ['nvarchar(3)', 'a\0b', 'holds a NUL character, which cannot be sent'],
    ['nvarchar(3)', 'a\ud800', 'holds half of a surrogate pair, which is not text'],
    ['xml', '<a/>', 'cannot be compared with a column of type xml'],
    ['geography', 'POINT (1 2)', 'cannot be compared with a column of type geography'],
  ] as const) {
    it(`compared: ${value.slice(0, 40)} as ${declared}`, () => {
      expect(sent(declared, value)).to.equal(expected);
    });
  }

  for (const [declared, value, expected] of [
    ['decimal(5,2)', '12.345', 'convert(decimal(5,2), @p) 12.35'],
    ['decimal(5,2)', '-12.345', 'convert(decimal(5,2), @p) -12.35'],
    ['decimal(5,2)', '999.995', 'is an arithmetic overflow of decimal(5,2)'],
    ['decimal(5,2)', '123456', 'is an arithmetic overflow of decimal(5,2)'],
    ['decimal(5,0)', '0.4', 'convert(decimal(5,0), @p) 0'],
    ['smallmoney', '214748.3648', 'is an arithmetic overflow of smallmoney'],
    ['money', '1.00005', 'convert(money, @p) 1.0001'],
    ['nvarchar(3)', 'abcd', 'is longer than nvarchar(3)'],
    ['varchar(3)', 'abcd', 'is longer than varchar(3)'],
    ['varchar(3)', 'äöüß', '@p äöüß'],
    ['varchar(max)', 'abcd', '@p abcd'],
    ['varbinary(2)', 'AP/+', 'is longer than varbinary(2)'],
    ['xml', '<a/>', 'convert(xml, @p) <a/>'],
    ['hierarchyid', '/1/', 'hierarchyid::Parse(@p) /1/'],
    ['sql_variant', 'x', 'convert(nvarchar(4000), @p) x'],
  ] as const) {
    it(`stored: ${value} as ${declared}`, () => {
      expect(sent(declared, value, 'store')).to.equal(expected);
    });
  }

  it('keep every digit of a decimal, however it is written', () => {
    property(
      fc.tuple(fc.bigInt(-(10n ** 38n), 10n ** 38n), fc.integer({ min: -60, max: 60 })),
      ([digits, exponent]) => {
        const read = readDecimal(`${digits}e${exponent}`);
        if (!read) throw new Error('not read');
        const exact = digits * 10n ** BigInt(exponent + 60);
        expect(read.digits * 10n ** BigInt(60 - read.scale)).to.equal(exact);
        expect(decimalText(read)).to.match(/^-?\d+(\.\d*[1-9])?$/);
      },
    );
  });

  it('round half away from zero', () => {
    property(
      fc.tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: 0, max: 3 })),
      ([thousandths, scale]) => {
        const read = readDecimal(`${thousandths}e-3`);
        if (!read) throw new Error('not read');
        const step = 10 ** (3 - scale);
        const expected = (Math.sign(thousandths) * Math.floor((Math.abs(thousandths) + step / 2) / step)) / 10 ** scale;
        expect(Number(decimalText({ digits: roundedTo(read, scale), scale }))).to.equal(expected === 0 ? 0 : expected);
      },
    );
  });

  it('compare decimals as the numbers that were written, also those that the column cannot have', () => {
    const column = aColumn('decimal(3,1)');
    const number = fc.tuple(fc.integer({ min: -120_000, max: 120_000 }), fc.integer({ min: -2, max: 2 }));
    const holds = (sql: string, stored: number, parameter: number) => {
      const [, operator = ''] = /^r\.\[c\] (\S+) (.*)$/.exec(sql) ?? [];
      const right = sql.endsWith('r.[c]') ? stored : parameter;
      return {
        '=': stored === right,
        '<>': stored !== right,
        '>': stored > right,
        '>=': stored >= right,
        '<': stored < right,
        '<=': stored <= right,
      }[operator];
    };
    property(number, ([thousandths, away]) => {
      const operand = operandFor(`${thousandths}e-3`, column, 'compare');
      if (typeof operand === 'string') throw new Error(operand);
      const parameter = Math.round(Number(operand.parameter.value) * 1000);
      const stored = Math.max(-99_900, Math.min(99_900, (Math.floor(thousandths / 100) + away) * 100));
      const told = (comparison: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte') =>
        holds(compare('r.[c]', comparison, operand, binder<Parameter>(sqlserver).bind), stored, parameter);
      expect([told('eq'), told('ne'), told('gt'), told('gte'), told('lt'), told('lte')]).to.deep.equal([
        stored === thousandths,
        stored !== thousandths,
        stored > thousandths,
        stored >= thousandths,
        stored < thousandths,
        stored <= thousandths,
      ]);
    });
  });

  it('take only days of the calendar', () => {
    property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const [day] = date.toISOString().split('T');
      expect(readMoment(day ?? '')?.date).to.equal(day);
    });
    for (const wrong of [
      '2025-02-29',
      '1900-02-29',
      '0000-01-01',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '12026-01-01',
    ])
      expect(readMoment(wrong)).to.equal(null);
  });
});

const aType = (name: string, rest: Partial<ColumnMetadata> = {}): ColumnMetadata =>
  ({
    colName: 'c',
    type: { name },
    precision: undefined,
    scale: undefined,
    dataLength: undefined,
    ...rest,
  }) as ColumnMetadata;

const u16 = (value: number) => [value & 255, value >> 8];
const u32 = (value: number) => [...u16(value & 65535), ...u16(value >>> 16)];
const ucs2 = (text: string) => [...Buffer.from(text, 'ucs2')];
const ROW = 0xd1;

/** What the typings of the driver's own parser get wrong: the module is the class. */
interface Parser {
  parseTokens(chunks: readonly Buffer[], options: object): AsyncIterable<object>;
}

/** An answer of one column and one row, in the bytes of MS-TDS 2.2.7.4 and 2.2.7.19, as the driver's own parser reads it. */
const parsed = async (
  typeInfo: readonly number[],
  value: readonly number[],
  cut = 0,
  exactly = true,
): Promise<unknown> => {
  const options = { useUTC: true, lowerCaseGuids: true };
  if (exactly) readExactly(options);
  const bytes = Buffer.from([0x81, ...u16(1), ...u32(0), ...u16(1), ...typeInfo, 1, ...ucs2('c'), ROW, ...value]);
  const chunks = cut === 0 ? [bytes] : [bytes.subarray(0, -cut), bytes.subarray(-cut)];
  const parser = StreamParser as unknown as Parser;
  let row: object = {};
  for await (const token of parser.parseTokens(chunks, options)) row = token;
  return (row as { readonly columns?: readonly { readonly value: unknown }[] }).columns?.[0]?.value;
};

const little = (value: bigint | number, bytes: number): number[] => {
  const number = BigInt.asUintN(bytes * 8, BigInt(value));
  return Array.from({ length: bytes }, (_, index) => Number((number >> BigInt(index * 8)) & 255n));
};

describe('values from SQL Server, as the driver parses them', () => {
  const DECIMAL = (precision: number, scale: number) => [0x6a, 17, precision, scale];
  const days = (date: string) => Math.round(Date.parse(date) / 86_400_000) + 719_162;

  for (const [what, type, value, expected] of [
    [
      'a decimal',
      DECIMAL(38, 10),
      [17, 1, ...little(123456789012345678901234567891n, 16)],
      '12345678901234567890.1234567891',
    ],
    ['a negative decimal under one', DECIMAL(38, 4), [5, 0, ...little(5, 4)], '-0.0005'],
    ['a decimal of no digits behind the point', DECIMAL(5, 0), [5, 1, ...little(120, 4)], '120'],
    ['a null', DECIMAL(5, 0), [0], null],
    ['money', [0x6e, 8], [8, ...little(-(2n ** 63n) >> 32n, 4), ...little(0, 4)], '-922337203685477.5808'],
    ['smallmoney', [0x6e, 4], [4, ...little(-5, 4)], '-0.0005'],
    ['a date', [0x28], [3, ...little(days('2026-11-20'), 3)], '2026-11-20'],
    ['the first date', [0x28], [3, 0, 0, 0], '0001-01-01'],
    ['the last date', [0x28], [3, ...little(days('9999-12-31'), 3)], '9999-12-31'],
    ['a time', [0x29, 7], [5, ...little(342_001_234_567n, 5)], '09:30:00.1234567'],
    ['a time of no fraction', [0x29, 0], [3, ...little(34_200, 3)], '09:30:00'],
    [
      'a datetime2',
      [0x2a, 7],
      [8, ...little(342_000_000_001n, 5), ...little(days('2026-11-20'), 3)],
      '2026-11-20T09:30:00.0000001',
    ],
    [
      'a datetime2(3)',
      [0x2a, 3],
      [7, ...little(34_200_120, 4), ...little(days('2026-11-20'), 3)],
      '2026-11-20T09:30:00.12',
    ],
    [
      'a datetimeoffset ahead of UTC',
      [0x2b, 7],
      [10, ...little(828_005_000_000n, 5), ...little(days('2026-11-20'), 3), ...little(120, 2)],
      '2026-11-21T01:00:00.5+02:00',
    ],
    [
      'a datetimeoffset behind UTC',
      [0x2b, 0],
      [8, ...little(3600, 3), ...little(days('2026-01-01'), 3), ...little(-330, 2)],
      '2025-12-31T19:30:00-05:30',
    ],
    ['a datetime', [0x6f, 8], [8, ...little(46_344, 4), ...little(34_200 * 300 + 1, 4)], '2026-11-20T09:30:00.003'],
    ['a datetime before 1900', [0x6f, 8], [8, ...little(-53_690, 4), ...little(299, 4)], '1753-01-01T00:00:00.997'],
    ['a smalldatetime', [0x6f, 4], [4, ...little(46_344, 2), ...little(570, 2)], '2026-11-20T09:30:00'],
    ['a bigint', [0x26, 8], [8, ...little(2n ** 63n - 1n, 8)], '9223372036854775807'],
    [
      'a uniqueidentifier',
      [0x24, 16],
      [16, ...Buffer.from('ff19966f868b11d0b42d00c04fc964ff', 'hex')],
      '6f9619ff-8b86-d011-b42d-00c04fc964ff',
    ],
    [
      'a text of nvarchar(max), in two chunks',
      [0xe7, 0xff, 0xff, 0x09, 0x04, 0xd0, 0x00, 0x34],
      [...little(-2n, 8), ...u32(4), ...ucs2('Zü'), ...u32(2), ...ucs2('€'), ...u32(0)],
      'Zü€',
    ],
    ['no text of nvarchar(max)', [0xe7, 0xff, 0xff, 0x09, 0x04, 0xd0, 0x00, 0x34], little(-1n, 8), null],
  ] as const) {
    it(`has ${what} exactly, also where its bytes come in two pieces`, async () => {
      expect(await parsed(type, value)).to.equal(expected);
      for (let cut = 1; cut <= value.length; cut += 1)
        expect(await parsed(type, value, cut), `cut ${cut}`).to.equal(expected);
    });
  }

  it('leaves sessions of others as they are', async () => {
    const value = [17, 1, ...little(123456789012345678901234567891n, 16)];
    expect(await parsed(DECIMAL(38, 10), value)).to.equal('12345678901234567890.1234567891');
    expect(await parsed(DECIMAL(38, 10), value, 0, false)).to.be.a('number');
    expect(await parsed([0x28], [3, 0, 0, 0], 0, false)).to.be.instanceOf(Date);
  });

  it('has what is inside an sql_variant exactly, numbers as numbers', async () => {
    const variant = (type: number, properties: readonly number[], value: readonly number[]) =>
      parsed(
        [0x62, ...u32(8009)],
        [...u32(2 + properties.length + value.length), type, properties.length, ...properties, ...value],
      );
    const number = async (coming: Promise<unknown>) => {
      const value = await coming;
      return value instanceof ExactNumber ? value.text : value;
    };
    expect(await number(variant(0x6c, [38, 3], [1, ...little(12345678901234567890n, 16)]))).to.equal(
      '12345678901234567.890',
    );
    expect(await number(variant(0x7f, [], little(2n ** 62n, 8)))).to.equal('4611686018427387904');
    expect(await variant(0x2b, [0], [...little(3600, 3), ...little(days('2026-01-01'), 3), ...little(60, 2)])).to.equal(
      '2026-01-01T02:00:00+01:00',
    );
    expect(await variant(0xe7, [...u16(8000), 0, 0, 0, 0, 0], ucs2('text'))).to.equal('text');
    expect(await parsed([0x62, ...u32(8009)], u32(0))).to.equal(null);
  });

  it('has any decimal as its digits', async () => {
    const seed = fc.hash(randomUUID()) | 0;
    console.log(`      property seed ${seed}`);
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(-(10n ** 38n - 1n), 10n ** 38n - 1n),
        fc.integer({ min: 0, max: 38 }),
        async (units, scale) => {
          const magnitude = units < 0n ? -units : units;
          const text = String(await parsed(DECIMAL(38, scale), [17, units < 0n ? 0 : 1, ...little(magnitude, 16)]));
          expect(text).to.match(scale === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${scale}}$`));
          expect(BigInt(text.replace('.', ''))).to.equal(units);
        },
      ),
      { seed, numRuns: 300 },
    );
  });
});

describe('rows from SQL Server as JSON', () => {
  const json = (metadata: ColumnMetadata, value: unknown) => rowEncoder([metadata]).encode([{ value }]);

  it('have texts escaped, bytes in base64, numbers as they are, and null', () => {
    expect(json(aType('NVarChar'), 'a"\\\n\u0001☃\ud800')).to.equal('{"c":"a\\"\\\\\\n\\u0001☃\\ud800"}');
    expect(json(aType('VarBinary'), Buffer.from([0, 255, 254]))).to.equal('{"c":"AP/+"}');
    expect(json(aType('DecimalN'), '12.50')).to.equal('{"c":12.50}');
    expect(json(aType('BitN'), true)).to.equal('{"c":true}');
    expect(json(aType('BigInt'), '9223372036854775807')).to.equal('{"c":9223372036854775807}');
    expect(json(aType('DateTimeOffset'), '2026-11-20T09:30:00+02:00')).to.equal('{"c":"2026-11-20T09:30:00+02:00"}');
    expect(json(aType('UDT'), Buffer.from('x'))).to.equal('{"c":"eA=="}');
    expect(json(aType('Variant'), new ExactNumber('1.10'))).to.equal('{"c":1.10}');
    expect(json(aType('Variant'), '1.10')).to.equal('{"c":"1.10"}');
    expect(json(aType('Int'), null)).to.equal('{"c":null}');
    expect(rowEncoder([aType('NVarChar')], () => true).encode([{ value: '{"a":1}' }])).to.equal('{"c":{"a":1}}');
  });

  it('have doubles and singles in as many digits as they need', () => {
    expect(json(aType('FloatN', { dataLength: 8 }), 0.1)).to.equal('{"c":0.1}');
    expect(json(aType('FloatN', { dataLength: 4 }), Math.fround(0.1))).to.equal('{"c":0.1}');
    expect(float64Text(-0)).to.equal('-0');
    property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(JSON.parse(float64Text(value))).to.equal(value);
    });
    property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Math.fround(JSON.parse(float32Text(value)))).to.equal(value);
    });
  });

  it('never have one name twice, and none without a name', () => {
    expect(columnNames(['a', 'a', '', 'a', 'a_2', ''])).to.deep.equal([
      'a',
      'a_3',
      'column_3',
      'a_4',
      'a_2',
      'column_6',
    ]);
    property(fc.array(fc.constantFrom('', 'a', 'a_2', 'column_1', 'b'), { maxLength: 8 }), (names) => {
      expect(new Set(columnNames(names)).size).to.equal(names.length);
    });
  });

  it('are named and typed in the words of the database', () => {
    for (const [metadata, expected] of [
      [aType('NVarChar', { dataLength: 80 }), 'nvarchar(40)'],
      [aType('NVarChar', { dataLength: 65535 }), 'nvarchar(max)'],
      [aType('VarChar', { dataLength: 40 }), 'varchar(40)'],
      [aType('DecimalN', { precision: 12, scale: 2 }), 'decimal(12,2)'],
      [aType('IntN', { dataLength: 8 }), 'bigint'],
      [aType('IntN', { dataLength: 4 }), 'int'],
      [aType('FloatN', { dataLength: 4 }), 'real'],
      [aType('DateTime2', { scale: 7 }), 'datetime2(7)'],
      [aType('UniqueIdentifier'), 'uniqueidentifier'],
      [aType('Variant'), 'sql_variant'],
      [aType('Xml'), 'xml'],
    ] as const)
      expect(dataTypeOf(metadata)).to.equal(expected);
  });

  it('refuse a value that was cut by the limit of the session', () => {
    expect(() => json(aType('NVarChar'), 'x'.repeat(16 * 1024 * 1024))).to.throw(/Column "c" has a value over 32 MiB/);
    expect(() => json(aType('VarBinary'), Buffer.alloc(32 * 1024 * 1024))).to.throw(/over 32 MiB/);
  });

  it('put the pieces of FOR JSON together again', () => {
    const name = 'JSON_F52E2B61-18A1-11d1-B105-00805F49916B';
    const encoder = joinedEncoder([aType('NVarChar', { colName: name })]);
    if (!encoder?.end) throw new Error('It is no ordinary answer.');
    const pieces = ['[{"a":"\ud83d', '\ude00"}]'];
    const text = pieces.map((value) => encoder.encode([{ value }])).join('') + encoder.end();
    expect(JSON.parse(text)).to.deep.equal({ [name]: '[{"a":"\ud83d\ude00"}]' });
    expect(joinedEncoder([aType('NVarChar')])).to.equal(null);
  });
});
