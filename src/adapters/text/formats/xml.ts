import { SaxesParser, type SaxesTagNS } from 'saxes';
import { namespaces, type XmlElement } from '../../../domain/e-invoice/xml.ts';
import { Unreadable } from '../text.ts';

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 2_000_000;

export type XmlTag = SaxesTagNS;

/** By its name as the document writes it, with the prefix. */
export const attribute = ({ attributes }: XmlTag, name: string): string | undefined => attributes[name]?.value;

interface XmlHandlers {
  open(tag: XmlTag): void;
  /** The text of an element comes in pieces. */
  text(text: string): void;
  close(tag: XmlTag): void;
}

/**
 * Reads an XML document, piece by piece. A document type is refused whole: entities come from there, external files and bombs by them.
 * What is no well-formed XML is `Unreadable`.
 */
export const parseXml = (text: string, handlers: XmlHandlers, maxDepth = MAX_DEPTH): void => {
  const parser = new SaxesParser({ xmlns: true, position: true });
  let depth = 0;
  let elements = 0;
  parser.on('error', () => {
    throw new Unreadable(`is damaged: it is not well-formed XML in line ${parser.line}`);
  });
  parser.on('doctype', () => {
    throw new Unreadable('has a document type (DTD), which is not read: save it without one');
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    elements += 1;
    if (depth > maxDepth || elements > MAX_ELEMENTS) throw new Unreadable('has too many elements in each other');
    handlers.open(tag);
  });
  parser.on('text', handlers.text);
  parser.on('cdata', handlers.text);
  parser.on('closetag', (tag) => {
    depth -= 1;
    handlers.close(tag);
  });
  parser.write(text).close();
};

interface Open {
  readonly name: string;
  readonly xpath: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
  /** How many children of each name it has so far, by the name in the document. */
  readonly counts: Map<string, number>;
}

/** The elements of an XML document, as `parseXml` reads it. */
export const readXml = (text: string): XmlElement => {
  const stack: Open[] = [];
  let root: XmlElement | null = null;
  parseXml(text, {
    open({ name, local, uri, attributes }) {
      const parent = stack.at(-1);
      const position = (parent?.counts.get(name) ?? 0) + 1;
      parent?.counts.set(name, position);
      stack.push({
        name: `${namespaces.get(uri) ?? (uri === '' ? '' : '?')}:${local}`,
        xpath: parent === undefined ? `/${name}` : `${parent.xpath}/${name}[${position}]`,
        attributes: new Map(Object.values(attributes).map(({ name: own, value }) => [own, value])),
        children: [],
        text: '',
        counts: new Map(),
      });
    },
    text(more) {
      const open = stack.at(-1);
      if (open !== undefined) open.text += more;
    },
    close() {
      const { counts: _, ...element } = stack.pop() as Open;
      const parent = stack.at(-1);
      if (parent === undefined) root = element;
      else parent.children.push(element);
    },
  });
  if (root === null) throw new Unreadable('is damaged: there is no element in it');
  return root;
};
