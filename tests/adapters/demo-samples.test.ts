import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { PDFDocument, PDFName, PDFRawStream } from 'pdf-lib';
import { bundle } from '../../src/adapters/demo/bundle.ts';
import { allSamples } from '../../src/adapters/demo/samples.ts';
import { offlineStep } from '../../src/adapters/models/offline/offline.ts';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { celChecks } from '../../src/adapters/validation/cel/checks.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { standardSignatures } from '../../src/adapters/webhooks/signatures.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { extractionSchema } from '../../src/application/turns/extraction-schemas.ts';
import { workspaceErrors } from '../../src/application/workspace/validation.ts';
import { contentTypeOfName } from '../../src/client/content-type.ts';
import { fieldsOf, mapped } from '../../src/domain/e-invoice/mapping.ts';
import { schemaBeside } from '../../src/domain/e-invoice/unmapped.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { verifiedEvidence } from '../support/evidence.ts';

const demo = path.resolve(import.meta.dirname, '../../demo');
const bytes = (name: string) => readFile(path.join(demo, 'samples', name));

const workspace = async () =>
  readWorkspaceFile(await readFile(path.join(demo, 'workspace.yaml'), 'utf8'), {
    DEMO_LEDGER_URL: 'postgresql://127.0.0.1/ledger',
    DEMO_INBOX: '/srv/inbox',
  });

const cheese = {
  supplier: 'Marlow Cheese Company',
  invoice_number: 'MC-2093',
  invoice_date: '2026-11-06',
  due_date: '2026-11-20',
  purchase_order: 'PO-7752',
  currency: 'GBP',
  net_amount: 1029.7,
  tax: 205.94,
  iban: 'GB29 MRLW 5060 7080 9010 20',
};

/** What stands on each sample: the fields, and how many lines its table has over all pages. */
const standing: Readonly<Record<string, readonly [fields: Record<string, JsonValue>, lines: number]>> = {
  'harbour-row-paper.pdf': [
    {
      supplier: 'Harbour Row Paper Ltd',
      invoice_number: 'HR-20417',
      invoice_date: '2026-10-30',
      due_date: '2026-11-29',
      purchase_order: 'PO-7731',
      currency: 'GBP',
      net_amount: 7250.3,
      tax: 1450.06,
      total: 8700.36,
      iban: 'GB77 HROW 1020 3040 5060 70',
    },
    28,
  ],
  'brandt-verpackungen.pdf': [
    {
      supplier: 'Käthe Brandt Verpackungen',
      invoice_number: '2026-1187',
      invoice_date: '2026-10-14',
      due_date: '2026-11-13',
      purchase_order: 'PO-7719',
      currency: 'EUR',
      net_amount: 2455.7,
      tax: 466.58,
      total: 2922.28,
      iban: 'DE98 1000 0000 0532 0130 00',
    },
    4,
  ],
  'northgate-repairs-scan.pdf': [
    {
      supplier: 'Northgate Repairs',
      invoice_number: '1093',
      invoice_date: '2026-10-24',
      due_date: null,
      purchase_order: null,
      currency: 'GBP',
      net_amount: 399.4,
      tax: 79.88,
      total: 479.28,
      iban: 'GB13 NGRP 3040 5060 7080 90',
    },
    3,
  ],
  'brightwater-coffee.xlsx': [
    {
      supplier: 'Brightwater Coffee Roasters',
      invoice_number: 'BW-2026-0388',
      invoice_date: '2026-11-02',
      due_date: '2026-12-02',
      purchase_order: 'PO-7744',
      currency: 'EUR',
      net_amount: 1212.65,
      tax: 254.66,
      total: 1467.31,
      iban: 'NL10 BRWC 0417 1643 00',
    },
    4,
  ],
  'pell-and-daughters.docx': [
    {
      supplier: 'Pell & Daughters Consulting',
      invoice_number: 'PD/26/114',
      invoice_date: '2026-11-03',
      due_date: '2026-11-17',
      purchase_order: null,
      currency: 'EUR',
      net_amount: 1228.4,
      tax: 282.53,
      total: 1510.93,
      iban: 'IE42 PELS 9903 4512 3456 78',
    },
    3,
  ],
  'glasshouse-bookings.html': [
    {
      supplier: 'Glasshouse Bookings Inc.',
      invoice_number: 'GH-55120',
      invoice_date: '2026-11-01',
      due_date: null,
      purchase_order: null,
      currency: 'USD',
      net_amount: 189.4,
      tax: 0,
      total: 189.4,
      iban: null,
    },
    2,
  ],
  'castle-lane-dairy-copy.pdf': [
    {
      supplier: 'Castle Lane Dairy',
      invoice_number: 'CL-8841',
      invoice_date: '2026-09-28',
      due_date: '2026-10-28',
      purchase_order: 'PO-7702',
      currency: 'GBP',
      net_amount: 1060.8,
      tax: 0,
      total: 1060.8,
      iban: 'GB53 CSTL 4050 6070 8090 10',
    },
    3,
  ],
  'tidewater-linen.eml': [
    {
      supplier: 'Tidewater Linen Services',
      invoice_number: 'TW-3319',
      invoice_date: '2026-10-31',
      due_date: '2026-11-14',
      purchase_order: null,
      currency: 'GBP',
      net_amount: 482.4,
      tax: 96.48,
      total: 578.88,
      iban: 'GB61 TDWL 2030 4050 6070 80',
    },
    4,
  ],
  'marlow-cheese.pdf': [{ ...cheese, total: 1253.64 }, 3],
  'marlow-cheese-again.pdf': [{ ...cheese, total: 1235.64 }, 3],
  'order-PO-7781.csv': [
    {
      order_number: 'PO-7781',
      supplier: 'Marsh Lane Wholesale, Porthaven',
      order_date: '2026-11-04',
      delivery_date: '2026-11-09',
      deliver_to: '14 Fennimore Street, Porthaven PH4 2RT',
      currency: 'GBP',
      total: 1228.6,
    },
    4,
  ],
  'greenhithe-farm.txt': [
    {
      order_number: 'PO-7785',
      supplier: 'Greenhithe Farm',
      order_date: '2026-11-05',
      delivery_date: '2026-11-12',
      deliver_to: 'Back door, 14 Fennimore Street, before 7 am',
      currency: 'GBP',
      total: 412.6,
    },
    4,
  ],
};

