import { median } from './ocr/marks.ts';

/** A part of a page in shades of grey: as wide as high, with a candidate for a box in its middle. */
export interface BoxPicture {
  readonly side: number;
  /** In pixels: the longer side of the candidate, and how much of the page is around it. */
  readonly size: number;
  readonly gray: Uint8Array;
}

/** `empty`; `on`: with a tick, a cross or a dot in it; `full`: of one colour; `unclear`: with something else in it. */
export interface BoxShape {
  readonly outline: 'square' | 'circle';
  readonly state: 'empty' | 'on' | 'full' | 'unclear';
  /** Whether its inside is as light as paper, and not a field of a colour. */
  readonly isBlank: boolean;
  /** Whether nothing stands close to it. */
  readonly isFree: boolean;
}

/** Of 255: by how much ink differs from what is around it. */
const LEAST_DIFFERENCE = 28;
/** The same of ink on the paper in a box, which may be a hair. */
const LEAST_INSIDE = 14;
/** Of 255: how much darker than the paper around it the inside of a box may be. */
const MOST_SHADED = 40;
/** In shares of the size of a box. */
const FREE_AROUND = 0.2;
/** How far from it the paper around it is looked at. */
const AROUND = 0.12;
/** How much larger than the candidate it may be. */
const OFF = 0.06;
const SQUARENESS = 0.12;
const THICKEST_FRAME = 0.25;
const CORE = 0.22;
const EDGE = 0.1;
const LEAST_SIZE = 0.8;
/** The same for one whose tick reaches out of it. */
const LEAST_FRAME = 0.6;
/** As a share of how much a frame differs from what is around it: by how much its inside differs from it. */
const CHANGE = 0.75;
/** How much of its bounds a square fills, and how much a circle; how far a circle is off its radius. */
const SQUARE_FILL = 0.93;
const CIRCLE_FILL = [0.72, 0.86] as const;
const OFF_RADIUS = 0.09;
const DIRECTIONS = 24;
/** How large a sign in a box is at least, and how much of the inside is ink that is no dirt. */
const LEAST_SIGN = 0.3;
const LEAST_INK = 0.015;

interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The places that hang together with the first ones, each with those beside, above and below it. */
const joined = (side: number, starts: readonly number[], belongs: (at: number) => boolean): Uint8Array => {
  const places = new Uint8Array(side * side);
  const open = starts.filter(belongs);
  for (const at of open) places[at] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % side;
    const next = [x > 0 ? at - 1 : at, x < side - 1 ? at + 1 : at, at - side, at + side];
    for (const place of next) {
      if (place < 0 || place >= places.length || places[place] === 1 || !belongs(place)) continue;
      places[place] = 1;
      open.push(place);
    }
  }
  return places;
};

const boundsOf = (side: number, places: Uint8Array): Bounds & { readonly count: number } => {
  let left = side;
  let top = side;
  let right = 0;
  let bottom = 0;
  let count = 0;
  for (let at = 0; at < places.length; at += 1) {
    if (places[at] !== 1) continue;
    const x = at % side;
    const y = Math.floor(at / side);
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + 1);
    count += 1;
  }
  return { left, top, right, bottom, count };
};

const outlineOf = (
  side: number,
  shape: Uint8Array,
  { left, top, right, bottom, count }: ReturnType<typeof boundsOf>,
) => {
  const width = right - left;
  const height = bottom - top;
  const size = Math.max(width, height);
  if (Math.abs(width - height) > SQUARENESS * size) return null;
  const fill = count / (width * height);
  if (fill >= SQUARE_FILL) return 'square' as const;
  if (fill < CIRCLE_FILL[0] || fill > CIRCLE_FILL[1]) return null;
  const x0 = (left + right - 1) / 2;
  const y0 = (top + bottom - 1) / 2;
  const radii = Array.from({ length: DIRECTIONS }, (_, index) => {
    const angle = (2 * Math.PI * index) / DIRECTIONS;
    let radius = 0;
    const isInside = () =>
      shape[Math.round(y0 + radius * Math.sin(angle)) * side + Math.round(x0 + radius * Math.cos(angle))] === 1;
    while (radius < size && isInside()) radius += 0.5;
    return radius;
  });
  return radii.every((radius) => Math.abs(radius - size / 2) <= OFF_RADIUS * size) ? ('circle' as const) : null;
};

