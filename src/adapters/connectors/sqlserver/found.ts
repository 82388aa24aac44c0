import type { Hop } from '../../../application/ports/connectors.ts';

/** What a step of an examination has come to. */
export type Found = Pick<Hop, 'status' | 'detail'>;
export const ok = (detail: string): Found => ({ status: 'ok', detail });
export const warn = (detail: string): Found => ({ status: 'warn', detail });
export const skipped = (detail: string): Found => ({ status: 'skipped', detail });

/** An error that is told as it is. */
export class ExaminationFailure extends Error {}
