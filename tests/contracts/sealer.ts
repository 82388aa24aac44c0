import { expect } from 'chai';
import fc from 'fast-check';
import type { Sealer } from '../../src/application/ports/secrets.ts';

/** Every Sealer passes this, or it is not one. `make` answers two that do not share a key. */
export const sealerContract = (make: () => Promise<{ sealer: Sealer; other: Sealer }>) =>
  describe('Sealer', () => {
    let sealer: Sealer;
    let other: Sealer;

    before(async () => {
      ({ sealer, other } = await make());
    });

    it('opens what it sealed, whatever the text', () => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      console.log(`      seed ${seed}`);
      const text = fc.string({ unit: 'grapheme', maxLength: 200 });
      fc.assert(
        fc.property(text, (plain) => {
          expect(sealer.open(sealer.seal(plain))).to.equal(plain);
        }),
        { seed },
      );
    });

    it('seals the same text differently each time, and never shows it', () => {
      const sealed = Array.from({ length: 50 }, () => sealer.seal('postgres://portico:hunter2@db/erp'));
      expect(new Set(sealed)).to.have.property('size', 50);
      expect(sealed.join()).not.to.match(/hunter2/);
      expect(sealed.map((text) => Buffer.from(text, 'base64').toString('latin1')).join()).not.to.match(/hunter2/);
    });

    it('refuses what another key sealed, and says so without the text', () => {
      expect(() => sealer.open(other.seal('hunter2')))
        .to.throw(Error, /another ENCRYPTION_KEY/)
        .with.property('message')
        .that.does.not.match(/hunter2/);
    });

    it('refuses a sealed text in which any one character was changed', () => {
      const sealed = sealer.seal('hunter2');
      for (let at = 0; at < sealed.length; at++) {
        const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
        expect(() => sealer.open(changed), changed).to.throw(Error);
      }
    });

    it('refuses what is no sealed text at all', () => {
      for (const text of [
        '',
        '.',
        'hunter2',
        'v1.',
        'v1.AAAA',
        'v2.AAAA',
        `${sealer.seal('x')}=`,
        `${sealer.seal('x')}.`,
        ` ${sealer.seal('x')}`,
      ]) {
        expect(() => sealer.open(text), text).to.throw(Error);
      }
    });
  });