/** The frame of a box whose tick reaches out of it: where most rows and columns of the paper that it encloses begin and end. */
const frameIn = (side: number, shape: Uint8Array, isGround: (at: number) => boolean): Bounds | null => {
  const hole = boundsOf(
    side,
    shape.map((isIn, at) => (isIn === 1 && isGround(at) ? 1 : 0)),
  );
  if (hole.count === 0) return null;
  const between = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const row = (y: number) => between(0, side).filter((x) => shape[y * side + x] === 1);
  const column = (x: number) => between(0, side).filter((y) => shape[y * side + x] === 1);
  const rows = between(hole.top, hole.bottom).map(row);
  const columns = between(hole.left, hole.right).map(column);
  return {
    left: median(rows.map((places) => places[0] ?? 0)),
    right: median(rows.map((places) => places.at(-1) ?? 0)) + 1,
    top: median(columns.map((places) => places[0] ?? 0)),
    bottom: median(columns.map((places) => places.at(-1) ?? 0)) + 1,
  };
};

/** The same places without those beyond these bounds. */
const within = (side: number, places: Uint8Array, { left, top, right, bottom }: Bounds): Uint8Array =>
  places.map((isIn, at) => {
    const x = at % side;
    const y = Math.floor(at / side);
    return x >= left && x < right && y >= top && y < bottom ? isIn : 0;
  });

/** A sign alone: 1 where it has ink. */
interface Sign {
  readonly width: number;
  readonly height: number;
  readonly isInk: (across: number, down: number) => boolean;
}

const isDot = ({ width, height, isInk }: Sign): boolean => {
  let count = 0;
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) if (isInk(x, y)) count += 1;
  return Math.abs(width - height) <= 0.25 * Math.max(width, height) && count >= 0.72 * width * height;
};

/** Ink from corner to corner, and none between the corners. */
const isCross = ({ width, height, isInk }: Sign): boolean => {
  if (Math.abs(width - height) > 0.35 * Math.max(width, height)) return false;
  const at = (across: number, down: number) => isInk(Math.round(across * (width - 1)), Math.round(down * (height - 1)));
  const isNear = (across: number, down: number) =>
    [-1, 0, 1].some((off) => isInk(Math.round(across * (width - 1)) + off, Math.round(down * (height - 1))));
  const steps = Array.from({ length: 9 }, (_, index) => 0.1 + index / 10);
  const isStroke = steps.every((step) => isNear(step, step) && isNear(step, 1 - step));
  return isStroke && ![at(0.5, 0.04), at(0.5, 0.96), at(0.04, 0.5), at(0.96, 0.5)].some(Boolean);
};

/** A stroke that falls from the left, and rises from there to the right, higher than it began. */
const isTick = ({ width, height, isInk }: Sign): boolean => {
  const strokes = Array.from({ length: width }, (_, x) => {
    const inked = Array.from({ length: height }, (_, y) => y).filter((y) => isInk(x, y));
    const [first = 0] = inked;
    const last = inked.at(-1) ?? -1;
    return { isWhole: inked.length > 0 && last - first + 1 === inked.length, first, last, length: inked.length };
  });
  if (!strokes.every(({ isWhole, length }) => isWhole && length <= 0.75 * height)) return false;
  const lowest = strokes.findIndex(({ last }) => last === height - 1);
  const turn = lowest / width;
  const falls = strokes.slice(0, lowest);
  const rises = strokes.slice(lowest);
  const isFalling = falls.every(({ last }, index) => index === 0 || last >= (falls[index - 1]?.last ?? 0) - 1);
  const isRising = rises.every(({ first }, index) => index === 0 || first <= (rises[index - 1]?.first ?? 0) + 1);
  const begin = strokes[0]?.first ?? 0;
  const end = strokes.at(-1);
  return (
    turn >= 0.12 &&
    turn <= 0.62 &&
    isFalling &&
    isRising &&
    begin >= 0.2 * height &&
    strokes.findIndex(({ first }) => first === 0) >= 0.65 * width &&
    end !== undefined &&
    end.last <= 0.5 * height
  );
};

interface Outline extends Bounds {
  readonly outline: BoxShape['outline'];
  /** 1 for each place on it and within it. */
  readonly shape: Uint8Array;
}

