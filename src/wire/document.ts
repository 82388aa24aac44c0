import * as t from 'io-ts';
import { doorNames, doors } from '../domain/access.ts';
import { profiles } from '../domain/e-invoice/e-invoice.ts';
import { type Hold, notHeld } from '../domain/hold.ts';
import type { JsonValue } from '../domain/json.ts';
import { neverPosted, type Posting } from '../domain/posting.ts';
import { noReview, type Review, reasonCodes, reviewMachine } from '../domain/review.ts';
import { box, fraction } from './box.ts';
import { exampleId } from './example.ts';
import { exampleFile } from './file.ts';
import { hold, holdOf } from './hold.ts';
import { type Codec, named } from './kit/codec.ts';
import { about, component, list, map, nullable, onlyWritten, wire, written } from './kit/structures.ts';
import { dateTime, integer, oneOf, uuid } from './kit/values.ts';
import { posting, postingOf } from './posting.ts';
import { documentStatus, exampleRun, version } from './run.ts';

const quote = {
  quote: about('Verbatim from the file; empty if a person entered the value.', t.string),
  fileName: about('Empty if a person entered the value and named no file.', t.string),
  page: nullable(integer({ min: 1 })),
};

const places = {
  boxes: about(
    'Where the quote stands, one box for each line, as fractions of the page as it is shown, from its top left; empty if the file has no pages.',
    list(box),
  ),
  approximate: about('Whether the words at the boxes differ a little from the quote, though in no digit.', t.boolean),
};

const worth = {
  support: about(
    '`exact`: the value stands in the quote as it is. `normalized`: it does once numbers, dates, currencies, units or case are normalised. ' +
      '`computed`: it is a sum or product of quoted values. `none`: the quote does not have it. `person`: a person entered it.',
    oneOf('exact', 'normalized', 'computed', 'none', 'person'),
  ),
  source: about(
    'Whether the file itself has the words, OCR read them, or an element of an e-invoice has them. Of a value that a person entered: `ocr` if they named a page from which OCR read ' +
      'other values, else `text`.',
    oneOf('text', 'ocr', 'xml'),
  ),
  confidence: about('Of OCR, that of the word of the value it is least sure of; else null.', nullable(fraction)),
  xpath: about('Of the element or attribute of an e-invoice that has the value; else null.', nullable(t.string)),
};

const evidence = component('Evidence', { ...quote, ...places, ...worth });

/** A text, a number with every digit of it, true or false. */
const listedValue: Codec<JsonValue> = onlyWritten<JsonValue>(t.identity, () => ({
  type: ['string', 'number', 'boolean'],
}));

const count = integer({ min: 0 });
const unreadContent = wire({
  fileName: about(
    'With the files around it, as in `mail.eml › a.pdf`; null where it stands for several.',
    nullable(t.string),
  ),
  page: about('null where the file has no pages, or all of it was not read.', nullable(integer({ min: 1 }))),
  what: t.string,
});
const coverage = component('Coverage', {
  pagesRead: count,
  pagesTotal: count,
  charactersRead: count,
  charactersTotal: count,
  complete: t.boolean,
  unread: about(
    'Everything that is known not to have been read: at most 100, and one more entry that counts the rest. Empty if the coverage is complete.',
    list(unreadContent),
  ),
});

const einvoice = component('EInvoice', {
  syntax: oneOf('ubl', 'cii'),
  profile: oneOf(...profiles),
  specification: about('The identifier of the specification that it follows (BT-24), verbatim.', t.string),
  valid: about(
    'Whether no violation is an error; null of ZUGFeRD 1, which is older than the rules.',
    nullable(t.boolean),
  ),
  violations: about(
    'The rules of its profile that it breaks, each at most 20 times.',
    list(
      wire({
        rule: about('Its own id, such as `BR-CO-15`.', t.string),
        severity: oneOf('error', 'warning'),
        message: t.string,
        location: about('An XPath into the e-invoice.', t.string),
      }),
    ),
  ),
  differences: about(
    'What the page of a PDF shows otherwise than the e-invoice inside of it, of number, date, currency, totals and account.',
    list(
      wire({
        pointer: about('Of the field that is mapped to the term; else the term, such as `BT-112`.', t.string),
        xml: about('Verbatim.', t.string),
        pageValue: about('Verbatim; null if the page shows nothing of the kind.', nullable(t.string)),
        page: nullable(integer({ min: 1 })),
        boxes: list(box),
      }),
    ),
  ),
});

