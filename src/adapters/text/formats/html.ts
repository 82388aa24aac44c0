import { type Builder, type Cell, convert, type Formatter, type Node } from 'html-to-text';
import { raised, Unreadable } from '../text.ts';
import { list } from './html-lists.ts';
import { MAX_DEPTH, refuseDeep } from './html-nesting.ts';

const MAX_INPUT = 16_000_000;
const MAX_COLSPAN = 50;

const linesOf = ({ text, colspan }: Cell): readonly (readonly string[])[] => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return [lines, ...Array.from({ length: Math.min(colspan, MAX_COLSPAN) - 1 }, () => [])];
};

/** In so many columns a cell reaches into the rows below it. */
const MAX_TALL = 200;

/** The columns of each row. Where a cell of a row above reaches into it, it has nothing of its own. */
const columnsOf = (rows: readonly (readonly Cell[])[]): readonly (readonly (readonly string[])[])[] => {
  /** By column: the first row that is below such a cell. */
  const below: number[] = [];
  return rows.map((row, index) => {
    const columns: (readonly string[])[] = [];
    for (const cell of row) {
      while ((below[columns.length] ?? 0) > index) columns.push([]);
      for (const lines of linesOf(cell)) {
        if (columns.length < MAX_TALL) below[columns.length] = index + cell.rowspan;
        columns.push(lines);
      }
    }
    return columns;
  });
};

/** One line for each line of the row, as it is seen: cells side by side, separated by tabs. */
const rowText = (columns: readonly (readonly string[])[]): string => {
  const height = columns.reduce((most, lines) => Math.max(most, lines.length), 0);
  return Array.from({ length: height }, (_, line) => columns.map((lines) => lines[line] ?? '').join('\t')).join('\n');
};

/** So deep within other elements the rows of a table, and the cells of a row, are looked for. */
const MAX_WRAPPED = 10;

const isWritten = (node: Node, depth = MAX_DEPTH): boolean =>
  node.type === 'text'
    ? node.data?.trim() !== ''
    : node.type === 'tag' && (depth === 0 || (node.children ?? []).some((child) => isWritten(child, depth - 1)));

const holds = (node: Node, name: RegExp, depth = MAX_WRAPPED): boolean =>
  node.name !== 'table' &&
  depth > 0 &&
  (node.children ?? []).some((child) => name.test(child.name ?? '') || holds(child, name, depth - 1));

/**
 * The rows of a table, or the cells of a row, also those within other elements, such as a form, from which browsers take them. What is written beside them
 * is shown as well: `alone` makes a part of it.
 */
const partsOf = (element: Node, name: RegExp, alone: (node: Node) => Node): readonly Node[] =>
  (element.children ?? []).flatMap((child) => {
    if (name.test(child.name ?? '')) return [child];
    if (holds(child, name)) return partsOf(child, name, alone);
    return child.name !== 'caption' && isWritten(child) ? [alone(child)] : [];
  });

const cellOf = (child: Node): Node => ({ type: 'tag', name: 'td', children: [child] });
const rowOf = (child: Node): Node => ({ type: 'tag', name: 'tr', children: [cellOf(child)] });

const cell = (element: Node, walk: Parameters<Formatter>[1], builder: Builder) => {
  builder.openTableCell();
  walk(element.children ?? [], builder);
  const { colspan, rowspan } = element.attribs ?? {};
  builder.closeTableCell({ colspan: Number(colspan) || 1, rowspan: Number(rowspan) || 1 });
};

const table: Formatter = (element, walk, builder) => {
  builder.openTable();
  const captions = (element.children ?? []).filter(({ name }) => name === 'caption');
  for (const row of [...captions.map(rowOf), ...partsOf(element, /^tr$/, rowOf)]) {
    builder.openTableRow();
    for (const child of partsOf(row, /^t[dh]$/, cellOf)) cell(child, walk, builder);
    builder.closeTableRow();
  }
  builder.closeTable({
    tableToString: (rows) =>
      columnsOf(rows)
        .map(rowText)
        .filter((text) => text !== '')
        .join('\n'),
    leadingLineBreaks: 2,
    trailingLineBreaks: 2,
  });
};

/** The last text in a part of a page. */
const lastText = (node: Node | null | undefined, depth = MAX_WRAPPED): string =>
  !node || depth === 0 ? '' : (node.data ?? lastText(node.children?.at(-1), depth - 1));

