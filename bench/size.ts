/** `--small`: every part in seconds, which shows that it works; the figures that it prints then mean nothing. */
export const isSmall = process.argv.includes('--small');

export const sized = (ordinary: number, small: number): number => (isSmall ? small : ordinary);

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);

/** How long a program is loaded by so many connections: for some seconds, or with two requests of each, whose end is looked for every 20 ms. */
export const loadOf = (connections: number) => ({
  connections,
  ...(isSmall ? { amount: 2 * connections, sampleInt: 20 } : { duration: SECONDS }),
});
