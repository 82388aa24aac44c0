/** `--small`: every part in seconds, which shows that it works; the figures that it prints then mean nothing. */
export const isSmall = process.argv.includes('--small');

export const sized = (ordinary: number, small: number): number => (isSmall ? small : ordinary);

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
/** Node goes on compiling a large program for so long; a request costs up to twice as much before. */
export const WARM_UP_SECONDS = 20;
/** V8 throws away what it has compiled of a program that is idle, as each one is while the other is measured: it is back after so long. */
export const RUN_IN_SECONDS = 2;

/** How long a program is loaded by so many connections: for some seconds, or by few with two requests each, whose end is looked for every 20 ms. */
export const loadOf = (connections: number, seconds = SECONDS) =>
  isSmall ? { connections: Math.min(connections, 4), amount: 8, sampleInt: 20 } : { connections, duration: seconds };
