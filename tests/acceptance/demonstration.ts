import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { freePort } from '../support/listen.ts';
import { portico } from '../support/program.ts';
import { aFolder, postmasterOf } from '../support/server.ts';
import type { Installation, Kind } from './installations.ts';
import type { Platform } from './platform.ts';

export const demonstration = (platform: () => Platform, { commandsElsewhere }: Kind) =>
  describe('the demo', () => {
    before(function () {
      if (!platform().server) this.skip();
    });

    it('has a key that ends after 30 days', async () => {
      const { body } = await platform().call('/api/v1/keys');
      const { keys } = (body as { data: { keys: { name: string; created_at: string; expires_at: string | null }[] } })
        .data;
      const days = keys
        .filter(({ name }) => name === 'demo')
        .map((key) => (Date.parse(key.expires_at ?? '') - Date.parse(key.created_at)) / 86_400_000);
      expect(days.map(Math.round)).to.deep.equal([30]);
    });

    it('goes through the running server, as often as one likes, and ends with the ledger and what it refused', async function () {
      this.timeout(600_000);
      const { server } = platform();
      for (const turn of commandsElsewhere ? ['first'] : ['first', 'second']) {
        const { code, stdout, stderr } = await (server as Installation).command(['demo']);
        expect(code, `${turn}: ${stdout}${stderr}`).to.equal(0);
        for (const number of [
          'HR-20417',
          '2026-1187',
          'BW-2026-0388',
          'PD/26/114',
          'GH-55120',
          'TW-3319',
          'PO-7781',
          'PO-7785',
          'LG-60231',
        ]) {
          expect(stdout.slice(stdout.indexOf('The ledger')), number).to.include(number);
        }
        expect(stdout).to.match(/What the ledger refused[\s\S]*castle-lane-dairy-copy\.pdf[\s\S]*each_invoice_once/);
        expect(stdout).to.include('12 files: 10 in the ledger, 1 refused by it, 1 that could not be read.');
        expect(stdout).to.match(
          /marlow-cheese\.pdf +review: pending\n +Net amount and tax do not come to the total\.[\s\S]*409 review_required/,
        );
        expect(stdout).to.match(/revision 2 +\/total: 1253\.64 → 1235\.64; every check passed[\s\S]*approved by Demo/);
        expect(stdout).to.match(
          /marlow-cheese-again\.pdf +review: pending\n +The document \S+ has the same key\.[\s\S]*409 review_rejected/,
        );
        expect(stdout).to.match(
          /maison-verel-epices\.pdf +review: pending[\s\S]*\/iban: “LT121000011101001000” in the XML, “FR14 2004 1010 0505 0001 3M02 606” on page 1[\s\S]*409 review_rejected/,
        );
        expect(stdout).to.match(
          /✓ invoice, pages 3, 5 +KP-2291[\s\S]*✓ order, page 8 +PO-7791[\s\S]*page 6 is in no part/,
        );
        expect(stdout.slice(stdout.indexOf('The ledger'))).to.match(/new .* MC-2093 +GBP +1235\.64/);
        expect(stdout).to.include(
          '3 more went through a review: 1 corrected, approved and in the ledger, 2 held back and rejected.',
        );
        expect(stdout.trimEnd()).to.match(/That is as it should be\.$/);
      }
    });
  });

/** Needs no server: it brings its own. */
export const demonstrationAlone = () =>
  describe('the demo without a server', () => {
    it('starts a server of its own where none runs, within the limits that a new one has', async () => {
      const [folder, port] = await Promise.all([aFolder(), freePort()]);
      try {
        const { code, stdout, stderr } = await portico(['demo'], { DATA_DIR: folder, PORT: String(port) });
        expect(code, `${stdout}${stderr}`).to.equal(0);
        expect(stdout.trimEnd()).to.match(/That is as it should be\.$/);
        expect(await postmasterOf(folder)).to.equal(null);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