const WITHIN_LINES = /^(?:a|abbr|b|em|font|i|small|span|strong|u)$/;
const textBefore = ({ prev, parent }: Node): string =>
  prev || !parent || !WITHIN_LINES.test(parent.name ?? '') ? lastText(prev) : textBefore(parent);

const superscript: Formatter = (element, walk, builder) => {
  const before = textBefore(element);
  builder.pushWordTransform((word) => raised(word, before));
  walk(element.children ?? [], builder);
  builder.popWordTransform();
};

/** A part of a formula (MathML), in brackets where it is more than a number or a name. */
const formulaPart = (node: Node | undefined, walk: Parameters<Formatter>[1], builder: Builder) => {
  if (node === undefined) return;
  const isSimple = /^(?:mn|mi)$/.test(node.name ?? '');
  if (!isSimple) builder.addLiteral('(');
  walk([node], builder);
  if (!isSimple) builder.addLiteral(')');
};

/** Two parts that stand above each other, or one higher than the other, with a sign between them: `1/2` and `10^3` rather than 12 and 103. */
const between =
  (sign: string): Formatter =>
  (element, walk, builder) => {
    const [first, second] = (element.children ?? []).filter(({ type }) => type === 'tag');
    // A number may stand before a fraction: 1 1/2.
    if (sign === '/') builder.addLiteral(' ');
    formulaPart(first, walk, builder);
    builder.addLiteral(sign);
    formulaPart(second, walk, builder);
  };

/** An element of this name ends the conversion: the package looks names up in an object that has a property of this one. */
const CONSTRUCTOR = /<(\/?)constructor(?![\w-])/gi;

/** Where a word may be divided: it is seen there alone. */
const SOFT_HYPHEN = '\u00ad';

/** What browsers begin a line with, beside what the package knows of. */
const blocks = 'body center dd details dialog dl dt fieldset figcaption figure hgroup legend search summary'
  .split(' ')
  .map((selector) => ({ selector, format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } }));

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } }));

/** How text that is struck out is written, in every format: it is shown, and holds no more. */
export const struck = (text: string): string => text.replace(/\S(?:.*\S)?/s, '~~$&~~');

export const STRIKING = new Set(['s', 'strike', 'del']);
const struckNode = (node: Node, depth = MAX_DEPTH): Node => ({
  ...node,
  ...(STRIKING.has(node.name ?? '') && { name: 'span' }),
  ...(node.data !== undefined && { data: struck(node.data) }),
  ...(depth > 0 && { children: (node.children ?? []).map((child) => struckNode(child, depth - 1)) }),
});
const struckOut: Formatter = (element, walk, builder) =>
  walk(
    (element.children ?? []).map((child) => struckNode(child)),
    builder,
  );

/** The text as a reader sees it: lines as lines, tables as rows of cells, links with their addresses. */
export const htmlText = (html: string, whitespaceCharacters = ' \t\r\n\f\u200b'): string => {
  if (html.length > MAX_INPUT) throw new Unreadable('is too large to read');
  refuseDeep(html);
  const text = convert(html.replace(CONSTRUCTOR, '<$1span').replaceAll('</s><s>', ''), {
    wordwrap: false,
    whitespaceCharacters,
    // Browsers show also what stands behind the end of the body, where lists of mails write their footers.
    baseElements: { selectors: [] },
    limits: { maxDepth: MAX_DEPTH, maxInputLength: MAX_INPUT },
    formatters: {
      rows: table,
      list,
      superscript,
      struckOut,
      fraction: between('/'),
      power: between('^'),
      index: between('_'),
    },
    selectors: [
      ...blocks,
      ...headings,
      { selector: 'table', format: 'rows' },
      ...['ol', 'ul'].map((selector) => ({ selector, format: 'list' })),
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'sup', format: 'superscript' },
      { selector: 'mfrac', format: 'fraction' },
      { selector: 'msup', format: 'power' },
      { selector: 'msub', format: 'index' },
      ...[...STRIKING].map((selector) => ({ selector, format: 'struckOut' })),
      { selector: 'textarea', format: 'pre', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'img', format: 'skip' },
      { selector: 'title', format: 'skip' },
    ],
  });
  return text.replaceAll(SOFT_HYPHEN, '');
};
