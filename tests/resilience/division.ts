import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { DivisionQuestion } from '../../src/domain/routing/question.ts';

/** A document of a bundle: the pages that it has there, and what it calls itself. */
export interface Bundled {
  readonly name: 'invoice' | 'order';
  readonly pages: number[];
  readonly unit: string;
}

/** Documents of one to four pages, some of which lie among the pages of the one before. */
export const documentsOf = (bundle: string, pages: number, random: () => number): readonly Bundled[] => {
  const documents: Bundled[] = [];
  for (let page = 1; page <= pages; page += 1) {
    const open = documents.slice(-2).filter((document) => document.pages.length < 4);
    const goesOn = open[Math.floor(random() * (open.length + 1))];
    if (goesOn) goesOn.pages.push(page);
    else
      documents.push({
        name: random() < 0.5 ? 'invoice' : 'order',
        pages: [page],
        unit: `UNIT-${bundle}-${documents.length}`,
      });
  }
  return documents;
};

/** Each page says of which document it is. */
export const bundleOf = async (documents: readonly Bundled[], lines = 0): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const owners = new Map(documents.flatMap((document) => document.pages.map((page) => [page, document] as const)));
  for (let page = 1; page <= owners.size; page += 1) {
    const { name, unit } = owners.get(page) as Bundled;
    const sheet = pdf.addPage([595, 842]);
    sheet.drawText(`This is ${unit}, of the kind ${name}, page ${page}.`, { x: 60, y: 780, size: 12, font });
    for (let line = 1; line <= lines; line += 1) {
      const text = `Position ${line} of ${unit}: ${line * page} boxes of paper, white, A4, at 12.50 a box`;
      sheet.drawText(text, { x: 60, y: 770 - line * 12, size: 9, font });
    }
  }
  return pdf.save();
};

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** What the model is asked to divide; null if it is asked for something else. */
export const questionIn = (body: string): DivisionQuestion | null => {
  const text = textsIn(JSON.parse(body)).find((each) => each.startsWith('{"file_name":'));
  return text === undefined ? null : (JSON.parse(text) as DivisionQuestion);
};

/** The answer of a model that makes no mistake. */
export const divisionAnswer = ({ pages, earlier }: DivisionQuestion, documents: readonly Bundled[]): string => {
  const { from, to } = pages ?? { from: 0, to: 0 };
  const parts = documents.flatMap(({ name, pages: own, unit }) => {
    const seen = own.filter((page) => page >= from && page <= to);
    const before = earlier.find(({ last_page: last }) => own.includes(last));
    const quote = `This is ${unit}, of the kind ${name}, page ${seen[0]}.`;
    const claim = { name, pages: seen, continues: before?.part ?? null, quote, page: seen[0], confidence: 0.9 };
    return seen.length === 0 ? [] : [claim];
  });
  return JSON.stringify({ parts });
};

const reader = (name: string) => `
  - name: ${name}
    workflow_type: document_extraction
    model: openai/stub
    instructions: Read it.
    document_schema:
      type: object
      properties: { unit: { type: string }, read_by: { type: string } }
      required: [unit, read_by]
      additionalProperties: false`;

export const routingWorkspace = `
workspace: errors
users: [{ email: errors@example.com, name: Errors, role: admin }]
agents:
  - name: Post room
    workflow_type: document_routing
    model: openai/stub
    instructions: Divide what comes in.
    parts:
      - { name: invoice, agent: Invoice reader, description: Invoices }
      - { name: order, agent: Order reader, description: Orders }${reader('Invoice reader')}${reader('Order reader')}
`;
