import { amounts, CII_CURRENCY, CII_TAX_CURRENCY, payment } from './amount-terms.ts';
import { line } from './line-terms.ts';
import { buyer, otherParties, seller } from './party-terms.ts';
import {
  AGREEMENT,
  below,
  CONTEXT,
  DATE,
  DELIVERY,
  DOCUMENT,
  group,
  has,
  lacks,
  SETTLEMENT,
  type Term,
  term,
} from './term.ts';

const documents = [
  group(
    'BG-24',
    'Additional supporting document',
    [['cac:AdditionalDocumentReference', lacks('cbc:DocumentTypeCode', '50', '130')]],
    [below(`${AGREEMENT}/ram:AdditionalReferencedDocument`, has('ram:TypeCode', '916'))],
    [
      term('BT-122', 'Supporting document reference', 'cbc:ID', 'ram:IssuerAssignedID'),
      term('BT-123', 'Supporting document description', 'cbc:DocumentDescription', 'ram:Name'),
      term('BT-124', 'External document location', 'cac:Attachment/cac:ExternalReference/cbc:URI', 'ram:URIID'),
      group(
        'BT-125',
        'Attached document',
        'cac:Attachment/cbc:EmbeddedDocumentBinaryObject',
        'ram:AttachmentBinaryObject',
        [
          term('BT-125-1', 'Attached document MIME code', '@mimeCode', '@mimeCode'),
          term('BT-125-2', 'Attached document file name', '@filename', '@filename'),
        ],
      ),
    ],
  ),
];

/** Every term of EN 16931-1, below the root of the document, in the order of the standard. */
export const terms: readonly Term[] = [
  term('BT-1', 'Invoice number', 'cbc:ID', `${DOCUMENT}/ram:ID`),
  term('BT-2', 'Invoice issue date', 'cbc:IssueDate', `${DOCUMENT}/ram:IssueDateTime/${DATE}`),
  term('BT-3', 'Invoice type code', ['cbc:InvoiceTypeCode', 'cbc:CreditNoteTypeCode'], `${DOCUMENT}/ram:TypeCode`),
  term('BT-5', 'Invoice currency code', 'cbc:DocumentCurrencyCode', CII_CURRENCY),
  term('BT-6', 'VAT accounting currency code', 'cbc:TaxCurrencyCode', CII_TAX_CURRENCY),
  term(
    'BT-7',
    'Value added tax point date',
    'cbc:TaxPointDate',
    `${SETTLEMENT}/ram:ApplicableTradeTax/ram:TaxPointDate/udt:DateString`,
  ),
  term(
    'BT-8',
    'Value added tax point date code',
    'cac:InvoicePeriod/cbc:DescriptionCode',
    `${SETTLEMENT}/ram:ApplicableTradeTax/ram:DueDateTypeCode`,
  ),
  term(
    'BT-9',
    'Payment due date',
    ['cbc:DueDate', 'cac:PaymentMeans/cbc:PaymentDueDate'],
    `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/${DATE}`,
  ),
  term('BT-10', 'Buyer reference', 'cbc:BuyerReference', `${AGREEMENT}/ram:BuyerReference`),
  term(
    'BT-11',
    'Project reference',
    ['cac:ProjectReference/cbc:ID', ['cac:AdditionalDocumentReference', has('cbc:DocumentTypeCode', '50'), 'cbc:ID']],
    `${AGREEMENT}/ram:SpecifiedProcuringProject/ram:ID`,
  ),
  term(
    'BT-12',
    'Contract reference',
    'cac:ContractDocumentReference/cbc:ID',
    `${AGREEMENT}/ram:ContractReferencedDocument/ram:IssuerAssignedID`,
  ),
  term(
    'BT-13',
    'Purchase order reference',
    'cac:OrderReference/cbc:ID',
    `${AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID`,
  ),
  term(
    'BT-14',
    'Sales order reference',
    'cac:OrderReference/cbc:SalesOrderID',
    `${AGREEMENT}/ram:SellerOrderReferencedDocument/ram:IssuerAssignedID`,
  ),
  term(
    'BT-15',
    'Receiving advice reference',
    'cac:ReceiptDocumentReference/cbc:ID',
    `${DELIVERY}/ram:ReceivingAdviceReferencedDocument/ram:IssuerAssignedID`,
  ),
  term(
    'BT-16',
    'Despatch advice reference',
    'cac:DespatchDocumentReference/cbc:ID',
    `${DELIVERY}/ram:DespatchAdviceReferencedDocument/ram:IssuerAssignedID`,
  ),
  term('BT-17', 'Tender or lot reference', 'cac:OriginatorDocumentReference/cbc:ID', [
    below(`${AGREEMENT}/ram:AdditionalReferencedDocument`, has('ram:TypeCode', '50'), 'ram:IssuerAssignedID'),
  ]),
  term(
    'BT-18',
    'Invoiced object identifier',
    [['cac:AdditionalDocumentReference', has('cbc:DocumentTypeCode', '130'), 'cbc:ID']],
    [below(`${AGREEMENT}/ram:AdditionalReferencedDocument`, has('ram:TypeCode', '130'), 'ram:IssuerAssignedID')],
  ),
  term(
    'BT-19',
    'Buyer accounting reference',
    'cbc:AccountingCost',
    `${SETTLEMENT}/ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID`,
  ),
  term(
    'BT-20',
    'Payment terms',
    'cac:PaymentTerms/cbc:Note',
    `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:Description`,
  ),
  group('BG-1', 'Invoice note', 'cbc:Note', `${DOCUMENT}/ram:IncludedNote`, [
    term('BT-21', 'Invoice note subject code', '', 'ram:SubjectCode'),
    term('BT-22', 'Invoice note', '.', 'ram:Content'),
  ]),
  term(
    'BT-23',
    'Business process type',
    'cbc:ProfileID',
    `${CONTEXT}/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID`,
  ),
  term(
    'BT-24',
    'Specification identifier',
    'cbc:CustomizationID',
    `${CONTEXT}/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID`,
  ),
  group(
    'BG-3',
    'Preceding invoice reference',
    'cac:BillingReference/cac:InvoiceDocumentReference',
    `${SETTLEMENT}/ram:InvoiceReferencedDocument`,
    [
      term('BT-25', 'Preceding invoice reference', 'cbc:ID', 'ram:IssuerAssignedID'),
      term('BT-26', 'Preceding invoice issue date', 'cbc:IssueDate', 'ram:FormattedIssueDateTime/qdt:DateTimeString'),
    ],
  ),
  seller,
  buyer,
  ...otherParties,
  ...payment,
  ...amounts,
  ...documents,
  line,
];

const withTerms = (term: Term): readonly Term[] => [term, ...term.terms.flatMap(withTerms)];

/** Every term and group of EN 16931-1. */
export const termsById: ReadonlyMap<string, Term> = new Map(
  terms.flatMap(withTerms).map((each) => [each.id, each] as const),
);
