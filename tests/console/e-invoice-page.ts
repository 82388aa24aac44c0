import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { DocumentEInvoice } from '../../src/domain/document.ts';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { hybrid } from '../fixtures/e-invoice/hybrid.ts';
import { finished, someEvidence } from '../support/builders.ts';
import type { ConsoleWorld } from './world.ts';

const box = { page: 1, x: 0.084, y: 0.14, width: 0.3, height: 0.015 };

const differing: DocumentEInvoice = {
  syntax: 'cii',
  profile: 'en16931',
  specification: 'urn:cen.eu:en16931:2017',
  valid: false,
  violations: [
    {
      rule: 'BR-CO-15',
      severity: 'error',
      message: 'The total with VAT (BT-112) is not the total without VAT (BT-109) plus VAT (BT-110).',
      location: '/rsm:CrossIndustryInvoice',
    },
    {
      rule: 'BR-51',
      severity: 'warning',
      message: 'Of a card number (BT-87), an invoice has the first 6 and the last 4 digits at most.',
      location: '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction[1]',
    },
  ],
  differences: [
    { pointer: '/total', xml: '223.05', pageValue: '232.05', page: 1, boxes: [box] },
    {
      pointer: '/iban',
      xml: 'DE02120300000000202051',
      pageValue: 'FR14 2004 1010 0505 0001 3M02 606',
      page: 1,
      boxes: [],
    },
    { pointer: 'BT-84', xml: 'DE02120300000000202051', pageValue: null, page: null, boxes: [] },
  ],
};

const ofXml = (quote: string) =>
  someEvidence({ quote, fileName: 'factur-x.xml', page: null, source: 'xml', boxes: [] });

/** A hybrid whose XML breaks a rule and says something else than its page. */
export const aHybrid = async (world: ConsoleWorld): Promise<string> =>
  world.newDocument(
    'hybrid.pdf',
    finished({
      data: { supplier: 'Brandt Verpackungen GmbH', total: 223.05, lines: [] },
      evidence: {
        '/supplier': { ...ofXml('Brandt Verpackungen GmbH'), boxes: [{ ...box, y: 0.06 }] },
        '/total': ofXml('223.05'),
      },
      einvoice: differing,
    }),
    await hybrid({ 'factur-x.xml': ciiInvoice() }),
  );

/** Tests of what the page of a document says of its e-invoice, in the browser and on the server of the others. */
export const eInvoicePage = (world: () => ConsoleWorld, go: (page: Page, target: string) => Promise<void>): void => {
  it('says of an e-invoice which rules it breaks and what its page shows otherwise, and where', async () => {
    const page = await world().open();
    await go(page, `/documents/${await aHybrid(world())}`);
    const panel = page.getByRole('region', { name: 'E-invoice' });
    await panel.getByText('EN 16931, UN/CEFACT CII').waitFor();
    await panel.getByText('Not valid: 1 error, 1 warning').waitFor();
    expect(await panel.locator('.remarks li').allInnerTexts()).to.have.length(2);
    await panel.locator('li.bad').getByText('BR-CO-15').waitFor();
    await panel.locator('li.warn').getByText('BR-51').waitFor();
    const rows = panel.locator('tbody tr');
    expect(
      (await rows.allInnerTexts()).map((text) =>
        text.split('\t').map((cell) => cell.replace(/\s+/g, ' ').replace(' ,', ',').trim()),
      ),
    ).to.deep.equal([
      ['Total', '223.05', '232.05, page 1'],
      ['IBAN', 'DE02120300000000202051', 'FR14 2004 1010 0505 0001 3M02 606, page 1'],
      ['Payment account', 'DE02120300000000202051', 'nothing of the kind'],
    ]);
    // Its values have boxes on the page, although their evidence names the XML.
    await page.locator('.sheet .box[title="Supplier"]').waitFor();
    await panel.getByRole('button', { name: '232.05' }).click();
    await page.locator('.sheet .box.chosen[title="Total"]').waitFor();
    expect(await page.locator('.sheet .box.chosen').count()).to.equal(1);
    await page.context().close();
  });

  it('gives the XML of an e-invoice as it came', async () => {
    const page = await world().open();
    await go(page, `/documents/${await aHybrid(world())}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the XML' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('hybrid.xml');
    expect(await readFile(await download.path(), 'utf8')).to.equal(ciiInvoice());
    await page.context().close();
  });

  it('shows the values of an e-invoice without pages in the words of its XML, and that it keeps the rules', async () => {
    const einvoice: DocumentEInvoice = {
      ...differing,
      syntax: 'ubl',
      profile: 'xrechnung',
      valid: true,
      violations: [],
      differences: [],
    };
    const evidence = {
      '/supplier': someEvidence({
        quote: 'Lindenau Gas GmbH',
        fileName: 'a.xml',
        source: 'xml',
        page: null,
        boxes: [],
      }),
    };
    const data = { supplier: 'Lindenau Gas GmbH', total: null, lines: [] };
    const id = await world().newDocument('a.xml', finished({ data, evidence, einvoice }));
    const page = await world().open();
    await go(page, `/documents/${id}`);
    const panel = page.getByRole('region', { name: 'E-invoice' });
    await panel.getByText('XRechnung, UBL').waitFor();
    await panel.getByText('Valid: it keeps every rule of its profile').waitFor();
    expect(await panel.locator('table').count()).to.equal(0);
    await page.locator('.quotes').getByText('Lindenau Gas GmbH').waitFor();
    expect(await page.getByLabel('Supplier', { exact: true }).inputValue()).to.equal('Lindenau Gas GmbH');
    await page.context().close();
  });
};