const revisionNumber = about(
  'How often the data changed: 1 when the document becomes ready, 0 while it has none.',
  integer({ min: 0 }),
);
const head = {
  id: uuid,
  runId: uuid,
  agentId: uuid,
  ...version,
  conversationId: uuid,
  name: t.string,
  status: documentStatus,
};
const end = {
  error: nullable(t.string),
  externalReference: about('The row in the system of record, in the form of that system.', nullable(t.string)),
  createdAt: dateTime,
  updatedAt: dateTime,
  processedAt: nullable(dateTime),
};
const rest = { evidence: about('JSON Pointer of a value → the verbatim quote that has it.', map(evidence)), ...end };

const shownCoverage = about(
  'How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes ' +
    'has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. ' +
    'null before the document is ready.',
  nullable(coverage),
);

const shownEInvoice = about(
  'The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none.',
  nullable(einvoice),
);

const reason = wire({
  code: oneOf(...reasonCodes),
  pointer: about('The value that it is about; null if it is about the document as a whole.', nullable(t.string)),
  message: t.string,
});

const doorMeanings = doorNames.map((door) => `\`${door}\`: ${doors[door]}`).join('; ');

const review = component('Review', {
  status: about('A document whose review is `pending` or `rejected` is not processed.', oneOf(...reviewMachine.states)),
  reasons: about('Why a person should look at the document; none if its agent asks for no reviews.', list(reason)),
  reviewer: about('Who decided; null while it is not decided.', nullable(wire({ name: t.string, email: t.string }))),
  note: nullable(t.string),
  decidedAt: nullable(dateTime),
  decidedVia: about(
    `By which door the decision came; null while it is not decided. ${doorMeanings}.`,
    nullable(oneOf(...doorNames)),
  ),
});

const reviewOf = ({
  reviewStatus,
  reviewReasons,
  reviewer,
  reviewNote,
  decidedAt,
  decidedVia,
}: Review): t.TypeOf<typeof review> => ({
  status: reviewStatus,
  reasons: reviewReasons,
  reviewer,
  note: reviewNote,
  decidedAt,
  decidedVia,
});

const checks = about(
  'What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing.',
  list(wire({ name: t.string, status: oneOf('passed', 'failed', 'not_applicable'), message: nullable(t.string) })),
);

const duplicates = about(
  'Documents of the same agent with the same key, or from the same file.',
  list(wire({ documentId: uuid, reason: oneOf('key', 'file') })),
);

/** A document, which has what is known of its review and of its posting in objects of their own. */
const reviewed = <P extends t.Props>(props: P) => {
  const fields = wire({ ...props, revision: revisionNumber, review, checks, posting });
  type Shown = Omit<t.TypeOf<typeof fields>, 'review' | 'posting'> & Review & Posting;
  const objects = (value: Shown) => ({ review: reviewOf(value), posting: postingOf(value) });
  return written(fields, (value: Shown) => ({ ...value, ...objects(value) }) as t.TypeOf<typeof fields>);
};

/** The same of a document as it is kept, with what holds it. */
const kept = <P extends t.Props>(props: P) => {
  const fields = reviewed({ ...props, hold });
  type Shown = Omit<t.TypeOf<typeof fields>, 'hold'> & Hold;
  return written(fields, (value: Shown) => ({ ...value, hold: holdOf(value) }) as t.TypeOf<typeof fields>);
};

/** What a list shows: without data and evidence, which may be long. */
const listed = { ...head, coverage: shownCoverage, einvoice: shownEInvoice, ...end, duplicates };

export const listedValues = about(
  'By JSON Pointer, what the agent has in its `list_columns`; null where a document has nothing. A text of more than 500 characters is cut there.',
  map(nullable(listedValue)),
);

export const listedDocument = named('ListedDocument', kept({ ...listed, values: listedValues }));

/** What a batch answers of each document. */
export const batchedDocument = named('BatchedDocument', kept(listed));

export const exportedDocument = named('ExportedDocument', kept({ ...listed, documentData: nullable(t.UnknownRecord) }));

const exportedRow = named(
  'ExportedRow',
  kept({
    ...listed,
    row: about('Its place in the list, from 0.', integer({ min: 0 })),
    data: about('The row, as it stands in the list.', t.unknown),
  }),
);

interface Exported {
  readonly document: t.TypeOf<typeof exportedDocument>;
  /** null where the line is the whole document. */
  readonly row: { readonly index: number; readonly data: unknown } | null;
}

/** A line of an export: a document with its data, or with one row of a list that it has. */
export const exportedLine = onlyWritten<Exported>(
  ({ document: exported, row }) =>
    row === null
      ? exportedDocument.encode(exported)
      : exportedRow.encode({ ...exported, row: row.index, data: row.data }),
  (schemaOf) => ({ anyOf: [exportedDocument, exportedRow].map(schemaOf) }),
);

