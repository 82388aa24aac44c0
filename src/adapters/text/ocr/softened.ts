import { quantile, type Raster } from './raster.ts';

/** Of the largest difference of shades: what makes an edge, and what a sharp one. */
const EDGE = 0.15;
const SHARP_EDGE = 0.5;
/** The share of edges that are sharp: a third in a picture that was scanned sharply, a sixth in one that was blurred or made larger. */
const SHARP = 0.36;

/** From nearly the darkest shade to nearly the lightest. */
const contrastOf = ({ gray }: Raster): number => quantile(gray, 0.5) - quantile(gray, 0.01);

/** Whether a picture was scanned sharply, or printed straight into a file. */
export const isSharp = (raster: Raster): boolean => {
  const { gray } = raster;
  const contrast = contrastOf(raster);
  let [edges, sharp, before] = [0, 0, gray[0] ?? 0];
  for (let at = 1; at < gray.length; at += 1) {
    const shade = gray[at] ?? 0;
    const step = Math.abs(shade - before) / contrast;
    if (step > EDGE) edges += 1;
    if (step > SHARP_EDGE) sharp += 1;
    before = shade;
  }
  return sharp > SHARP * edges;
};

/** With softer edges: the engine leaves out digits whose strokes are thin and sharp. */
export const softened = ({ width, height, gray }: Raster): Raster => {
  const along = (from: Uint8Array, step: number) => {
    const soft = new Uint8Array(from.length);
    for (let at = 0; at < from.length; at += 1) {
      const shade = from[at] ?? 0;
      soft[at] = ((from[at - step] ?? shade) + 2 * shade + (from[at + step] ?? shade)) >> 2;
    }
    return soft;
  };
  return { width, height, gray: along(along(gray, 1), width) };
};
