/** What is to become of a sample: entered in the ledger, refused by it, held back by a review, or not even read. */
export type Outcome = 'processed' | 'refused' | 'held' | 'unreadable';

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
  file,
  about,
  number,
  outcome,
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
    title: 'An e-invoice',
    agent: 'Invoice reader',
    processTogether: false,
    why: 'what an e-invoice has is taken from its XML, without a model',
    samples: [sample('lindenau-gas.xml', 'XRechnung, XML without a page', 'LG-60231')],
  },
  {
    title: 'Two orders',
    agent: 'Order reader',
    processTogether: false,
    why: 'each file is a unit of work of its own',
    samples: [
      sample('order-PO-7781.csv', 'export of a shop system', 'PO-7781'),
      sample('greenhithe-farm.txt', 'plain text', 'PO-7785'),
    ],
  },
];

const auditor = { agent: 'Invoice auditor', processTogether: false };

/** Goes through a review: it is held back, corrected, approved and entered. */
export const wrongSum: Batch = {
  ...auditor,
  title: 'An invoice whose sum is wrong',
  why: 'this agent has checks, and a person decides on what they flag',
  samples: [sample('marlow-cheese.pdf', 'PDF, its total has two digits the wrong way round', 'MC-2093')],
};

/** Goes through a review too: it is rejected, before the ledger hears of it. */
export const sentAgain: Batch = {
  ...auditor,
  title: 'The same invoice, sent again',
  why: 'supplier and number are those of an invoice that came before',
  samples: [sample('marlow-cheese-again.pdf', 'PDF, with the right total now', 'MC-2093', 'held')],
};

/** Is held back and rejected: the page around its XML shows another account. */
export const otherAccount: Batch = {
  ...auditor,
  title: 'An e-invoice that says two things',
  why: 'people read its page and programs the XML inside of it: both are compared',
  samples: [
    sample('maison-verel-epices.pdf', 'Factur-X, the XML names another account than the page', 'MV-4471', 'held'),
  ],
};

/** Every sample with the agent that it is for, in the order in which the demo sends them. */
export const allSamples = [...batches, wrongSum, sentAgain, otherAccount].flatMap(({ agent, samples }) =>
  samples.map((each) => ({ ...each, agent })),
);
