import { DATE, group, has, isFalse, isTrue, isVat, TRADE, term } from './term.ts';

const LINE_AGREEMENT = 'ram:SpecifiedLineTradeAgreement';
const LINE_SETTLEMENT = 'ram:SpecifiedLineTradeSettlement';
const PRODUCT = 'ram:SpecifiedTradeProduct';

const lineAllowanceCharge = (id: string, what: string, first: number, isSo: typeof isTrue) => {
  const bt = (index: number) => `BT-${first + index}`;
  const of = `Invoice line ${what}`;
  return group(
    id,
    of,
    [['cac:AllowanceCharge', isSo('cbc:ChargeIndicator')]],
    [[LINE_SETTLEMENT, 'ram:SpecifiedTradeAllowanceCharge', isSo('ram:ChargeIndicator/udt:Indicator')]],
    [
      term(bt(0), `${of} amount`, 'cbc:Amount', 'ram:ActualAmount'),
      term(bt(1), `${of} base amount`, 'cbc:BaseAmount', 'ram:BasisAmount'),
      term(bt(2), `${of} percentage`, 'cbc:MultiplierFactorNumeric', 'ram:CalculationPercent'),
      term(bt(3), `${of} reason`, 'cbc:AllowanceChargeReason', 'ram:Reason'),
      term(bt(4), `${of} reason code`, 'cbc:AllowanceChargeReasonCode', 'ram:ReasonCode'),
    ],
  );
};

const lineTax = [LINE_SETTLEMENT, 'ram:ApplicableTradeTax', has('ram:TypeCode', 'VAT')];

export const line = group(
  'BG-25',
  'Invoice line',
  ['cac:InvoiceLine', 'cac:CreditNoteLine'],
  `${TRADE}/ram:IncludedSupplyChainTradeLineItem`,
  [
    term('BT-126', 'Invoice line identifier', 'cbc:ID', 'ram:AssociatedDocumentLineDocument/ram:LineID'),
    term('BT-127', 'Invoice line note', 'cbc:Note', 'ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content'),
    term('BT-128', 'Invoice line object identifier', 'cac:DocumentReference/cbc:ID', [
      [LINE_SETTLEMENT, 'ram:AdditionalReferencedDocument', has('ram:TypeCode', '130'), 'ram:IssuerAssignedID'],
    ]),
    term(
      'BT-129',
      'Invoiced quantity',
      ['cbc:InvoicedQuantity', 'cbc:CreditedQuantity'],
      'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity',
    ),
    term(
      'BT-130',
      'Invoiced quantity unit of measure code',
      ['cbc:InvoicedQuantity/@unitCode', 'cbc:CreditedQuantity/@unitCode'],
      'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity/@unitCode',
    ),
    term(
      'BT-131',
      'Invoice line net amount',
      'cbc:LineExtensionAmount',
      `${LINE_SETTLEMENT}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount`,
    ),
    term(
      'BT-132',
      'Referenced purchase order line reference',
      'cac:OrderLineReference/cbc:LineID',
      `${LINE_AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:LineID`,
    ),
    term(
      'BT-133',
      'Invoice line buyer accounting reference',
      'cbc:AccountingCost',
      `${LINE_SETTLEMENT}/ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID`,
    ),
    group('BG-26', 'Invoice line period', 'cac:InvoicePeriod', `${LINE_SETTLEMENT}/ram:BillingSpecifiedPeriod`, [
      term('BT-134', 'Invoice line period start date', 'cbc:StartDate', `ram:StartDateTime/${DATE}`),
      term('BT-135', 'Invoice line period end date', 'cbc:EndDate', `ram:EndDateTime/${DATE}`),
    ]),
    lineAllowanceCharge('BG-27', 'allowance', 136, isFalse),
    lineAllowanceCharge('BG-28', 'charge', 141, isTrue),
    group('BG-29', 'Price details', 'cac:Price', LINE_AGREEMENT, [
      term('BT-146', 'Item net price', 'cbc:PriceAmount', 'ram:NetPriceProductTradePrice/ram:ChargeAmount'),
      term(
        'BT-147',
        'Item price discount',
        'cac:AllowanceCharge/cbc:Amount',
        'ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge/ram:ActualAmount',
      ),
      term(
        'BT-148',
        'Item gross price',
        'cac:AllowanceCharge/cbc:BaseAmount',
        'ram:GrossPriceProductTradePrice/ram:ChargeAmount',
      ),
      term('BT-149', 'Item price base quantity', 'cbc:BaseQuantity', 'ram:NetPriceProductTradePrice/ram:BasisQuantity'),
      term(
        'BT-150',
        'Item price base quantity unit of measure code',
        'cbc:BaseQuantity/@unitCode',
        'ram:NetPriceProductTradePrice/ram:BasisQuantity/@unitCode',
      ),
    ]),
    group(
      'BG-30',
      'Line VAT information',
      [['cac:Item', 'cac:ClassifiedTaxCategory', isVat]],
      [lineTax],
      [
        term('BT-151', 'Invoiced item VAT category code', 'cbc:ID', 'ram:CategoryCode'),
        term('BT-152', 'Invoiced item VAT rate', 'cbc:Percent', 'ram:RateApplicablePercent'),
      ],
    ),
    group('BG-31', 'Item information', 'cac:Item', PRODUCT, [
      term('BT-153', 'Item name', 'cbc:Name', 'ram:Name'),
      term('BT-154', 'Item description', 'cbc:Description', 'ram:Description'),
      term('BT-155', 'Item seller identifier', 'cac:SellersItemIdentification/cbc:ID', 'ram:SellerAssignedID'),
      term('BT-156', 'Item buyer identifier', 'cac:BuyersItemIdentification/cbc:ID', 'ram:BuyerAssignedID'),
      group('BT-157', 'Item standard identifier', 'cac:StandardItemIdentification/cbc:ID', 'ram:GlobalID', [
        term('BT-157-1', 'Scheme of the item standard identifier', '@schemeID', '@schemeID'),
      ]),
      group(
        'BT-158',
        'Item classification identifier',
        'cac:CommodityClassification/cbc:ItemClassificationCode',
        'ram:DesignatedProductClassification/ram:ClassCode',
        [term('BT-158-1', 'Scheme of the item classification identifier', '@listID', '@listID')],
      ),
      term(
        'BT-159',
        'Item country of origin',
        'cac:OriginCountry/cbc:IdentificationCode',
        'ram:OriginTradeCountry/ram:ID',
      ),
      group('BG-32', 'Item attribute', 'cac:AdditionalItemProperty', 'ram:ApplicableProductCharacteristic', [
        term('BT-160', 'Item attribute name', 'cbc:Name', 'ram:Description'),
        term('BT-161', 'Item attribute value', 'cbc:Value', 'ram:Value'),
      ]),
    ]),
  ],
);
