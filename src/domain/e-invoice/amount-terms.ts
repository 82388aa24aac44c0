import {
  below,
  group,
  has,
  inCurrency,
  inNoCurrency,
  isFalse,
  isTrue,
  isVat,
  SETTLEMENT,
  scheme,
  term,
} from './term.ts';

export const payment = [
  group('BG-16', 'Payment instructions', 'cac:PaymentMeans', `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans`, [
    term('BT-81', 'Payment means type code', 'cbc:PaymentMeansCode', 'ram:TypeCode'),
    term('BT-82', 'Payment means text', 'cbc:PaymentMeansCode/@name', 'ram:Information'),
    term('BT-83', 'Remittance information', 'cbc:PaymentID', ''),
    group('BG-17', 'Credit transfer', 'cac:PayeeFinancialAccount', 'ram:PayeePartyCreditorFinancialAccount', [
      term('BT-84', 'Payment account identifier', 'cbc:ID', ['ram:IBANID', 'ram:ProprietaryID']),
      term('BT-85', 'Payment account name', 'cbc:Name', 'ram:AccountName'),
      term('BT-86', 'Payment service provider identifier', 'cac:FinancialInstitutionBranch/cbc:ID', ''),
    ]),
    term(
      'BT-86',
      'Payment service provider identifier',
      '',
      'ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID',
    ),
    group('BG-18', 'Payment card information', 'cac:CardAccount', 'ram:ApplicableTradeSettlementFinancialCard', [
      term('BT-87', 'Payment card primary account number', 'cbc:PrimaryAccountNumberID', 'ram:ID'),
      term('BT-88', 'Payment card holder name', 'cbc:HolderName', 'ram:CardholderName'),
    ]),
    group('BG-19', 'Direct debit', 'cac:PaymentMandate', 'ram:PayerPartyDebtorFinancialAccount', [
      term('BT-89', 'Mandate reference identifier', 'cbc:ID', ''),
      term('BT-91', 'Debited account identifier', 'cac:PayerFinancialAccount/cbc:ID', [
        'ram:IBANID',
        'ram:ProprietaryID',
      ]),
    ]),
  ]),
  term('BT-83', 'Remittance information', '', `${SETTLEMENT}/ram:PaymentReference`),
  term(
    'BT-89',
    'Mandate reference identifier',
    '',
    `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID`,
  ),
  term(
    'BT-90',
    'Bank assigned creditor identifier',
    [
      ['cac:AccountingSupplierParty', 'cac:Party', 'cac:PartyIdentification', 'cbc:ID', scheme('SEPA')],
      ['cac:PayeeParty', 'cac:PartyIdentification', 'cbc:ID', scheme('SEPA')],
    ],
    `${SETTLEMENT}/ram:CreditorReferenceID`,
  ),
];

/** Allowances and charges of the document, by the number of the first of their seven terms. */
const allowanceCharge = (id: string, what: string, first: number, isSo: typeof isTrue) => {
  const bt = (index: number) => `BT-${first + index}`;
  const of = `Document level ${what}`;
  return group(
    id,
    of,
    [['cac:AllowanceCharge', isSo('cbc:ChargeIndicator')]],
    [below(`${SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge`, isSo('ram:ChargeIndicator/udt:Indicator'))],
    [
      term(bt(0), `${of} amount`, 'cbc:Amount', 'ram:ActualAmount'),
      term(bt(1), `${of} base amount`, 'cbc:BaseAmount', 'ram:BasisAmount'),
      term(bt(2), `${of} percentage`, 'cbc:MultiplierFactorNumeric', 'ram:CalculationPercent'),
      term(
        bt(3),
        `${of} VAT category code`,
        [['cac:TaxCategory', isVat, 'cbc:ID']],
        'ram:CategoryTradeTax/ram:CategoryCode',
      ),
      term(
        bt(4),
        `${of} VAT rate`,
        [['cac:TaxCategory', isVat, 'cbc:Percent']],
        'ram:CategoryTradeTax/ram:RateApplicablePercent',
      ),
      term(bt(5), `${of} reason`, 'cbc:AllowanceChargeReason', 'ram:Reason'),
      term(bt(6), `${of} reason code`, 'cbc:AllowanceChargeReasonCode', 'ram:ReasonCode'),
    ],
  );
};

