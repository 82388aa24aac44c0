/** The id of an example: a digit that is repeated. */
export const exampleId = (digit: number) => `01989c0e-65f2-7a1b-8c3d-${String(digit).repeat(12)}`;

/** A time of the day that the examples are of. */
export const exampleTime = (time: string) => new Date(`2026-11-20T${time}Z`);
