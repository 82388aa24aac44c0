/** Writes invoices as XML: Factur-X (UN/CEFACT CII) to attach to a PDF, and XRechnung (UBL). Amounts are in cents, dates as 2026-11-05. */
import { AFRelationship, PDFDocument } from 'pdf-lib';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const amount = (cents) => (cents / 100).toFixed(2);
const EN16931 = 'urn:cen.eu:en16931:2017';

const ciiDate = (date) => `<udt:DateTimeString format="102">${date.replaceAll('-', '')}</udt:DateTimeString>`;

const ciiParty = (name, { vat, street, postCode, city, country }) => `<ram:Name>${escaped(name)}</ram:Name>
        <ram:PostalTradeAddress><ram:PostcodeCode>${postCode}</ram:PostcodeCode><ram:LineOne>${street}</ram:LineOne><ram:CityName>${city}</ram:CityName><ram:CountryID>${country}</ram:CountryID></ram:PostalTradeAddress>${
          vat ? `\n        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">${vat}</ram:ID></ram:SpecifiedTaxRegistration>` : ''
        }`;

export const facturX = ({ number, date, due, order, seller, buyer, iban, percent, goods }) => `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
    xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext>
    <ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>${EN16931}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter>
  </rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument>
    <ram:ID>${number}</ram:ID>
    <ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime>${ciiDate(date)}</ram:IssueDateTime>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
${goods.lines
  .map(
    (line, index) => `    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>${index + 1}</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>${escaped(line.description)}</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>${amount(line.price)}</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">${line.quantity}</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>${percent}</ram:RateApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>${amount(line.amount)}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>`,
  )
  .join('\n')}
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty>${ciiParty(seller.name, seller)}</ram:SellerTradeParty>
      <ram:BuyerTradeParty>${ciiParty(buyer.name, buyer)}</ram:BuyerTradeParty>
      <ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>${order}</ram:IssuerAssignedID></ram:BuyerOrderReferencedDocument>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode>
        <ram:PayeePartyCreditorFinancialAccount><ram:IBANID>${iban}</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>
      </ram:SpecifiedTradeSettlementPaymentMeans>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>${amount(goods.tax)}</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode>
        <ram:BasisAmount>${amount(goods.net)}</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>${percent}</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>${ciiDate(due)}</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>${amount(goods.net)}</ram:LineTotalAmount>
        <ram:TaxBasisTotalAmount>${amount(goods.net)}</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="EUR">${amount(goods.tax)}</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>${amount(goods.total)}</ram:GrandTotalAmount>
        <ram:DuePayableAmount>${amount(goods.total)}</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;

const eur = (name, cents) => `<cbc:${name} currencyID="EUR">${amount(cents)}</cbc:${name}>`;

const ublParty = ({ name, vat, street, postCode, city, country, mail, contact }) => `<cac:Party>
      <cbc:EndpointID schemeID="EM">${mail}</cbc:EndpointID>
      <cac:PostalAddress><cbc:StreetName>${street}</cbc:StreetName><cbc:CityName>${city}</cbc:CityName><cbc:PostalZone>${postCode}</cbc:PostalZone>
        <cac:Country><cbc:IdentificationCode>${country}</cbc:IdentificationCode></cac:Country></cac:PostalAddress>${
          vat ? `\n      <cac:PartyTaxScheme><cbc:CompanyID>${vat}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>` : ''
        }
      <cac:PartyLegalEntity><cbc:RegistrationName>${escaped(name)}</cbc:RegistrationName></cac:PartyLegalEntity>${
        contact
          ? `\n      <cac:Contact><cbc:Name>${contact.name}</cbc:Name><cbc:Telephone>${contact.telephone}</cbc:Telephone><cbc:ElectronicMail>${mail}</cbc:ElectronicMail></cac:Contact>`
          : ''
      }
    </cac:Party>`;

export const xRechnung = ({ number, date, due, order, reference, seller, buyer, iban, percent, goods }) => {
  const category = `<cbc:ID>S</cbc:ID><cbc:Percent>${percent}</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>${EN16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</cbc:CustomizationID>
  <cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>
  <cbc:ID>${number}</cbc:ID>
  <cbc:IssueDate>${date}</cbc:IssueDate>
  <cbc:DueDate>${due}</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cbc:BuyerReference>${reference}</cbc:BuyerReference>
  <cac:OrderReference><cbc:ID>${order}</cbc:ID></cac:OrderReference>
  <cac:AccountingSupplierParty>
    ${ublParty(seller)}
  </cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>
    ${ublParty(buyer)}
  </cac:AccountingCustomerParty>
  <cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>${iban}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:TaxTotal>${eur('TaxAmount', goods.tax)}
    <cac:TaxSubtotal>${eur('TaxableAmount', goods.net)}${eur('TaxAmount', goods.tax)}<cac:TaxCategory>${category}</cac:TaxCategory></cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    ${eur('LineExtensionAmount', goods.net)}
    ${eur('TaxExclusiveAmount', goods.net)}
    ${eur('TaxInclusiveAmount', goods.total)}
    ${eur('PayableAmount', goods.total)}
  </cac:LegalMonetaryTotal>
${goods.lines
  .map(
    (line, index) => `  <cac:InvoiceLine>
    <cbc:ID>${index + 1}</cbc:ID>
    <cbc:InvoicedQuantity unitCode="C62">${line.quantity}</cbc:InvoicedQuantity>
    ${eur('LineExtensionAmount', line.amount)}
    <cac:Item><cbc:Name>${escaped(line.description)}</cbc:Name><cac:ClassifiedTaxCategory>${category}</cac:ClassifiedTaxCategory></cac:Item>
    <cac:Price>${eur('PriceAmount', line.price)}</cac:Price>
  </cac:InvoiceLine>`,
  )
  .join('\n')}
</Invoice>
`;
};

/** A PDF with the XML of its invoice attached, as Factur-X has it. */
export const withXml = async (page, xml, made) => {
  const pdf = await PDFDocument.load(page, { updateMetadata: false });
  await pdf.attach(Buffer.from(xml), 'factur-x.xml', {
    mimeType: 'text/xml',
    description: 'Factur-X',
    creationDate: new Date(made),
    modificationDate: new Date(made),
    afRelationship: AFRelationship.Alternative,
  });
  return pdf.save();
};
