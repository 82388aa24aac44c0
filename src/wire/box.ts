import type { Codec } from './kit/codec.ts';
import { component } from './kit/structures.ts';
import { integer, scalar } from './kit/values.ts';

export const fraction: Codec<number> = scalar({
  expected: 'a number from 0 to 1',
  read: (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
  schema: { type: 'number', minimum: 0, maximum: 1 },
});

export const box = component('PageBox', {
  page: integer({ min: 1 }),
  x: fraction,
  y: fraction,
  width: fraction,
  height: fraction,
});
