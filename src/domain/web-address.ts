/** A part of an address that is a plain word is no secret. */
const WORD = /^[a-z][a-z_-]{0,19}$/i;

/** Shorter parts stand in many texts, and protect nothing. */
const SHORTEST_SECRET = 4;

const partsOf = (url: string) => {
  const { origin, pathname, search, searchParams } = new URL(url);
  const path = pathname === '/' ? [] : pathname.slice(1).split('/');
  const [first = '', ...others] = path;
  const isWord = WORD.test(first);
  return {
    shown: isWord ? `${origin}/${first}` : origin,
    hidden: isWord ? others : path,
    search,
    values: [...search.slice(1).split(/[&=]/), ...searchParams.values()].filter((part) => !searchParams.has(part)),
  };
};

/** A web address as it may be shown: its origin, and the first part of its path if that is a plain word. What follows may be a secret. */
export const shownAddress = (url: string): string => {
  const { shown, hidden } = partsOf(url);
  return hidden.length === 0 ? shown : `${shown}/…`;
};

const decodings = [(text: string) => text, decodeURI, decodeURIComponent];

/** A part as it stands in the address, and as a program writes it that has read the address. */
const spellings = (part: string): readonly string[] =>
  decodings.flatMap((decode) => {
    try {
      return [decode(part)];
    } catch {
      return [];
    }
  });

/** A text without the parts of an address that are not shown, for what comes from its server, which may repeat them. */
export const withoutAddress = (text: string, url: string): string => {
  const { hidden, search, values } = partsOf(url);
  const path = hidden.join('/');
  const secrets = [path + search, path, search, ...hidden, ...values]
    .flatMap(spellings)
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((one, other) => other.length - one.length);
  return secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
};
