import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { instant } from '../../src/adapters/postgres/connection/database.ts';

const driversInstant = pg.types.getTypeParser(1184);

const two = (number: number) => String(number).padStart(2, '0');

describe('times from PostgreSQL', () => {
  for (const text of [
    '2026-11-27 21:13:53+00',
    '2026-11-27 21:13:53.1-03',
    '2026-11-27 21:13:53.999999+14',
    '0001-01-01 00:00:00+00',
    '9999-12-31 23:59:59.999999-12',
    '2026-11-27 21:13:53.123+05:30',
    '1890-01-01 00:00:00+00:53:28',
    '12026-01-01 00:00:00+00',
    '0044-03-15 00:00:00+00 BC',
    'infinity',
    '-infinity',
  ])
    it(`are what the driver reads: ${text}`, () => {
      expect(instant(text)).to.deep.equal(driversInstant(text));
    });

  it('are what the driver reads, whichever they are', () => {
    const range = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), fc.integer({ min: -12, max: 14 }), (date, hours) => {
        const local = new Date(date.getTime() + hours * 3_600_000).toISOString();
        const zone = `${hours < 0 ? '-' : '+'}${two(Math.abs(hours))}`;
        const text = local.replace('T', ' ').replace('Z', zone);
        expect(instant(text)).to.deep.equal(driversInstant(text)).and.deep.equal(date);
      }),
    );
  });
});
