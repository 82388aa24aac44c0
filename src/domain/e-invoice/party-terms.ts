import {
  AGREEMENT,
  DATE,
  DELIVERY,
  group,
  has,
  isNoCreditor,
  isOtherTax,
  isVat,
  lacks,
  SETTLEMENT,
  scheme,
  term,
} from './term.ts';
import type { XmlElement } from './xml.ts';

/** The seven parts of an address, by the numbers that they have in this group. */
const address = (who: string, ids: readonly [string, string, string, string, string, string, string]) => [
  term(ids[0], `${who} address line 1`, 'cbc:StreetName', 'ram:LineOne'),
  term(ids[1], `${who} address line 2`, 'cbc:AdditionalStreetName', 'ram:LineTwo'),
  term(ids[2], `${who} address line 3`, 'cac:AddressLine/cbc:Line', 'ram:LineThree'),
  term(ids[3], `${who} city`, 'cbc:CityName', 'ram:CityName'),
  term(ids[4], `${who} post code`, 'cbc:PostalZone', 'ram:PostcodeCode'),
  term(ids[5], `${who} country subdivision`, 'cbc:CountrySubentity', 'ram:CountrySubDivisionName'),
  term(ids[6], `${who} country code`, 'cac:Country/cbc:IdentificationCode', 'ram:CountryID'),
];

const contact = (who: string, ids: readonly [string, string, string]) => [
  term(ids[0], `${who} contact point`, 'cbc:Name', ['ram:PersonName', 'ram:DepartmentName']),
  term(ids[1], `${who} contact telephone`, 'cbc:Telephone', 'ram:TelephoneUniversalCommunication/ram:CompleteNumber'),
  term(ids[2], `${who} contact e-mail`, 'cbc:ElectronicMail', 'ram:EmailURIUniversalCommunication/ram:URIID'),
];

export const seller = group(
  'BG-4',
  'Seller',
  'cac:AccountingSupplierParty/cac:Party',
  `${AGREEMENT}/ram:SellerTradeParty`,
  [
    term('BT-27', 'Seller name', 'cac:PartyLegalEntity/cbc:RegistrationName', 'ram:Name'),
    term(
      'BT-28',
      'Seller trading name',
      'cac:PartyName/cbc:Name',
      'ram:SpecifiedLegalOrganization/ram:TradingBusinessName',
    ),
    term(
      'BT-29',
      'Seller identifier',
      [['cac:PartyIdentification', 'cbc:ID', isNoCreditor]],
      ['ram:GlobalID', 'ram:ID'],
    ),
    term(
      'BT-30',
      'Seller legal registration identifier',
      'cac:PartyLegalEntity/cbc:CompanyID',
      'ram:SpecifiedLegalOrganization/ram:ID',
    ),
    term(
      'BT-31',
      'Seller VAT identifier',
      [['cac:PartyTaxScheme', isVat, 'cbc:CompanyID']],
      [['ram:SpecifiedTaxRegistration', 'ram:ID', scheme('VA')]],
    ),
    term(
      'BT-32',
      'Seller tax registration identifier',
      [['cac:PartyTaxScheme', isOtherTax, 'cbc:CompanyID']],
      [['ram:SpecifiedTaxRegistration', 'ram:ID', scheme('FC')]],
    ),
    term(
      'BT-33',
      'Seller additional legal information',
      'cac:PartyLegalEntity/cbc:CompanyLegalForm',
      'ram:Description',
    ),
    group('BT-34', 'Seller electronic address', 'cbc:EndpointID', 'ram:URIUniversalCommunication/ram:URIID', [
      term('BT-34-1', 'Scheme of the seller electronic address', '@schemeID', '@schemeID'),
    ]),
    group(
      'BG-5',
      'Seller postal address',
      'cac:PostalAddress',
      'ram:PostalTradeAddress',
      address('Seller', ['BT-35', 'BT-36', 'BT-162', 'BT-37', 'BT-38', 'BT-39', 'BT-40']),
    ),
    group(
      'BG-6',
      'Seller contact',
      'cac:Contact',
      'ram:DefinedTradeContact',
      contact('Seller', ['BT-41', 'BT-42', 'BT-43']),
    ),
  ],
);

