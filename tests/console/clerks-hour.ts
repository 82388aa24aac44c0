import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FinishedDocument } from '../../src/application/ports/queue.ts';
import { finished } from '../support/builders.ts';
import { canDecide } from './decisions.ts';
import type { ConsoleWorld } from './world.ts';

type Go = (page: Page, target: string) => Promise<void>;

/** A hundred make an hour of work; the mix is the same for fewer. */
const COUNT = Number(process.env.TEST_DOCUMENTS ?? 20);

type Kind = 'clean' | 'unsure' | 'missing' | 'copy' | 'refused';

/** Of twenty documents. */
const MIX: readonly Kind[] = [
  ...Array<Kind>(13).fill('clean'),
  'unsure',
  'unsure',
  'unsure',
  'missing',
  'missing',
  'copy',
  'refused',
];

const waiting = (
  code: 'low_confidence' | 'missing_value' | 'duplicate',
  pointer: string | null,
): Partial<FinishedDocument> => ({
  reviewStatus: 'pending',
  reviewReasons: [{ code, pointer, message: 'A person should look.' }],
});

const kinds: Readonly<Record<Kind, Partial<FinishedDocument>>> = {
  clean: {},
  unsure: waiting('low_confidence', '/total'),
  missing: { data: { supplier: null, total: 12 }, ...waiting('missing_value', '/supplier') },
  copy: waiting('duplicate', null),
  // More than the system of record takes.
  refused: { data: { supplier: 'Meyer', total: 5000 } },
};

/** The work of a clerk, on the server of the others. */
export const clerksHour = (world: () => ConsoleWorld, go: Go): void => {
  let keys = 0;
  const press = async (page: Page, key: string) => {
    keys += 1;
    await page.keyboard.press(key);
  };
  /** By Tab, as often as it takes. */
  const reach = async (page: Page, selector: string) => {
    for (let times = 0; times < 300; times++) {
      if ((await page.locator(`${selector}:focus`).count()) > 0) return;
      await press(page, 'Tab');
    }
    throw new Error(`${selector} is not reached by Tab`);
  };
  const decide: Readonly<Record<Exclude<Kind, 'clean' | 'refused'>, (page: Page) => Promise<void>>> = {
    async unsure(page) {
      await press(page, 'e');
      await page.locator(':focus[aria-label=Total]').waitFor();
      await press(page, 'Enter');
      await page.locator('.confirmed').waitFor();
      await press(page, 'Shift+A');
    },
    async missing(page) {
      await press(page, 'e');
      await page.locator(':focus[aria-label=Supplier]').waitFor();
      await page.keyboard.type('Schmidt GmbH');
      await press(page, 'Enter');
      await press(page, 'Shift+A');
    },
    async copy(page) {
      await press(page, 'r');
      await page.getByRole('dialog').getByLabel('Why?').waitFor();
      await page.keyboard.type('We have it already.');
      await press(page, 'Enter');
    },
  };

  it(`lets a clerk work off ${COUNT} mixed documents by keyboard alone, and posts what was seen or needs no look`, async function () {
    this.timeout(180_000 + COUNT * 10_000);
    // What other tests have left is out of the way meanwhile.
    await world().query(
      "update documents set status = 'trashed', external_reference = status where status in ('ready', 'error')",
    );
    const pile: { readonly id: string; readonly kind: Kind; readonly name: string }[] = [];
    for (let index = 0; index < COUNT; index++) {
      const kind = MIX[(index * 7) % MIX.length] ?? 'clean';
      const name = `${kind} ${index}.txt`;
      const left = finished({ data: { supplier: 'Meyer', total: 12 }, ...kinds[kind] });
      pile.push({ id: await world().newDocument(name, left), kind, name });
    }
    keys = 0;
    const page = await world().open();
    await go(page, '/inbox');
    await page.locator('[data-row]').first().waitFor();
    await press(page, 'j');
    await press(page, 'Enter');
    const seen = new Set<string>();
    for (const { id, kind, name } of pile) {
      if (kind === 'clean' || kind === 'refused') continue;
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await canDecide(page);
      seen.add(id);
      await decide[kind](page);
    }
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await reach(page, 'nav a[href$="/ready"]');
    await press(page, 'Enter');
    const all = page
      .getByRole('button', { name: /^Process (?:all|it)/ })
      .and(page.locator(':enabled:not([aria-disabled])'));
    const none = page.getByRole('heading', { name: 'Nothing is ready to post' });
    for (;;) {
      await all.or(none).waitFor();
      if (await none.isVisible()) break;
      await press(page, 'p');
      await page.getByRole('dialog').locator('button:not([aria-disabled])', { hasText: 'Process' }).waitFor();
      await press(page, 'Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const wanted = pile.filter(({ kind }) => kind !== 'copy' && kind !== 'refused').map(({ id }) => id);
    const posted = async () => {
      const sql = 'select document_id as id, supplier from ledger.bills where document_id = any($1)';
      return world().query<{ id: string; supplier: string }>(sql, [pile.map(({ id }) => id)]);
    };
    while ((await posted()).length < wanted.length) await page.waitForTimeout(200);
    const rows = await posted();
    expect(rows.map(({ id }) => id)).to.have.members(wanted);
    const kindOf = new Map(pile.map(({ id, kind }) => [id, kind]));
    for (const { id, supplier } of rows) {
      expect(seen.has(id) || kindOf.get(id) === 'clean', 'seen, or in no need of a look').to.equal(true);
      expect(supplier).to.equal(kindOf.get(id) === 'missing' ? 'Schmidt GmbH' : 'Meyer');
    }
    console.log(
      `      ${(keys / COUNT).toFixed(2)} keys for a document, beside what is typed (${keys} for ${COUNT}; goal for 100: 1.3)`,
    );
    await world().query(
      "update documents set status = external_reference, external_reference = null where external_reference in ('ready', 'error')",
    );
    await page.context().close();
  });
};
