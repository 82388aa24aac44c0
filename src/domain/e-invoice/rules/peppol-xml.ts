import { AGREEMENT, DOCUMENT, SETTLEMENT, TRADE } from '../term.ts';
import { childrenOf, textAt, type XmlElement } from '../xml.ts';
import { holdsInDocument, type Rule } from './rule.ts';

export const id = (number: string): string => `PEPPOL-EN16931-R${number}`;

/** What breaks a rule, in each syntax; one that is left out does not have the rule. */
interface Broken {
  readonly ubl?: (root: XmlElement) => readonly XmlElement[];
  readonly cii?: (root: XmlElement) => readonly XmlElement[];
}

const inXml = (number: string, message: string, broken: Broken): Rule =>
  holdsInDocument(id(number), [], message, (_, root, syntax) =>
    (broken[syntax]?.(root) ?? []).map(({ xpath }) => xpath),
  );

/** The element and all below it. */
const everyElement = (element: XmlElement): readonly XmlElement[] => [
  element,
  ...element.children.flatMap(everyElement),
];

const below = (root: XmlElement, path: string): readonly XmlElement[] =>
  path
    .split('/')
    .reduce<readonly XmlElement[]>((parents, name) => parents.flatMap((parent) => childrenOf(parent, name)), [root]);

const withText = (elements: readonly XmlElement[], path: string, text: string): readonly XmlElement[] =>
  elements.filter((element) => textAt(element, ...path.split('/')) === text);

const linesOf = (root: XmlElement): readonly XmlElement[] =>
  root.children.filter(({ name }) => name === 'cac:InvoiceLine' || name === 'cac:CreditNoteLine');

const documentsOfLines = (root: XmlElement): readonly (readonly XmlElement[])[] =>
  linesOf(root).map((line) => childrenOf(line, 'cac:DocumentReference'));

const ciiDocumentsOfLines = (root: XmlElement): readonly (readonly XmlElement[])[] =>
  below(root, `${TRADE}/ram:IncludedSupplyChainTradeLineItem`).map((line) =>
    below(line, 'ram:SpecifiedLineTradeSettlement/ram:AdditionalReferencedDocument'),
  );

/** More than one reference of this type to a document. */
const references = (type: string): Required<Broken> => ({
  ubl: (root) => withText(childrenOf(root, 'cac:AdditionalDocumentReference'), 'cbc:DocumentTypeCode', type).slice(1),
  cii: (root) => withText(below(root, `${AGREEMENT}/ram:AdditionalReferencedDocument`), 'ram:TypeCode', type).slice(1),
});
const projects = references('50');

const isGerman = (root: XmlElement, party: string): boolean =>
  textAt(root, party, 'cac:Party', 'cac:PostalAddress', 'cac:Country', 'cbc:IdentificationCode') === 'DE';

/** Neither an allowance nor a charge. */
const withoutIndicator = (elements: readonly XmlElement[], path: string): readonly XmlElement[] =>
  elements.filter((element) => !['true', 'false'].includes(textAt(element, ...path.split('/'))));

const ciiDiscounts = ['ram:SpecifiedTradeAllowanceCharge', 'ram:AppliedTradeAllowanceCharge'];

/** Everything but the VAT in the accounting currency (BT-111) is in the currency of the invoice. */
const OWN_CURRENCY = [
  'Amount',
  'BaseAmount',
  'PriceAmount',
  'TaxableAmount',
  'LineExtensionAmount',
  'TaxExclusiveAmount',
  'TaxInclusiveAmount',
  'AllowanceTotalAmount',
  'ChargeTotalAmount',
  'PrepaidAmount',
  'PayableRoundingAmount',
  'PayableAmount',
].map((name) => `cbc:${name}`);

const hasBreakdown = (total: XmlElement): boolean => childrenOf(total, 'cac:TaxSubtotal').length > 0;

const CII_CURRENCY = `${SETTLEMENT}/ram:InvoiceCurrencyCode`.split('/');
const CII_TAX_CURRENCY = `${SETTLEMENT}/ram:TaxCurrencyCode`.split('/');
const ciiTotals = (root: XmlElement, isIn: (currency: string | undefined, own: string) => boolean): number =>
  below(root, `${SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:TaxTotalAmount`).filter(
    ({ attributes }) => isIn(attributes.get('currencyID'), textAt(root, ...CII_CURRENCY)),
  ).length;

