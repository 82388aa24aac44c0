import type { Output } from './dependencies.ts';

/** Lines at the bottom of a terminal that are drawn again in place. Each must fit, a line that wraps cannot be taken back. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
  /** A line that stays, above those that change. */
  above(line: string): void;
  /** Leaves the lines where they are and begins anew below. */
  settle(): void;
}

const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

export const liveLines = (screen: Output): LiveLines => {
  let drawn: readonly string[] = [];
  const erased = () => (drawn.length > 0 ? `\x1b[${drawn.length}A\r\x1b[0J` : '');
  return {
    draw(lines) {
      screen.write(erased() + joined(lines));
      drawn = lines;
    },
    above(line) {
      screen.write(erased() + joined([line, ...drawn]));
    },
    settle() {
      drawn = [];
    },
  };
};
