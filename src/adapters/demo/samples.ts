/** What is to become of a sample: entered in the ledger, refused by it, or not even read. */
export type Outcome = 'processed' | 'refused' | 'unreadable';

export interface Sample {
  readonly file: string;
  readonly about: string;
  /** The number that stands on it, by which it is found in the ledger; null if it cannot be read. */
  readonly number: string | null;
  readonly outcome: Outcome;
}

export interface Batch {
  readonly title: string;
  readonly agent: string;
  readonly processTogether: boolean;
  readonly why: string;
  readonly samples: readonly Sample[];
}

const sample = (file: string, about: string, number: string | null, outcome: Outcome = 'processed'): Sample => ({
  ...{ file, about, number, outcome },
});

export const batches: readonly Batch[] = [
  {
    title: 'Eight invoices, as they came in',
    agent: 'Invoice reader',
    processTogether: false,
    why: 'each file is a unit of work of its own, with a document of its own',
    samples: [
      sample('harbour-row-paper.pdf', 'PDF, its table goes on over two pages', 'HR-20417'),
      sample('brandt-verpackungen.pdf', 'PDF in German, with German figures', '2026-1187'),
      sample('brightwater-coffee.xlsx', 'spreadsheet', 'BW-2026-0388'),
      sample('pell-and-daughters.docx', 'letter in Word', 'PD/26/114'),
      sample('glasshouse-bookings.html', 'web page', 'GH-55120'),
      sample('castle-lane-dairy-copy.pdf', 'second copy of an invoice that is in the ledger', 'CL-8841', 'refused'),
      sample('northgate-repairs-scan.pdf', 'scan, a picture that OCR reads', '1093'),
      sample('quayside-glassware-damaged.pdf', 'PDF that arrived broken', null, 'unreadable'),
    ],
  },
  {
    title: 'An e-mail with its attachment',
    agent: 'Invoice reader',
    processTogether: true,
    why: 'everything that is sent is one unit of work and becomes one document',
    samples: [sample('tidewater-linen.eml', 'e-mail, the invoice is attached as PDF', 'TW-3319')],
  },
  {
    title: 'Two orders',
    agent: 'Order reader',
    processTogether: false,
    why: 'each file is a unit of work of its own',
    samples: [sample('order-PO-7781.csv', 'export of a shop system', 'PO-7781'), sample('greenhithe-farm.txt', 'plain text', 'PO-7785')],
  },
];

const contentTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  html: 'text/html',
  pdf: 'application/pdf',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export const contentTypeOf = (file: string): string => contentTypes[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
