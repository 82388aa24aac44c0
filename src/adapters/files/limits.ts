import { DomainError } from '../../domain/errors.ts';

/** What an upload was announced as; null where nothing was said. */
interface Announced {
  readonly maxBytes: number;
  readonly size: number | null;
  readonly contentLength: number | null;
}

const tooLarge = (bytes: number) =>
  new DomainError('too_large', `The file is larger than the ${bytes} bytes this URL takes.`, { code: 'file_too_large' });

const wrongSize = (expected: number, got: number) =>
  new DomainError('invalid', `The file has ${got} bytes where ${expected} were announced.`, { code: 'size_mismatch' });

/** Refuses, before the first byte, what says itself that it will not fit. */
export const checkAnnounced = ({ maxBytes, size, contentLength }: Announced) => {
  const most = Math.min(maxBytes, size ?? maxBytes);
  if (contentLength !== null && contentLength > most) throw tooLarge(most);
  if (contentLength !== null && size !== null && contentLength !== size) throw wrongSize(size, contentLength);
};

async function* whatArrives(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body;
  } catch (cause) {
    throw new DomainError('invalid', 'The upload broke off before its end.', { code: 'incomplete_upload', cause });
  }
}

/** Passes the body on, and stops it at the first byte too many or at an end that comes too soon. */
export async function* measured(body: AsyncIterable<Uint8Array>, { maxBytes, size, contentLength }: Announced) {
  const most = Math.min(maxBytes, size ?? maxBytes);
  let got = 0;
  for await (const chunk of whatArrives(body)) {
    got += chunk.byteLength;
    if (got > most) throw tooLarge(most);
    yield chunk;
  }
  const expected = size ?? contentLength;
  if (expected !== null && got !== expected) throw wrongSize(expected, got);
}
