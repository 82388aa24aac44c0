import type { Path, Term } from './term.ts';
import { terms } from './terms.ts';
import type { XmlElement } from './xml.ts';

/** A term of an e-invoice with what stands there, or a group with its terms in the order of the standard. */
export interface TermNode {
  readonly term: Term;
  /** Verbatim. */
  readonly text: string;
  readonly xpath: string;
  readonly nodes: readonly TermNode[];
}

export type Profile = 'minimum' | 'basic_wl' | 'basic' | 'en16931' | 'extended' | 'xrechnung' | 'peppol' | 'other';

export interface EInvoice {
  readonly syntax: 'ubl' | 'cii';
  readonly profile: Profile;
  /** ZUGFeRD 1: older than the standard, of which no rule holds it. */
  readonly isBeforeStandard: boolean;
  readonly nodes: readonly TermNode[];
  /** The document itself. */
  readonly root: XmlElement;
}

/** Where a path ends: an element, or an attribute of it. */
interface Found {
  readonly element: XmlElement;
  readonly text: string;
  readonly xpath: string;
}

const select = (start: XmlElement, path: Path, root: XmlElement): readonly Found[] => {
  let elements: readonly XmlElement[] = [start];
  for (const step of path) {
    if (typeof step === 'function') elements = elements.filter((element) => step(element, root));
    else if (step.startsWith('@')) {
      const name = step.slice(1);
      return elements.flatMap((element) => {
        const text = element.attributes.get(name);
        return text === undefined ? [] : [{ element, text, xpath: `${element.xpath}/${step}` }];
      });
    } else elements = elements.flatMap(({ children }) => children.filter(({ name }) => name === step));
  }
  return elements.map((element) => ({ element, text: element.text, xpath: element.xpath }));
};

const nodesBelow = (
  of: readonly Term[],
  start: XmlElement,
  root: XmlElement,
  syntax: EInvoice['syntax'],
): readonly TermNode[] =>
  of.flatMap((term) => {
    for (const path of term[syntax]) {
      const found = select(start, path, root);
      if (found.length > 0)
        return found.map(({ element, text, xpath }) => ({
          term,
          text,
          xpath,
          nodes: nodesBelow(term.terms, element, root, syntax),
        }));
    }
    return [];
  });

const EN16931 = 'urn:cen.eu:en16931:2017';

/** The profile that a specification identifier (BT-24) names. */
export const profileOf = (specification: string): Profile => {
  const named = specification.trim().toLowerCase();
  if (/:xrechnung_|:xrechnung:|xrechnung-cvd|xeinkauf\.de:kosit/.test(named)) return 'xrechnung';
  if (named.startsWith(`${EN16931}#compliant#urn:fdc:peppol.eu`)) return 'peppol';
  if (/(?:factur-x\.eu|zugferd\.de).*:minimum$/.test(named)) return 'minimum';
  if (/(?:factur-x\.eu|zugferd\.de).*:basicwl$/.test(named)) return 'basic_wl';
  if (/(?:factur-x\.eu|zugferd\.de|urn:ferd):.*:basic$/.test(named)) return 'basic';
  if (/(?:factur-x\.eu|zugferd\.de|urn:ferd):.*:extended$/.test(named)) return 'extended';
  if (named === EN16931 || /^urn:ferd:.*:comfort$/.test(named)) return 'en16931';
  return 'other';
};

const roots: Readonly<Record<string, EInvoice['syntax']>> = {
  'ubl:Invoice': 'ubl',
  'ubl:CreditNote': 'ubl',
  'rsm:CrossIndustryInvoice': 'cii',
  'rsm:CrossIndustryDocument': 'cii',
  'rsm:SCRDMCCBDACIOMessageStructure': 'cii',
};

/** What ZUGFeRD 1 calls by another name than CII D16B; in lines and in the head of the document. */
const zugferd1: Readonly<Record<string, string>> = {
  'rsm:HeaderExchangedDocument': 'rsm:ExchangedDocument',
  'rsm:SpecifiedExchangedDocumentContext': 'rsm:ExchangedDocumentContext',
  'rsm:SpecifiedSupplyChainTradeTransaction': 'rsm:SupplyChainTradeTransaction',
  'ram:ApplicableSupplyChainTradeAgreement': 'ram:ApplicableHeaderTradeAgreement',
  'ram:ApplicableSupplyChainTradeDelivery': 'ram:ApplicableHeaderTradeDelivery',
  'ram:ApplicableSupplyChainTradeSettlement': 'ram:ApplicableHeaderTradeSettlement',
  'ram:SpecifiedSupplyChainTradeAgreement': 'ram:SpecifiedLineTradeAgreement',
  'ram:SpecifiedSupplyChainTradeDelivery': 'ram:SpecifiedLineTradeDelivery',
  'ram:SpecifiedSupplyChainTradeSettlement': 'ram:SpecifiedLineTradeSettlement',
  'ram:ApplicablePercent': 'ram:RateApplicablePercent',
};
const SUMMATION = 'ram:SpecifiedTradeSettlementMonetarySummation';

const renamed = (element: XmlElement, isInLine: boolean): XmlElement => {
  const name =
    element.name === SUMMATION
      ? `ram:SpecifiedTradeSettlement${isInLine ? 'Line' : 'Header'}MonetarySummation`
      : (zugferd1[element.name] ?? element.name);
  const inLine = isInLine || name === 'ram:IncludedSupplyChainTradeLineItem';
  return { ...element, name, children: element.children.map((child) => renamed(child, inLine)) };
};

/** The terms of an e-invoice in UBL or CII; null where the document is something else. */
export const readEInvoice = (document: XmlElement): EInvoice | null => {
  const syntax = roots[document.name];
  if (syntax === undefined) return null;
  const isBeforeStandard = document.name === 'rsm:CrossIndustryDocument';
  const root = isBeforeStandard ? renamed(document, false) : document;
  const nodes = nodesBelow(terms, root, root, syntax);
  const specification = nodes.find(({ term }) => term.id === 'BT-24')?.text ?? '';
  return { syntax, profile: profileOf(specification), isBeforeStandard, nodes, root: document };
};

/** Every node of this term or group below these, in the order of the document. */
export const nodesOf = (nodes: readonly TermNode[], id: string): readonly TermNode[] =>
  nodes.flatMap((node) => (node.term.id === id ? [node] : nodesOf(node.nodes, id)));

const MOST_BINARY = 200;

const printed = (node: TermNode, indent: string): readonly string[] => {
  const text = node.text.trim().replace(/\s+/g, ' ');
  if (node.term.id.startsWith('BT-')) {
    if (node.term.id === 'BT-125' && text.length > MOST_BINARY) return [];
    const scheme = node.nodes.map((part) => part.text.trim()).filter((part) => part !== '');
    return text === ''
      ? []
      : [`${indent}${node.term.name}: ${text}${scheme.length > 0 ? ` (${scheme.join(', ')})` : ''}`];
  }
  const inner = node.nodes.flatMap((part) => printed(part, `${indent}  `));
  return inner.length === 0 ? [] : [`${indent}${node.term.name}`, ...inner];
};

/** The invoice as a person reads it: a line for each term, with its name in EN 16931-1, indented by group. */
export const eInvoiceText = ({ nodes }: EInvoice): string => nodes.flatMap((node) => printed(node, '')).join('\n');
