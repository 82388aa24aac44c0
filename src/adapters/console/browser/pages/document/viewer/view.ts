import { signal } from '@preact/signals';

/** How many quarters of a turn the pages of the document are turned, to the right. */
export type Turn = 0 | 1 | 2 | 3;

const LEAST = 0.5;
const MOST = 5;
const STEP = 1.25;

/** How wide a page is, as a part of the place that it has: 1 fits. It stays from one document to the next. */
export const zoom = signal(1);

const clamped = (value: number) => Math.min(MOST, Math.max(LEAST, value));

export const zoomBy = (factor: number): void => {
  const next = clamped(zoom.peek() * factor);
  zoom.value = Math.abs(next - 1) < 0.02 ? 1 : next;
};

export const zoomIn = (): void => zoomBy(STEP);
export const zoomOut = (): void => zoomBy(1 / STEP);

export const fitWidth = (): void => {
  zoom.value = 1;
};

export const isLeast = (value: number): boolean => value <= LEAST;
export const isMost = (value: number): boolean => value >= MOST;

/** Where on a page that is not turned a point stands, which is seen at this place of the turned one; both as fractions. */
export const unturned = (turn: Turn, x: number, y: number): { readonly x: number; readonly y: number } => {
  if (turn === 1) return { x: y, y: 1 - x };
  if (turn === 2) return { x: 1 - x, y: 1 - y };
  return turn === 3 ? { x: 1 - y, y: x } : { x, y };
};

/** What the user chose of how pages are shown; a reload keeps it. */
const kept = (name: string) => `portico.viewer ${name}`;

const SPLIT = kept('split');
const NARROWEST = 0.2;
const WIDEST = 0.8;

const storedSplit = (): number | null => {
  const share = Number(localStorage.getItem(SPLIT) ?? Number.NaN);
  return share >= NARROWEST && share <= WIDEST ? share : null;
};

/** Which part of the width the pages have, the values having the rest; null: the user has not chosen. */
export const split = signal(storedSplit());

/** null: as it was before the user chose. */
export const setSplit = (part: number | null): void => {
  split.value = part === null ? null : Math.round(Math.min(WIDEST, Math.max(NARROWEST, part)) * 1000) / 1000;
  if (split.value === null) localStorage.removeItem(SPLIT);
  else localStorage.setItem(SPLIT, String(split.value));
};

const THUMBNAILS = kept('thumbnails');

export const thumbnails = signal(localStorage.getItem(THUMBNAILS) !== null);

export const setThumbnails = (on: boolean): void => {
  thumbnails.value = on;
  if (on) localStorage.setItem(THUMBNAILS, '1');
  else localStorage.removeItem(THUMBNAILS);
};
