import { besideTerms } from './beside-terms.ts';
import type { EInvoice, TermNode } from './e-invoice.ts';
import { termsById } from './terms.ts';

const ATTACHED = 'BT-125';

const printed = (node: TermNode, indent: string): readonly string[] => {
  const text = node.text.trim().replace(/\s+/g, ' ');
  const name = termsById.get(node.id)?.name ?? node.id;
  if (node.id.startsWith('BT-')) {
    if (text === '') return [];
    const scheme = node.nodes.map((part) => part.text.trim()).filter((part) => part !== '');
    // An attached file is read as a file of its own.
    if (node.id === ATTACHED) return [`${indent}${name}: ${scheme.join(', ')}`];
    return [`${indent}${name}: ${text}${scheme.length > 0 ? ` (${scheme.join(', ')})` : ''}`];
  }
  const inner = node.nodes.flatMap((part) => printed(part, `${indent}  `));
  return inner.length === 0 ? [] : [`${indent}${name}`, ...inner];
};

/** The invoice as a person reads it: a line for each term, with its name in EN 16931-1, indented by group, and what it says beside. */
export const eInvoiceText = ({ nodes, root }: EInvoice): string =>
  [...nodes.flatMap((node) => printed(node, '')), ...besideTerms(root, nodes)].join('\n');