const TOTALS = `${SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
export const CII_CURRENCY = `${SETTLEMENT}/ram:InvoiceCurrencyCode`;
export const CII_TAX_CURRENCY = `${SETTLEMENT}/ram:TaxCurrencyCode`;

const total = (id: string, name: string, ubl: string, cii: string) =>
  term(id, name, `cac:LegalMonetaryTotal/${ubl}`, `${TOTALS}/${cii}`);

export const amounts = [
  allowanceCharge('BG-20', 'allowance', 92, isFalse),
  allowanceCharge('BG-21', 'charge', 99, isTrue),
  group('BG-22', 'Document totals', '.', '.', [
    total('BT-106', 'Sum of invoice line net amounts', 'cbc:LineExtensionAmount', 'ram:LineTotalAmount'),
    total('BT-107', 'Sum of allowances on document level', 'cbc:AllowanceTotalAmount', 'ram:AllowanceTotalAmount'),
    total('BT-108', 'Sum of charges on document level', 'cbc:ChargeTotalAmount', 'ram:ChargeTotalAmount'),
    total('BT-109', 'Invoice total amount without VAT', 'cbc:TaxExclusiveAmount', 'ram:TaxBasisTotalAmount'),
    term(
      'BT-110',
      'Invoice total VAT amount',
      [['cac:TaxTotal', 'cbc:TaxAmount', inCurrency('cbc:DocumentCurrencyCode')]],
      [
        below(`${TOTALS}/ram:TaxTotalAmount`, inCurrency(...CII_CURRENCY.split('/'))),
        below(`${TOTALS}/ram:TaxTotalAmount`, inNoCurrency),
      ],
    ),
    term(
      'BT-111',
      'Invoice total VAT amount in accounting currency',
      [['cac:TaxTotal', 'cbc:TaxAmount', inCurrency('cbc:TaxCurrencyCode')]],
      [below(`${TOTALS}/ram:TaxTotalAmount`, inCurrency(...CII_TAX_CURRENCY.split('/')))],
    ),
    total('BT-112', 'Invoice total amount with VAT', 'cbc:TaxInclusiveAmount', 'ram:GrandTotalAmount'),
    total('BT-113', 'Paid amount', 'cbc:PrepaidAmount', 'ram:TotalPrepaidAmount'),
    total('BT-114', 'Rounding amount', 'cbc:PayableRoundingAmount', 'ram:RoundingAmount'),
    total('BT-115', 'Amount due for payment', 'cbc:PayableAmount', 'ram:DuePayableAmount'),
  ]),
  group(
    'BG-23',
    'VAT breakdown',
    'cac:TaxTotal/cac:TaxSubtotal',
    [below(`${SETTLEMENT}/ram:ApplicableTradeTax`, has('ram:TypeCode', 'VAT'))],
    [
      term('BT-116', 'VAT category taxable amount', 'cbc:TaxableAmount', 'ram:BasisAmount'),
      term('BT-117', 'VAT category tax amount', 'cbc:TaxAmount', 'ram:CalculatedAmount'),
      term('BT-118', 'VAT category code', [['cac:TaxCategory', isVat, 'cbc:ID']], 'ram:CategoryCode'),
      term('BT-119', 'VAT category rate', [['cac:TaxCategory', isVat, 'cbc:Percent']], 'ram:RateApplicablePercent'),
      term('BT-120', 'VAT exemption reason', 'cac:TaxCategory/cbc:TaxExemptionReason', 'ram:ExemptionReason'),
      term(
        'BT-121',
        'VAT exemption reason code',
        'cac:TaxCategory/cbc:TaxExemptionReasonCode',
        'ram:ExemptionReasonCode',
      ),
    ],
  ),
];
