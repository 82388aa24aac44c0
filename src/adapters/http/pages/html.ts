const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Markup that is safe in a page without escaping. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | readonly Html[];

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
};

/** A template that escapes its values unless they are Html. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((markup, string, index) => markup + string + (index < parts.length ? markupOf(parts[index] ?? '') : ''), ''));

/** Prose with `code` in backticks. */
export const prose = (text: string): Html =>
  new Html(
    text
      .split('`')
      .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`).markup)
      .join(''),
  );
