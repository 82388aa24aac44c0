import type { XmlTag } from './xml.ts';

/** The prefix that a namespace has here, whatever a file calls it. */
const prefixOf = (uri: string): string => {
  if (/wordprocessingml(?:\/2006)?\/main$|\/office\/word\/2003\/wordml$/.test(uri)) return 'w';
  if (/drawingml(?:\/2006)?\/main$/.test(uri)) return 'a';
  if (/drawingml(?:\/2006)?\/(?:chart|diagram)$/.test(uri)) return 'data';
  if (/\/officeDocument(?:\/2006)?\/math$/.test(uri)) return 'm';
  if (uri.endsWith('/office/word/2010/wordml')) return 'w14';
  if (uri.endsWith('/markup-compatibility/2006')) return 'mc';
  if (uri.endsWith('/aml/2001/core')) return 'aml';
  if (uri.endsWith('/office/word/2003/auxHint')) return 'wx';
  return uri.endsWith(':vml') ? 'v' : '';
};

export const nameOf = ({ uri, local }: XmlTag) => `${prefixOf(uri)}:${local}`;

/** By its name without a prefix. */
export const attribute = ({ attributes }: XmlTag, name: string): string | undefined =>
  Object.values(attributes).find(({ local }) => local === name)?.value;
