import { type Decimal, plus, readDecimal, zero } from '../decimal.ts';
import type { EInvoice, TermNode } from './e-invoice.ts';

/** The terms of an invoice, or of one of its groups, as rules ask for them. */
export class InvoiceTerms {
  readonly xpath: string;
  private readonly index = new Map<string, TermNode[]>();
  private readonly grouped = new Map<string, readonly InvoiceTerms[]>();

  constructor(nodes: readonly TermNode[], xpath: string) {
    this.xpath = xpath;
    this.add(nodes);
  }

  static of({ nodes, root }: EInvoice): InvoiceTerms {
    return new InvoiceTerms(nodes, root.xpath);
  }

  private add(nodes: readonly TermNode[]): void {
    for (const node of nodes) {
      const same = this.index.get(node.id);
      if (same === undefined) this.index.set(node.id, [node]);
      else same.push(node);
      this.add(node.nodes);
    }
  }

  /** Every node of this term or group, also in groups of groups. */
  all(id: string): readonly TermNode[] {
    return this.index.get(id) ?? [];
  }

  /** A group that is there may be empty, a term has a text. */
  has(id: string): boolean {
    const terms = this.all(id);
    return id.startsWith('BG-')
      ? terms.length > 0
      : terms.some(({ text, nodes }) => text.trim() !== '' || nodes.length > 0);
  }

  /** Empty where there is none. */
  text(id: string): string {
    return this.all(id)[0]?.text.trim() ?? '';
  }

  /** null where there is none, or no number. */
  amount(id: string): Decimal | null {
    return this.has(id) ? readDecimal(this.text(id)) : null;
  }

  sum(id: string): Decimal {
    return this.all(id).reduce((sum, { text }) => plus(sum, readDecimal(text.trim()) ?? zero), zero);
  }

  /** Each group of this kind, with its own terms. */
  groups(id: string): readonly InvoiceTerms[] {
    const known = this.grouped.get(id);
    if (known !== undefined) return known;
    const groups = this.all(id).map(({ nodes, xpath }) => new InvoiceTerms(nodes, xpath));
    this.grouped.set(id, groups);
    return groups;
  }
}
