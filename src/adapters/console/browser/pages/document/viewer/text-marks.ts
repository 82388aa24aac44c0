import { blanksFolded, quoteSearch } from '../../../../../../domain/quoted-text.ts';

/** A part of a text in which a quote stands, and the values that are quoted there. */
export interface TextMark {
  readonly from: number;
  readonly to: number;
  readonly pointers: readonly string[];
}

export interface Quoted {
  readonly pointer: string;
  readonly quote: string;
}

/** Where quotes are looked for; `at` says where each character stands in the text. */
const withBlanksFolded = (text: string) => {
  const at = new Uint32Array(text.length);
  let folded = '';
  let end = 0;
  for (const run of text.matchAll(/\S+|\s+/g)) {
    const isBlank = /^\s/.test(run[0]);
    for (let index = 0; index < (isBlank ? 1 : run[0].length); index++) at[end++] = run.index + index;
    folded += isBlank ? ' ' : run[0];
  }
  return { folded, at };
};

/** Where the quotes stand, in the order of the text. Of two that overlap the values share the place that begins first. */
export const marksIn = (text: string, quotes: readonly Quoted[]): readonly TextMark[] => {
  const { folded, at } = withBlanksFolded(text);
  const byQuote = Map.groupBy(quotes, ({ quote }) => blanksFolded(quote));
  const search = quoteSearch(folded);
  const places: TextMark[] = [];
  for (const [quote, values] of byQuote) {
    const from = quote === '' ? -1 : search(quote);
    if (from === -1) continue;
    const pointers = values.map(({ pointer }) => pointer);
    places.push({ from: at[from] ?? 0, to: (at[from + quote.length - 1] ?? 0) + 1, pointers });
  }
  const marks: TextMark[] = [];
  for (const mark of places.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const before = marks.at(-1);
    if (before === undefined || before.to <= mark.from) marks.push(mark);
    else
      marks[marks.length - 1] = {
        ...before,
        to: Math.max(before.to, mark.to),
        pointers: [...before.pointers, ...mark.pointers],
      };
  }
  return marks;
};

/** A piece of a line, of which the mark, by its index, is shown. */
export interface Piece {
  readonly text: string;
  readonly mark: number | null;
}

/** Of a line, its cells: more than one where it has tabs. */
type Cells = readonly (readonly Piece[])[];

/** Lines one below the other: of a table, or of other text, whose lines have one cell each. */
export interface Block {
  readonly isTable: boolean;
  readonly lines: readonly Cells[];
}

/** A text as a person reads it, with the marks in it. */
export const blocksOf = (text: string, marks: readonly TextMark[]): readonly Block[] => {
  let next = 0;
  /** From one place on to another, which come in the order of the text. */
  const piecesOf = (from: number, to: number): readonly Piece[] => {
    const pieces: Piece[] = [];
    let done = from;
    while ((marks[next]?.to ?? from + 1) <= from) next++;
    for (const [index, mark] of marks.slice(next, next + to - from).entries()) {
      if (mark.from >= to) break;
      const first = Math.max(from, mark.from);
      const last = Math.min(to, mark.to);
      if (first > done) pieces.push({ text: text.slice(done, first), mark: null });
      pieces.push({ text: text.slice(first, last), mark: next + index });
      done = last;
    }
    if (done < to) pieces.push({ text: text.slice(done, to), mark: null });
    return pieces;
  };
  let from = 0;
  const blocks: { isTable: boolean; lines: Cells[] }[] = [];
  for (const line of text.split('\n')) {
    const cells = line.split('\t').map((cell) => {
      const pieces = piecesOf(from, from + cell.length);
      from += cell.length + 1;
      return pieces;
    });
    const last = blocks.at(-1);
    const isTable = cells.length > 1;
    if (last?.isTable === isTable) last.lines.push(cells);
    else blocks.push({ isTable, lines: [cells] });
  }
  return blocks;
};
