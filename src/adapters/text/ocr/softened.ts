import { quantilesOf, type Raster } from './raster.ts';

/** Of the largest difference of shades: what makes an edge, and what a sharp one. */
const EDGE = 0.15;
const SHARP_EDGE = 0.5;
/** The share of edges that are sharp: a third in a picture that was scanned sharply, a sixth in one that was blurred or made larger. */
const SHARP = 0.36;

/** Whether a picture was scanned sharply, or printed straight into a file. */
export const isSharp = ({ gray }: Raster): boolean => {
  const quantile = quantilesOf(gray);
  // From nearly the darkest shade to nearly the lightest.
  const contrast = quantile(0.5) - quantile(0.01);
  const edge = EDGE * contrast;
  const sharpEdge = SHARP_EDGE * contrast;
  let edges = 0;
  let sharp = 0;
  let before = gray[0] ?? 0;
  for (let at = 1; at < gray.length; at += 1) {
    const shade = gray[at] ?? 0;
    const step = Math.abs(shade - before);
    if (step > edge) edges += 1;
    if (step > sharpEdge) sharp += 1;
    before = shade;
  }
  return sharp > SHARP * edges;
};

/** With softer edges: the engine leaves out digits whose strokes are thin and sharp. */
export const softened = ({ width, height, gray }: Raster): Raster => {
  const along = (from: Uint8Array, step: number) => {
    const soft = from.slice();
    const atEdge = (at: number) => {
      const shade = from[at] ?? 0;
      soft[at] = ((from[at - step] ?? shade) + 2 * shade + (from[at + step] ?? shade)) >> 2;
    };
    const first = Math.min(step, from.length);
    const last = Math.max(step, from.length - step);
    for (let at = 0; at < first; at += 1) atEdge(at);
    // A loop of its own, because one look beyond an array makes every look in the same place slow.
    for (let at = first; at < last; at += 1)
      soft[at] = ((from[at - step] ?? 0) + 2 * (from[at] ?? 0) + (from[at + step] ?? 0)) >> 2;
    for (let at = last; at < from.length; at += 1) atEdge(at);
    return soft;
  };
  return { width, height, gray: along(along(gray, 1), width) };
};