const outlined = (side: number, size: number, shape: Uint8Array, isGround: (at: number) => boolean): Outline | null => {
  const bounds = boundsOf(side, shape);
  const outline = outlineOf(side, shape, bounds);
  if (outline !== null) return bounds.right - bounds.left < LEAST_SIZE * size ? null : { outline, shape, ...bounds };
  const frame = frameIn(side, shape, isGround);
  if (frame === null || frame.right - frame.left < LEAST_FRAME * size) return null;
  const framed = within(side, shape, frame);
  const { count } = boundsOf(side, framed);
  return outlineOf(side, framed, { ...frame, count }) === 'square'
    ? { outline: 'square', shape: framed, ...frame }
    : null;
};

/** Whether nothing stands close to a shape. */
const isFree = (
  side: number,
  { left, top, right, bottom }: Bounds,
  shape: Uint8Array,
  outside: Uint8Array,
): boolean => {
  const free = Math.round(FREE_AROUND * (right - left));
  for (let y = Math.max(0, top - free); y < Math.min(side, bottom + free); y += 1)
    for (let x = Math.max(0, left - free); x < Math.min(side, right + free); x += 1)
      if (shape[y * side + x] !== 1 && outside[y * side + x] !== 1) return false;
  return true;
};

/** How far in from its outline the frame of a shape ends, and the shade of what is within; a shape of one colour is a frame with more of it within. */
const insideOf = (rings: readonly number[], size: number, ground: number) => {
  const line = rings.reduce((most, shade) => (Math.abs(shade - ground) > Math.abs(most - ground) ? shade : most));
  const from = rings.indexOf(line);
  const end = rings.findIndex(
    (shade, depth) => depth > from && Math.abs(shade - line) > CHANGE * Math.abs(line - ground),
  );
  return end === -1 ? { inset: EDGE * size, paper: line } : { inset: end + 1, paper: rings[end + 1] ?? ground };
};

/** What a person sees in a small square or circle that stands free; null if it is none. */
export const boxShapeIn = ({ side, size, gray }: BoxPicture): BoxShape | null => {
  const all = Array.from(gray.keys());
  const half = side >> 1;
  const fromCentre = (at: number) => Math.max(Math.abs((at % side) - half), Math.abs(Math.floor(at / side) - half));
  const edge = all.filter((at) => fromCentre(at) === Math.round((0.5 + AROUND) * size));
  const ground = median(edge.map((at) => gray[at] ?? 0));
  const isGround = (at: number) => Math.abs((gray[at] ?? 0) - ground) < LEAST_DIFFERENCE;
  const outside = joined(side, edge, isGround);
  const whole = joined(side, [half * side + half], (at) => outside[at] !== 1 && fromCentre(at) <= (0.5 + OFF) * size);
  const found = outlined(side, size, whole, isGround);
  if (found === null) return null;

  const { outline, shape, left, top, right, bottom } = found;
  const x0 = (left + right - 1) / 2;
  const y0 = (top + bottom - 1) / 2;
  const radius = (right - left) / 2;
  const depths = all.map((at) => {
    const across = Math.abs((at % side) - x0);
    const down = Math.abs(Math.floor(at / side) - y0);
    return radius - (outline === 'circle' ? Math.hypot(across, down) : Math.max(across, down));
  });
  const depthOf = (at: number) => depths[at] ?? 0;
  const rings = Array.from({ length: Math.ceil(THICKEST_FRAME * size) }, (_, depth) =>
    median(all.filter((at) => Math.abs(depthOf(at) - depth - 0.5) <= 0.5).map((at) => gray[at] ?? 0)),
  );
  const { inset, paper } = insideOf(rings, size, ground);
  const isBlank = paper >= ground - MOST_SHADED;
  const about = { outline, isBlank, isFree: isFree(side, found, whole, outside) };
  const isInk = (at: number) =>
    shape[at] === 1 && depthOf(at) >= inset && Math.abs((gray[at] ?? 0) - paper) >= LEAST_INSIDE;
  // What reaches no further inward is the edge of the frame.
  const core = all.filter((at) => depthOf(at) >= CORE * size);
  const ink = joined(side, core, isInk);
  const sign = boundsOf(side, ink);
  if (sign.count <= LEAST_INK * core.length) return { ...about, state: isBlank ? 'empty' : 'full' };
  const width = sign.right - sign.left;
  const height = sign.bottom - sign.top;
  const drawn: Sign = { width, height, isInk: (x, y) => ink[(sign.top + y) * side + sign.left + x] === 1 };
  const isSign = isTick(drawn) || (isBlank && (isDot(drawn) || (outline === 'square' && isCross(drawn))));
  const isOn = isSign && Math.min(width, height) >= LEAST_SIGN * size;
  return { ...about, state: isOn ? 'on' : 'unclear' };
};
