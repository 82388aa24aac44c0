import type { Box } from '../../domain/page-words.ts';

/** Enough for a hundredth of a point on any page, and short where boxes are written down. */
const DECIMALS = 100_000;

const inside = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * DECIMALS);

/** The part of this rectangle that lies on the page, or null; all in fractions of the page. */
export const boxOf = (left: number, top: number, right: number, bottom: number): Box | null => {
  const x = inside(left);
  const y = inside(top);
  const width = inside(right) - inside(left);
  const height = inside(bottom) - inside(top);
  if (!(width > 0 && height > 0)) return null;
  return { x: x / DECIMALS, y: y / DECIMALS, width: width / DECIMALS, height: height / DECIMALS };
};