export const document = named(
  'DocumentDetail',
  kept({
    ...head,
    documentData: about(
      'Valid against the agent’s schema once the status is `ready`; null before that.',
      nullable(t.UnknownRecord),
    ),
    coverage: shownCoverage,
    einvoice: shownEInvoice,
    ...rest,
    duplicates,
  }),
);

/** The document in an event. It has no data and no duplicates: the receiver reads those with a credential, as they are by then. */
export const documentEvent = named(
  'DocumentEvent',
  reviewed({ ...head, coverage: shownCoverage, einvoice: shownEInvoice, ...rest }),
);

/** A document as models read it: what tells it from others first, its data last, and no places of quotes on their pages. */
export const documentForModels = reviewed({
  id: uuid,
  runId: uuid,
  name: t.string,
  status: documentStatus,
  revision: revisionNumber,
  error: end.error,
  externalReference: end.externalReference,
  createdAt: dateTime,
  processedAt: end.processedAt,
  review,
  checks,
  duplicates,
  coverage: shownCoverage,
  einvoice: shownEInvoice,
  documentData: nullable(t.UnknownRecord),
  evidence: map(wire({ ...quote, ...worth })),
});

export const rehearsal = component('Rehearsal', {
  would: about(
    '`insert`: the row would be written. `already_there`: the row of this document is there, and would stay as it is. `reject`: the system refuses it.',
    oneOf('insert', 'already_there', 'reject'),
  ),
  row: about('Column → value, as the document gives them.', t.UnknownRecord),
  reason: about('The words of the system; null unless it rejects the row.', nullable(t.string)),
});

export const revision = component('Revision', {
  revision: integer({ min: 1 }),
  createdAt: dateTime,
  by: wire({
    type: oneOf('agent', 'user'),
    name: t.string,
    via: about(`By which door; null of what the agent extracted. ${doorMeanings}.`, nullable(oneOf(...doorNames))),
  }),
  changes: about(
    'What the data has otherwise than before, at the innermost places; null where there is nothing. None for the first revision.',
    list(wire({ pointer: t.string, from: t.unknown, to: t.unknown })),
  ),
});

export const exampleRevision = {
  revision: 2,
  createdAt: new Date('2026-11-20T09:34:00.000Z'),
  by: { type: 'user', name: 'Ada', via: 'console' },
  changes: [{ pointer: '/total', from: 1190.5, to: 1910.5 }],
} as const;

export const trashed = component('TrashedDocument', { id: uuid, status: oneOf('trashed') });

export const exampleDocument = {
  id: exampleId(6),
  workspaceId: exampleRun.workspaceId,
  runId: exampleRun.id,
  agentId: exampleRun.agentId,
  agentVersion: exampleRun.agentVersion,
  model: exampleRun.model,
  conversationId: exampleId(5),
  name: exampleFile.fileName,
  status: 'ready',
  documentData: { invoice_number: '4711', supplier: 'Meyer & Söhne', total: 1190.5, currency: 'EUR' },
  evidence: {
    '/invoice_number': {
      quote: 'Invoice no. 4711',
      fileName: exampleFile.fileName,
      page: 1,
      support: 'exact',
      source: 'text',
      confidence: null,
      boxes: [{ page: 1, x: 0.12, y: 0.08, width: 0.21, height: 0.014 }],
      approximate: false,
      xpath: null,
    },
    '/total': {
      quote: 'Total 1,190.50 EUR',
      fileName: exampleFile.fileName,
      page: 2,
      support: 'normalized',
      source: 'text',
      confidence: null,
      boxes: [{ page: 2, x: 0.61, y: 0.72, width: 0.27, height: 0.014 }],
      approximate: false,
      xpath: null,
    },
  },
  coverage: {
    pagesRead: 2,
    pagesTotal: 2,
    charactersRead: 3120,
    charactersTotal: 3120,
    complete: true,
    unread: [],
    doubts: [],
  },
  einvoice: null,
  contradictions: [],
  revision: 1,
  attemptedRevision: null,
  approvedRevision: null,
  approvedAs: null,
  reopened: false,
  checks: [{ name: 'sum', status: 'passed', message: null }],
  duplicateKey: null,
  laterKey: null,
  duplicates: [],
  values: { '/invoice_number': '4711', '/supplier': 'Meyer & Söhne', '/total': 1190.5, '/currency': 'EUR' },
  ...noReview,
  ...neverPosted,
  ...notHeld,
  error: null,
  externalReference: null,
  fence: 0,
  leaseExpiresAt: null,
  trashedFrom: null,
  createdAt: new Date('2026-11-20T09:30:00.150Z'),
  updatedAt: new Date('2026-11-20T09:30:04.790Z'),
  processedAt: null,
} as const;
