import { parentPointer } from './json.ts';
import { type Box, middle } from './page-words.ts';

/** As shares of the page: how far down weighs against how far across. Values of a row nearly always stand in one line. */
const DOWN = 4;
const DOWN_IN_ROWS = 60;
/** Two values seldom share their words: half a page further across is likelier. */
const TAKEN = 0.5;
/** More would say no more, and an object may have thousands. */
const MOST_NEIGHBOURS = 16;

/** The same property in every row of a list; null if the value is in none. */
const columnOf = (pointer: string): string | null => {
  const [, list, name] = /^(.*)\/\d+\/([^/]+)$/.exec(pointer) ?? [];
  return list === undefined ? null : `${list}/*/${name}`;
};

const right = ({ x, width }: Box) => x + width;

const down = (a: Box, b: Box): number => {
  const apart = Math.abs(middle(a) - middle(b));
  return apart < Math.max(a.height, b.height) / 2 ? 0 : apart;
};
const across = (a: Box, b: Box) => Math.abs(a.x + right(a) - b.x - right(b)) / 2;
/** How far two values are from being aligned to the left, to the right or by their middles. */
const misaligned = (a: Box, b: Box) => Math.min(Math.abs(a.x - b.x), Math.abs(right(a) - right(b)), across(a, b));

/** The values that have their places on one page, to place the next one among them. */
export const placedValues = () => {
  const boxes = new Map<string, Box[]>();
  const boxesOf = (key: string | null): readonly Box[] => (key === null ? undefined : boxes.get(key)) ?? [];

  return {
    add(pointer: string, box: Box): void {
      for (const key of [parentPointer(pointer), columnOf(pointer)].flatMap((each) => each ?? [])) {
        const known = boxes.get(key) ?? [];
        if (known.length < MOST_NEIGHBOURS) known.push(box);
        boxes.set(key, known);
      }
    },
    /** Whether another value of the same object has its place here. */
    hasNeighbours: (pointer: string): boolean => boxes.has(parentPointer(pointer)),
    /** How unlikely a place is: far from the rest of the object, out of its column, or taken by the value of this pointer. */
    distance(pointer: string, box: Box, takenBy: string | null): number {
      const beside = boxesOf(parentPointer(pointer));
      const columnKey = columnOf(pointer);
      const column = boxesOf(columnKey);
      const weight = columnKey === null ? DOWN : DOWN_IN_ROWS;
      const near = (inLine: (other: Box) => number) =>
        beside.length === 0 ? 0 : Math.min(...beside.map((other) => weight * down(box, other) + inLine(other)));
      const taken = takenBy === null ? 0 : TAKEN;
      if (column.length === 0) return taken + near((other) => across(box, other));
      return taken + near(() => 0) + Math.min(...column.map((other) => misaligned(box, other)));
    },
  };
};
