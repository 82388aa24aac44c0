import { SaxesParser } from 'saxes';
import { namespaces, type XmlElement } from '../../../domain/e-invoice/xml.ts';
import { Unreadable } from '../text.ts';

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 2_000_000;

interface Open {
  readonly name: string;
  readonly xpath: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
  /** How many children of each name it has so far, by the name in the document. */
  readonly counts: Map<string, number>;
}

/**
 * The elements of an XML document. A document type is refused whole: entities come from there, external files and bombs by them.
 * What is no well-formed XML is `Unreadable`.
 */
export const readXml = (text: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const stack: Open[] = [];
  let root: XmlElement | null = null;
  let elements = 0;
  parser.on('error', () => {
    throw new Unreadable(`is damaged: it is not well-formed XML in line ${parser.line}`);
  });
  parser.on('doctype', () => {
    throw new Unreadable('has a document type (DTD), which is not read: save it without one');
  });
  parser.on('opentag', ({ name, local, uri, attributes }) => {
    elements += 1;
    if (stack.length >= MAX_DEPTH || elements > MAX_ELEMENTS)
      throw new Unreadable('has too many elements in each other');
    const parent = stack.at(-1);
    const position = (parent?.counts.get(name) ?? 0) + 1;
    parent?.counts.set(name, position);
    stack.push({
      name: `${namespaces.get(uri) ?? (uri === '' ? '' : '?')}:${local}`,
      xpath: parent === undefined ? `/${name}` : `${parent.xpath}/${name}[${position}]`,
      attributes: new Map(Object.values(attributes).map((attribute) => [attribute.name, attribute.value])),
      children: [],
      text: '',
      counts: new Map(),
    });
  });
  const addText = (more: string) => {
    const open = stack.at(-1);
    if (open !== undefined) open.text += more;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const { counts: _, ...element } = stack.pop() as Open;
    const parent = stack.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });
  parser.write(text).close();
  if (root === null) throw new Unreadable('is damaged: there is no element in it');
  return root;
};
