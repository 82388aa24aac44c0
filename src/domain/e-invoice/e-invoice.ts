import type { Path, Term } from './term.ts';
import { terms } from './terms.ts';
import type { XmlElement } from './xml.ts';

/** A term of an e-invoice with what stands there, or a group with its terms in the order of the standard. */
export interface TermNode {
  /** Of the term or group: `BT-1`, `BG-25`. */
  readonly id: string;
  /** Verbatim. */
  readonly text: string;
  readonly xpath: string;
  readonly nodes: readonly TermNode[];
}

export const profiles = [
  'minimum',
  'basic_wl',
  'basic',
  'en16931',
  'extended',
  'xrechnung',
  'peppol',
  'other',
] as const;
export type Profile = (typeof profiles)[number];

export interface EInvoice {
  readonly syntax: 'ubl' | 'cii';
  readonly profile: Profile;
  /** Which rules it says that it keeps (BT-24). */
  readonly specification: string;
  /** `early`: ZUGFeRD 1, which is older than the standard and its rules. */
  readonly kind: 'invoice' | 'early';
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
      const matches = select(start, path, root);
      if (matches.length > 0)
        return matches.map(({ element, text, xpath }) => ({
          id: term.id,
          text,
          xpath,
          nodes: nodesBelow(term.terms, element, root, syntax),
        }));
    }
    return [];
  });

const EN16931 = 'urn:cen.eu:en16931:2017';

/** The profile that a specification identifier (BT-24) names. */
const profileOf = (specification: string): Profile => {
  const named = specification.toLowerCase();
  if (/:xrechnung_|:xrechnung:|xrechnung-cvd|xeinkauf\.de:kosit/.test(named)) return 'xrechnung';
  if (named.startsWith(`${EN16931}#compliant#urn:fdc:peppol.eu`)) return 'peppol';
  if (/(?:factur-x\.eu|zugferd\.de).*:minimum$/.test(named)) return 'minimum';
  if (/(?:factur-x\.eu|zugferd\.de).*:basicwl$/.test(named)) return 'basic_wl';
  if (/(?:factur-x\.eu|zugferd\.de|urn:ferd):.*:basic$/.test(named)) return 'basic';
  if (/(?:factur-x\.eu|zugferd\.de|urn:ferd):.*:extended$/.test(named)) return 'extended';
  if (named === EN16931 || /^urn:ferd:.*:comfort$/.test(named)) return 'en16931';
  return 'other';
};

const roots: Readonly<Record<string, Pick<EInvoice, 'syntax' | 'kind'>>> = {
  'ubl:Invoice': { syntax: 'ubl', kind: 'invoice' },
  'ubl:CreditNote': { syntax: 'ubl', kind: 'invoice' },
  'rsm:CrossIndustryInvoice': { syntax: 'cii', kind: 'invoice' },
  'rsm:CrossIndustryDocument': { syntax: 'cii', kind: 'early' },
};

/** What ZUGFeRD 1 calls by another name than CII D16B; in lines and in the head of the document. */
const zugferd1: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
);
const SUMMATION = 'ram:SpecifiedTradeSettlementMonetarySummation';

const newName = (name: string, isInLine: boolean): string => {
  if (name !== SUMMATION) return zugferd1.get(name) ?? name;
  return `ram:SpecifiedTradeSettlement${isInLine ? 'Line' : 'Header'}MonetarySummation`;
};

const renamed = (element: XmlElement, isInLine: boolean): XmlElement => {
  const name = newName(element.name, isInLine);
  const inLine = isInLine || name === 'ram:IncludedSupplyChainTradeLineItem';
  return { ...element, name, children: element.children.map((child) => renamed(child, inLine)) };
};

/** The terms of an e-invoice in UBL or CII; null where the document is something else. */
export const readEInvoice = (document: XmlElement): EInvoice | null => {
  const known = roots[document.name];
  if (known === undefined) return null;
  const { syntax, kind } = known;
  const root = kind === 'early' ? renamed(document, false) : document;
  const nodes = nodesBelow(terms, root, root, syntax);
  const specification = nodes.find(({ id }) => id === 'BT-24')?.text.trim() ?? '';
  return { syntax, profile: profileOf(specification), specification, kind, nodes, root: document };
};

/** Every node of this term or group below these, in the order of the document. */
export const nodesOf = (nodes: readonly TermNode[], id: string): readonly TermNode[] =>
  nodes.flatMap((node) => (node.id === id ? [node] : nodesOf(node.nodes, id)));
