import { textAt, type XmlElement } from './xml.ts';

/** Keeps some of the elements that were selected so far. */
type Filter = (element: XmlElement, root: XmlElement) => boolean;

/** The way from the element of a group to that of a term: names of elements, filters of what they select, at the end an `@attribute`. */
export type Path = readonly (string | Filter)[];

/** A business term of EN 16931-1 and where it stands; with `terms`, a group of them. */
export interface Term {
  /** `BT-1` for a term, `BG-4` for a group. */
  readonly id: string;
  readonly name: string;
  /** In UBL 2.1. Several paths are tried in turn, until one selects something; none: the syntax does not have the term. */
  readonly ubl: readonly Path[];
  /** In UN/CEFACT CII D16B. */
  readonly cii: readonly Path[];
  readonly terms: readonly Term[];
}

type Paths = readonly (string | Path)[] | string;

const pathsOf = (paths: Paths): readonly Path[] =>
  (typeof paths === 'string' ? [paths] : paths)
    .filter((path) => path !== '')
    .map((path) => (typeof path === 'string' ? path.split('/').filter((name) => name !== '.') : path));

export const term = (id: string, name: string, ubl: Paths, cii: Paths): Term => ({
  id,
  name,
  ubl: pathsOf(ubl),
  cii: pathsOf(cii),
  terms: [],
});

export const group = (id: string, name: string, ubl: Paths, cii: Paths, terms: readonly Term[]): Term => ({
  ...term(id, name, ubl, cii),
  terms,
});

/** The element at this path has one of these texts; without any, it has a text at all. */
export const has = (path: string, ...texts: readonly string[]): Filter => {
  const names = path.split('/');
  return (element) => {
    const text = textAt(element, ...names);
    return texts.length === 0 ? text !== '' : texts.includes(text);
  };
};

/** A truth at this path, which XML may also write as a digit. */
export const isTrue = (path: string): Filter => has(path, 'true', '1');
export const isFalse = (path: string): Filter => has(path, 'false', '0');

export const lacks = (path: string, ...texts: readonly string[]): Filter => {
  const contains = has(path, ...texts);
  return (element, root) => !contains(element, root);
};

export const scheme =
  (id: string): Filter =>
  (element) =>
    element.attributes.get('schemeID') === id;
export const isNoCreditor: Filter = (element) => element.attributes.get('schemeID') !== 'SEPA';

export const isVat: Filter = (element) => textAt(element, 'cac:TaxScheme', 'cbc:ID').toUpperCase() === 'VAT';
export const isOtherTax: Filter = (element, root) => !isVat(element, root);

/** Of the amounts of VAT in two currencies, that in the one that the invoice names here. */
export const inCurrency =
  (...path: readonly string[]): Filter =>
  (element, root) =>
    element.attributes.get('currencyID') === textAt(root, ...path);
export const inNoCurrency: Filter = (element) => !element.attributes.has('currencyID');

export const DOCUMENT = 'rsm:ExchangedDocument';
export const CONTEXT = 'rsm:ExchangedDocumentContext';
export const TRADE = 'rsm:SupplyChainTradeTransaction';
export const AGREEMENT = `${TRADE}/ram:ApplicableHeaderTradeAgreement`;
export const DELIVERY = `${TRADE}/ram:ApplicableHeaderTradeDelivery`;
export const SETTLEMENT = `${TRADE}/ram:ApplicableHeaderTradeSettlement`;
export const DATE = 'udt:DateTimeString';

/** A path from the root of a CII document, with filters behind it. */
export const below = (start: string, ...rest: Path): Path => [...start.split('/'), ...rest];
