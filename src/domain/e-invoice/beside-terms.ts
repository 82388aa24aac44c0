import type { TermNode } from './e-invoice.ts';
import type { XmlElement } from './xml.ts';

/** Whether an element is a file in Base64. */
export const isFile = ({ name }: XmlElement): boolean =>
  name === 'cbc:EmbeddedDocumentBinaryObject' || name === 'ram:AttachmentBinaryObject';

const isSignature = ({ name }: XmlElement) => name === '?:Signature';

/** By what these say, other elements are one term or another: an allowance or a charge, VAT or another tax. */
const DECIDING =
  /^(?:cbc:ChargeIndicator|ram:ChargeIndicator|cbc:DocumentTypeCode|ram:TypeCode|cac:TaxScheme|cbc:TaxTypeCode)$/;

const placesOf = (nodes: readonly TermNode[]): readonly string[] =>
  nodes.flatMap(({ id, xpath, nodes: inner }) => [...(id.startsWith('BT-') ? [xpath] : []), ...placesOf(inner)]);

/** The elements around this one, from the inside. */
function* around(xpath: string): Generator<string> {
  for (let end = xpath.lastIndexOf('/'); end > 0; end = xpath.lastIndexOf('/', end - 1)) yield xpath.slice(0, end);
}

/** The elements within this one, each with its name on the way to it: with a number behind it where several have the name. */
const stepsWithin = ({ children }: XmlElement) => {
  const named = Map.groupBy(children, ({ name }) => name);
  const seen = new Map<string, number>();
  return children.map((child) => {
    const { name } = child;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    const local = name.slice(name.indexOf(':') + 1);
    const isOneOfSeveral = (named.get(name)?.length ?? 0) > 1;
    return { child, step: isOneOfSeveral ? `${local}[${number}]` : local };
  });
};

/** What an e-invoice says that is no term of EN 16931-1, such as a withholding tax, the lines of a line, or an amount in another currency: a line each, with the way to its element. */
export const besideTerms = (root: XmlElement, nodes: readonly TermNode[]): readonly string[] => {
  const taken = new Set(placesOf(nodes));
  const aroundTaken = new Set([...taken].flatMap((place) => [...around(place)]));
  const currencies = nodes.filter(({ id }) => id === 'BT-5' || id === 'BT-6').map(({ text }) => text.trim());
  /** A term is printed without its currency, which is that of the invoice. */
  const isInOther = ({ attributes }: XmlElement) =>
    attributes.has('currencyID') && !currencies.includes(attributes.get('currencyID') ?? '');
  const lines = (element: XmlElement, way: string, isDecided: boolean): readonly string[] => {
    if (isFile(element) || isSignature(element)) return [];
    const own = element.text.trim().replace(/\s+/g, ' ');
    const more = [...element.attributes].flatMap(([name, value]) => (name.startsWith('xmlns') ? [] : [value]));
    const isTerm = taken.has(element.xpath) && !isInOther(element);
    const isSaid = own === '' || isDecided || isTerm;
    const line = isSaid ? [] : [`  ${way}: ${own}${more.length > 0 ? ` (${more.join(', ')})` : ''}`];
    const inner = stepsWithin(element).flatMap(({ child, step }) => {
      const isDeciding = isDecided || (DECIDING.test(child.name) && aroundTaken.has(element.xpath));
      return lines(child, way === '' ? step : `${way}/${step}`, isDeciding);
    });
    return [...line, ...inner];
  };
  const said = lines(root, '', false);
  return said.length === 0 ? [] : ['Not terms of EN 16931-1', ...said];
};
