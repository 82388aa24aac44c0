import type { Sealer } from '../../application/ports/secrets.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';

/** The address of a connection in the clear, or an error that says what the operator has to look at. */
export const openAddress = (sealer: Sealer, { name, sealedUrl }: Pick<Connection, 'name' | 'sealedUrl'>): string => {
  try {
    return sealer.open(sealedUrl);
  } catch (cause) {
    const detail = `The address of the connection "${name}" cannot be opened: it was sealed with another ENCRYPTION_KEY, or it was changed.`;
    throw new DomainError('unavailable', detail, { cause });
  }
};
