/** How currencies are written beside amounts: each ISO 4217 code with its signs and its names in English, German and French, and those of East Asia. */
const written: Readonly<Record<string, string>> = {
  EUR: '€ euro euros',
  USD: '$ us$ $us usd$ dollar dollars',
  GBP: '£ pound pounds pfund livre livres sterling',
  CHF: 'fr fr. sfr sfr. franken franc francs',
  JPY: '¥ yen 円',
  CNY: '¥ rmb yuan renminbi 元 圆',
  INR: '₹ rs rs. rupee rupees',
  CAD: '$ c$ ca$ cdn$ dollar dollars',
  AUD: '$ a$ au$ dollar dollars',
  NZD: '$ nz$ dollar dollars',
  SGD: '$ s$ dollar dollars',
  HKD: '$ hk$ dollar dollars',
  MXN: '$ mx$ peso pesos',
  BRL: 'r$ real reais',
  SEK: 'kr kr. kronor kronen',
  NOK: 'kr kr. kroner kronen',
  DKK: 'kr kr. kroner kronen',
  PLN: 'zł zloty złoty',
  CZK: 'kč kc',
  HUF: 'ft forint',
  TRY: '₺ tl lira',
  KRW: '₩ won 원',
  ILS: '₪',
  UAH: '₴',
  RUB: '₽',
  ZAR: 'r rand',
  RON: 'lei leu',
  BGN: 'лв lev',
};

const meanings = new Map<string, string[]>();
for (const [code, words] of Object.entries(written)) {
  for (const word of [code.toLowerCase(), ...words.split(' ')])
    meanings.set(word, [...(meanings.get(word) ?? []), code]);
}

/** The codes of the currencies that a sign, a name or a code may mean: `$` is that of many dollars. */
export const currenciesOf = (word: string): readonly string[] => meanings.get(word.toLowerCase()) ?? [];

/** A sign or a code as it stands beside a number, as the source of an expression. */
export const CURRENCY = `(?:(?:US|CA|C|A|AU|NZ|S|HK|MX|R)?\\$|[€£¥₹₺₩₪₴₽]|S?Fr\\.|${Object.keys(written).join('|')})`;