/** Of which profile the e-invoices are, and what stands in their XML. */
const eInvoices: Readonly<Record<string, readonly [profile: string, fields: Record<string, JsonValue>]>> = {
  'lindenau-gas.xml': [
    'xrechnung',
    {
      supplier: 'Lindenau Gas GmbH',
      invoice_number: 'LG-60231',
      invoice_date: '2026-11-05',
      due_date: '2026-12-05',
      purchase_order: 'PO-7760',
      currency: 'EUR',
      net_amount: 701.6,
      tax: 133.3,
      total: 834.9,
      iban: 'DE02120300000000202051',
    },
  ],
  'maison-verel-epices.pdf': [
    'en16931',
    {
      supplier: 'Maison Verel Épices',
      invoice_number: 'MV-4471',
      invoice_date: '2026-11-10',
      due_date: '2026-12-10',
      purchase_order: 'PO-7768',
      currency: 'EUR',
      net_amount: 610.3,
      tax: 122.06,
      total: 732.36,
      iban: 'LT121000011101001000',
    },
  ],
};

const leaves = (value: JsonValue): number => {
  if (value === null) return 0;
  return typeof value === 'object'
    ? Object.values(value).reduce((sum: number, part) => sum + leaves(part as JsonValue), 0)
    : 1;
};

const hasPicture = (pdf: PDFDocument) =>
  pdf.context
    .enumerateIndirectObjects()
    .some(
      ([, object]) => object instanceof PDFRawStream && object.dict.get(PDFName.of('Subtype')) === PDFName.of('Image'),
    );

describe('the sample files of the demo', () => {
  it('are those that the demo sends, no more and no fewer', async () => {
    expect(await readdir(path.join(demo, 'samples'))).to.have.members([
      ...allSamples.map(({ file }) => file),
      bundle.file,
    ]);
    expect(allSamples.map(({ file }) => contentTypeOfName(file))).not.to.include(undefined);
  });

  it('are of the kinds that their names say', async () => {
    for (const { file } of allSamples) {
      const head = (await bytes(file)).subarray(0, 5).toString('latin1');
      if (file.endsWith('.pdf')) expect(head, file).to.equal('%PDF-');
      if (/\.(docx|xlsx)$/.test(file)) expect(head.slice(0, 4), file).to.equal('PK\x03\x04');
    }
    expect((await bytes('glasshouse-bookings.html')).toString()).to.match(/^<!doctype html>/);
    expect((await bytes('tidewater-linen.eml')).toString())
      .to.match(/^Date: .+\r\nFrom: /)
      .and.to.include('Content-Disposition: attachment; filename="TW-3319.pdf"');
    expect((await bytes('order-PO-7781.csv')).toString().split('\r\n')[0]).to.equal('Order number,PO-7781');
  });

  it('have a bundle of eight pages, of which one is blank and no part', async () => {
    const pages = (await PDFDocument.load(await bytes(bundle.file))).getPageIndices().map((page) => page + 1);
    const inParts = bundle.parts.flatMap(([, numbers]) => numbers);
    expect(pages.filter((page) => !(inParts as number[]).includes(page))).to.deep.equal([6]);
  });

  it('have a PDF of two pages, one that is a picture only, and one that is broken', async () => {
    const twoPages = await PDFDocument.load(await bytes('harbour-row-paper.pdf'));
    expect(twoPages.getPageCount()).to.equal(2);
    expect(hasPicture(twoPages)).to.equal(false);
    expect(hasPicture(await PDFDocument.load(await bytes('northgate-repairs-scan.pdf')))).to.equal(true);
    const broken = (await bytes('quayside-glassware-damaged.pdf')).toString('latin1');
    expect(broken).not.to.include('%%EOF');
    expect(broken).not.to.include('startxref');
  });
});

