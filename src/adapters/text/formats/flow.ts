import { raised } from '../text.ts';

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** How a text stands in its line: above it, or struck out. */
export interface Standing {
  readonly isRaised?: boolean | undefined;
  readonly isStruck?: boolean | undefined;
}

/** A text as HTML, behind what is written already. */
export const written = (
  text: string,
  before: string,
  { isRaised = false, isStruck = false }: Standing = {},
): string => {
  const html = escaped(isRaised ? raised(text, before) : text);
  return isStruck && text.trim() !== '' ? `<s>${html}</s>` : html;
};

interface Block {
  html: string;
  /** Boxes and notes that stand apart: they come after the outermost block around them. */
  apart: string;
}

/** The paragraphs and tables of a document as HTML, written while its elements open and close. */
export const documentFlow = () => {
  const root: Block = { html: '', apart: '' };
  const blocks: Block[] = [root];
  const top = () => blocks.at(-1) ?? root;
  const end = (): Block => (blocks.length > 1 ? blocks.pop() : undefined) ?? { html: '', apart: '' };
  const apart = (html: string) => {
    if (top() === root) root.html += html;
    else top().apart += html;
  };
  const close = (inHtml: (html: string) => string) => {
    const block = end();
    top().html += inHtml(block.html);
    apart(block.apart);
  };
  return {
    text(text: string, standing?: Standing) {
      top().html += written(text, top().html, standing);
    },
    line() {
      top().html += '<br>';
    },
    open() {
      blocks.push({ html: '', apart: '' });
    },
    /** `before`: such as the number of a list. */
    closeParagraph(before = '') {
      close((html) => `<p>${before === '' || html.trim() === '' ? '' : `${escaped(before)} `}${html}</p>`);
    },
    closeCell(columns = 1) {
      close((html) => `<td colspan="${columns}">${html}</td>`);
    },
    closeRow() {
      close((html) => `<tr>${html}</tr>`);
    },
    closeTable() {
      close((html) => `<table>${html}</table>`);
    },
    /** What was written since it was opened, to be used elsewhere. */
    take(): string {
      const { html, apart: rest } = end();
      return html + rest;
    },
    apart,
    html: () => root.html,
  };
};