export const buyer = group(
  'BG-7',
  'Buyer',
  'cac:AccountingCustomerParty/cac:Party',
  `${AGREEMENT}/ram:BuyerTradeParty`,
  [
    term('BT-44', 'Buyer name', 'cac:PartyLegalEntity/cbc:RegistrationName', 'ram:Name'),
    term(
      'BT-45',
      'Buyer trading name',
      'cac:PartyName/cbc:Name',
      'ram:SpecifiedLegalOrganization/ram:TradingBusinessName',
    ),
    term('BT-46', 'Buyer identifier', 'cac:PartyIdentification/cbc:ID', ['ram:GlobalID', 'ram:ID']),
    term(
      'BT-47',
      'Buyer legal registration identifier',
      'cac:PartyLegalEntity/cbc:CompanyID',
      'ram:SpecifiedLegalOrganization/ram:ID',
    ),
    term(
      'BT-48',
      'Buyer VAT identifier',
      [['cac:PartyTaxScheme', isVat, 'cbc:CompanyID']],
      [['ram:SpecifiedTaxRegistration', 'ram:ID', scheme('VA')]],
    ),
    group('BT-49', 'Buyer electronic address', 'cbc:EndpointID', 'ram:URIUniversalCommunication/ram:URIID', [
      term('BT-49-1', 'Scheme of the buyer electronic address', '@schemeID', '@schemeID'),
    ]),
    group(
      'BG-8',
      'Buyer postal address',
      'cac:PostalAddress',
      'ram:PostalTradeAddress',
      address('Buyer', ['BT-50', 'BT-51', 'BT-163', 'BT-52', 'BT-53', 'BT-54', 'BT-55']),
    ),
    group(
      'BG-9',
      'Buyer contact',
      'cac:Contact',
      'ram:DefinedTradeContact',
      contact('Buyer', ['BT-56', 'BT-57', 'BT-58']),
    ),
  ],
);

/** In UBL, an element without dates that has the code of the tax point (BT-8) is no period. */
const isPeriod = (element: XmlElement, root: XmlElement): boolean =>
  ['cbc:StartDate', 'cbc:EndDate'].some((date) => has(date)(element, root)) ||
  lacks('cbc:DescriptionCode')(element, root);

export const otherParties = [
  group('BG-10', 'Payee', 'cac:PayeeParty', `${SETTLEMENT}/ram:PayeeTradeParty`, [
    term('BT-59', 'Payee name', 'cac:PartyName/cbc:Name', 'ram:Name'),
    term(
      'BT-60',
      'Payee identifier',
      [['cac:PartyIdentification', 'cbc:ID', isNoCreditor]],
      ['ram:GlobalID', 'ram:ID'],
    ),
    term(
      'BT-61',
      'Payee legal registration identifier',
      'cac:PartyLegalEntity/cbc:CompanyID',
      'ram:SpecifiedLegalOrganization/ram:ID',
    ),
  ]),
  group(
    'BG-11',
    'Seller tax representative',
    'cac:TaxRepresentativeParty',
    `${AGREEMENT}/ram:SellerTaxRepresentativeTradeParty`,
    [
      term('BT-62', 'Seller tax representative name', 'cac:PartyName/cbc:Name', 'ram:Name'),
      term(
        'BT-63',
        'Seller tax representative VAT identifier',
        [['cac:PartyTaxScheme', isVat, 'cbc:CompanyID']],
        [['ram:SpecifiedTaxRegistration', 'ram:ID', scheme('VA')]],
      ),
      group(
        'BG-12',
        'Seller tax representative postal address',
        'cac:PostalAddress',
        'ram:PostalTradeAddress',
        address('Tax representative', ['BT-64', 'BT-65', 'BT-164', 'BT-66', 'BT-67', 'BT-68', 'BT-69']),
      ),
    ],
  ),
  group('BG-13', 'Delivery', 'cac:Delivery', DELIVERY, [
    term('BT-70', 'Deliver to party name', 'cac:DeliveryParty/cac:PartyName/cbc:Name', 'ram:ShipToTradeParty/ram:Name'),
    term('BT-71', 'Deliver to location identifier', 'cac:DeliveryLocation/cbc:ID', [
      'ram:ShipToTradeParty/ram:GlobalID',
      'ram:ShipToTradeParty/ram:ID',
    ]),
    term(
      'BT-72',
      'Actual delivery date',
      'cbc:ActualDeliveryDate',
      `ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/${DATE}`,
    ),
    group(
      'BG-15',
      'Deliver to address',
      'cac:DeliveryLocation/cac:Address',
      'ram:ShipToTradeParty/ram:PostalTradeAddress',
      address('Deliver to', ['BT-75', 'BT-76', 'BT-165', 'BT-77', 'BT-78', 'BT-79', 'BT-80']),
    ),
  ]),
  group('BG-14', 'Invoicing period', [['cac:InvoicePeriod', isPeriod]], `${SETTLEMENT}/ram:BillingSpecifiedPeriod`, [
    term('BT-73', 'Invoicing period start date', 'cbc:StartDate', `ram:StartDateTime/${DATE}`),
    term('BT-74', 'Invoicing period end date', 'cbc:EndDate', `ram:EndDateTime/${DATE}`),
  ]),
];