/** The rules of Peppol about the XML, and not about terms. */
export const peppolXml: readonly Rule[] = [
  inXml('002', 'An invoice has at most one note (BT-22), unless the seller and the buyer are German.', {
    ubl: (root) =>
      isGerman(root, 'cac:AccountingSupplierParty') && isGerman(root, 'cac:AccountingCustomerParty')
        ? []
        : childrenOf(root, 'cbc:Note').slice(1),
    cii: (root) =>
      below(root, `${DOCUMENT}/ram:IncludedNote`).filter(
        (note, index) => index > 0 || childrenOf(note, 'ram:SubjectCode').length > 0,
      ),
  }),
  inXml('006', 'There is more than one invoiced object (BT-18).', references('130')),
  inXml('008', 'An element is empty.', {
    ubl: (root) => everyElement(root).filter(({ children, text }) => children.length === 0 && text.trim() === ''),
  }),
  inXml('043', 'An allowance or charge does not say which of them it is.', {
    ubl: (root) =>
      withoutIndicator(
        [root, ...linesOf(root)].flatMap((parent) => childrenOf(parent, 'cac:AllowanceCharge')),
        'cbc:ChargeIndicator',
      ),
    cii: (root) =>
      withoutIndicator(
        everyElement(root).filter(({ name }) => ciiDiscounts.includes(name)),
        'ram:ChargeIndicator/udt:Indicator',
      ),
  }),
  inXml('044', 'A price has a charge.', {
    ubl: (root) =>
      linesOf(root)
        .flatMap((line) => below(line, 'cac:Price/cac:AllowanceCharge'))
        .filter((discount) => textAt(discount, 'cbc:ChargeIndicator') !== 'false'),
  }),
  inXml('051', 'An amount is in another currency than the invoice (BT-5).', {
    ubl: (root) => {
      const totals = childrenOf(root, 'cac:TaxTotal').filter(hasBreakdown);
      const amounts = [
        ...everyElement(root).filter(({ name }) => OWN_CURRENCY.includes(name)),
        ...totals.flatMap((total) => childrenOf(total, 'cbc:TaxAmount')),
      ];
      const currency = textAt(root, 'cbc:DocumentCurrencyCode');
      return amounts.filter(({ attributes }) => attributes.get('currencyID') !== currency);
    },
  }),
  inXml('053', 'There is not exactly one total of VAT with a breakdown.', {
    ubl: (root) => (childrenOf(root, 'cac:TaxTotal').filter(hasBreakdown).length === 1 ? [] : [root]),
    cii: (root) => (ciiTotals(root, (currency, own) => currency === own) === 1 ? [] : [root]),
  }),
  inXml('054', 'A total of VAT without a breakdown stands exactly where there is an accounting currency (BT-6).', {
    ubl: (root) => {
      const others = childrenOf(root, 'cac:TaxTotal').filter((total) => !hasBreakdown(total)).length;
      return others === Number(textAt(root, 'cbc:TaxCurrencyCode') !== '') ? [] : [root];
    },
    cii: (root) => {
      const others = ciiTotals(root, (currency, own) => currency !== undefined && currency !== own);
      return others === Number(textAt(root, ...CII_TAX_CURRENCY) !== '') ? [] : [root];
    },
  }),
  inXml('080', 'There is more than one reference to a project (BT-11) or, in CII, to a tender (BT-17).', {
    ubl: (root) => (root.name === 'ubl:CreditNote' ? projects.ubl(root) : []),
    cii: projects.cii,
  }),
  inXml('100', 'A line has more than one invoiced object (BT-128).', {
    ubl: (root) => documentsOfLines(root).flatMap((documents) => documents.slice(1)),
    cii: (root) =>
      ciiDocumentsOfLines(root).flatMap((documents) => withText(documents, 'ram:TypeCode', '130').slice(1)),
  }),
  inXml('101', 'A document that a line refers to is no invoiced object (BT-128).', {
    ubl: (root) => withoutObject(documentsOfLines(root), 'cbc:DocumentTypeCode'),
    cii: (root) => withoutObject(ciiDocumentsOfLines(root), 'ram:TypeCode'),
  }),
];

/** The documents of lines that have some, but none of the type of an invoiced object. */
const withoutObject = (lines: readonly (readonly XmlElement[])[], type: string): readonly XmlElement[] =>
  lines.filter((documents) => withText(documents, type, '130').length === 0).flat();