describe('the workspace of the demo', () => {
  it('is a workspace file without an error', async () => {
    const models = {
      traits: () => ({ images: false, pdf: false, contextTokens: 1, outputTokens: 0 }),
      defect: () => null,
      step: offlineStep,
    };
    const connectors = { addressDefect: () => null };
    const checks = { models, connectors, schemas: ajvSchemas(), checks: celChecks(), signatures: standardSignatures };
    expect(workspaceErrors(await workspace(), checks)).to.deep.equal([]);
  });

  it('needs no network: every model in it is the offline one', async () => {
    expect((await workspace()).agents.map(({ model }) => model)).to.deep.equal(Array(5).fill('offline'));
  });

  it('has the agents that the demo sends its samples to, an admin for the demo key, and a viewer', async () => {
    const { agents, users } = await workspace();
    expect(agents.map(({ name }) => name)).to.include.members([...allSamples.map(({ agent }) => agent), bundle.agent]);
    expect(users.map(({ email, role }) => [email, role])).to.deep.equal([
      ['demo@portico.local', 'admin'],
      ['viewer@portico.local', 'viewer'],
    ]);
  });
});

describe('the offline model on the sample files', () => {
  const text = textExtractor({ timeoutSeconds: 30, ocr: { languages: ['eng', 'deu'] } });
  after(() => text.close());

  const read = async (file: string, agentName: string) => {
    const parts = await text.extract({
      fileName: file,
      contentType: contentTypeOfName(file) ?? '',
      data: await bytes(file),
    });
    if (parts.every(({ unreadable }) => unreadable !== null)) return null;
    const schema = (await workspace()).agents.find(({ name }) => name === agentName)?.documentSchema ?? {};
    const content = parts.map(({ fileName, pages, unreadable }) => ({
      type: 'document' as const,
      fileName,
      pages,
      unreadable,
    }));
    const outputSchema = extractionSchema(schema);
    const asked = { model: 'offline', instructions: '', fence: '', tools: [], outputSchema };
    const step = await offlineStep({ ...asked, messages: [{ role: 'user', content }] });
    const answer: { document: Record<string, JsonValue>; evidence: unknown } = JSON.parse(step.text);
    expect(ajvSchemas().errors(schema, answer.document)).to.deep.equal([]);
    return { document: answer.document, evidence: verifiedEvidence(answer.evidence, answer.document, parts) };
  };

  for (const { file, agent, outcome } of allSamples) {
    if (file in eInvoices) {
      it(`is not asked for ${file}: all stands in its XML`, async () => {
        const parts = await text.extract({
          fileName: file,
          contentType: contentTypeOfName(file) ?? '',
          data: await bytes(file),
        });
        const found = (await workspace()).agents.find(({ name }) => name === agent);
        const [schema, einvoice] = [found?.documentSchema ?? {}, found?.einvoice ?? null];
        const reading = parts.find((part) => part.einvoice != null)?.einvoice;
        if (typeof einvoice !== 'object' || einvoice === null || reading == null)
          return expect.fail('there is no e-invoice');
        const [profile, fields] = eInvoices[file] ?? [];
        expect([reading.profile, reading.valid, reading.violations]).to.deep.equal([profile, true, []]);
        const { data, lacking } = mapped(fieldsOf(einvoice.map), reading.nodes, schema);
        const { lines, ...values } = data;
        expect(lacking).to.deep.equal([]);
        expect(JSON.parse(JSON.stringify(values))).to.deep.equal(fields);
        expect(lines).to.have.length(3);
        expect(schemaBeside(schema, fieldsOf(einvoice.map), schema)).to.equal(null);
      });
      continue;
    }
    if (outcome === 'unreadable')
      it(`has no text of ${file}`, async () => expect(await read(file, agent)).to.equal(null));
    else
      it(`reads all that stands in ${file}, and where it stands`, async () => {
        const answer = await read(file, agent);
        const [fields, count] = standing[file] ?? [{}, 0];
        const { lines, ...found } = answer?.document ?? {};
        expect(found).to.deep.equal(fields);
        expect(lines).to.have.length(count);
        expect(leaves(lines ?? null)).to.equal(count * 4);
        expect(Object.keys(answer?.evidence ?? {})).to.have.length(leaves(answer?.document ?? null));
        for (const [pointer, { support, quote, page, boxes }] of Object.entries(answer?.evidence ?? {})) {
          expect(support, `${pointer} in ${quote}`).to.be.oneOf(['exact', 'normalized']);
          if (file.endsWith('.pdf')) expect(boxes.map((box) => box.page)).to.include(page).and.not.be.empty;
        }
      });
  }
});
