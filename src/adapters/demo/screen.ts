import { stripVTControlCharacters } from 'node:util';

export type Screen = ReturnType<typeof screen>;

const WIDTH = 100;
const NAME_WIDTH = 32;
const REQUEST_WIDTH = 70;

/** Breaks between words so that no line is wider than `width`; a longer word stands alone. */
export const wrapped = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** What came over the wire must not steer the terminal. */
const harmless = (text: string) => stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ');

/** Prints in one shape everywhere; colours only on a terminal. */
export const screen = (out: (line: string) => void, tty: boolean) => {
  const paint = (code: number, closing: number) => (text: string) =>
    tty ? `\u001b[${code}m${text}\u001b[${closing}m` : text;
  const bold = paint(1, 22);
  const dim = paint(2, 22);
  const red = paint(31, 39);
  const green = paint(32, 39);
  const cyan = paint(36, 39);
  let steps = 0;

  /** More about the line above. */
  const aside = (text: string) => {
    for (const line of wrapped(harmless(text), WIDTH - 8)) out(`      ${dim(line)}`);
  };

  const outcome = (mark: string) => (name: string, text: string) => {
    const fits = NAME_WIDTH + text.length <= WIDTH - 8;
    out(`    ${mark} ${harmless(name).padEnd(NAME_WIDTH)}${fits ? harmless(text) : ''}`.trimEnd());
    if (!fits) aside(text);
  };

  return {
    line: (text = '') => out(text),
    /** A numbered step. */
    step(title: string) {
      steps += 1;
      out('');
      out(bold(`${steps}  ${title}`));
      out('');
    },
    /** An HTTP call, and what it is for. */
    call: (request: string, purpose = '') =>
      out(
        `    ${cyan(request)}${purpose === '' ? '' : `${' '.repeat(Math.max(2, REQUEST_WIDTH - request.length))}${dim(purpose)}`}`,
      ),
    good: outcome(green('✓')),
    bad: outcome(red('✗')),
    aside,
    table(
      head: readonly string[],
      rows: readonly (readonly string[])[],
      { right = [], marked = [] }: { right?: readonly number[]; marked?: readonly boolean[] } = {},
    ) {
      const all = [head, ...rows].map((cells) => cells.map(harmless));
      const widths = head.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
      const render = (cells: readonly string[]) =>
        cells
          .map((cell, column) =>
            right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
          )
          .join('  ');
      all.forEach((cells, index) => {
        const text = render(cells).trimEnd();
        const painted = marked[index - 1] ? green(text) : text;
        out(`    ${index === 0 ? dim(text) : painted}`);
      });
    },
    bold,
  };
};
