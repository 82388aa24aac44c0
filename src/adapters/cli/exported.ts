import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../domain/errors.ts';
import type { Output } from './dependencies.ts';
import { CliFailure } from './failures.ts';

/** Writes the body of an answer as it comes. A reader that ends early (`| head`) is no failure. */
export const writeExport = async ({ body }: Response, stdout: Output, signal: AbortSignal): Promise<void> => {
  if (body === null) return;
  try {
    await pipeline(Readable.fromWeb(body), stdout, { end: false });
  } catch (error) {
    signal.throwIfAborted();
    const code = codeOf(error);
    if (code === 'EPIPE') return;
    if (code !== '') throw error;
    throw new CliFailure('the export broke off: what was written is not all of it', [], { cause: error });
  }
};
