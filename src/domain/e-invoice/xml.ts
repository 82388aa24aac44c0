/** An element of an XML document; its names have the prefixes of `namespaces`, whatever prefixes the document uses. */
export interface XmlElement {
  readonly name: string;
  /** An absolute XPath that selects this element alone, with positions and the prefixes of the document. */
  readonly xpath: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, verbatim, without that of its children. */
  readonly text: string;
}

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd';
const CII = 'urn:un:unece:uncefact:data:standard';

/** The namespaces of e-invoices, and the prefixes by which the table of terms names them. */
export const namespaces: ReadonlyMap<string, string> = new Map([
  [`${UBL}:Invoice-2`, 'ubl'],
  [`${UBL}:CreditNote-2`, 'ubl'],
  [`${UBL}:CommonAggregateComponents-2`, 'cac'],
  [`${UBL}:CommonBasicComponents-2`, 'cbc'],
  [`${CII}:CrossIndustryInvoice:100`, 'rsm'],
  [`${CII}:ReusableAggregateBusinessInformationEntity:100`, 'ram'],
  [`${CII}:UnqualifiedDataType:100`, 'udt'],
  [`${CII}:QualifiedDataType:100`, 'qdt'],
  // ZUGFeRD 1
  ['urn:ferd:CrossIndustryDocument:invoice:1p0', 'rsm'],
  [`${CII}:ReusableAggregateBusinessInformationEntity:12`, 'ram'],
  [`${CII}:UnqualifiedDataType:15`, 'udt'],
  [`${CII}:QualifiedDataType:12`, 'qdt'],
]);

export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** The trimmed text of the first element at this path; empty where there is none. */
export const textAt = (element: XmlElement, ...path: readonly string[]): string => {
  const last = path.reduce<XmlElement | undefined>(
    (parent, name) => parent?.children.find((child) => child.name === name),
    element,
  );
  return last?.text.trim() ?? '';
};
