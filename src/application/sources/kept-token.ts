import { isObject } from '../../domain/json.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { KeptToken, SourceQueue } from '../ports/sources.ts';

interface Renewed {
  readonly given: string;
  readonly latest: string;
}

const renewedIn = (text: string): Renewed | null => {
  const value: unknown = JSON.parse(text);
  return isObject(value) && typeof value.given === 'string' && typeof value.latest === 'string'
    ? { given: value.given, latest: value.latest }
    : null;
};

/** null if it was sealed with a key that is lost: the token that the operator gave begins anew. */
const openedBy = (sealer: Sealer, sealed: string): Renewed | null => {
  try {
    return renewedIn(sealer.open(sealed));
  } catch {
    return null;
  }
};

/** The newest refresh token of a source, kept beside its place: that says which one the operator gave, and another one there begins anew. */
export const keptToken = (
  { id, sealedToken }: { readonly id: string; readonly sealedToken: string | null },
  { queue, sealer }: { readonly queue: Pick<SourceQueue, 'keepToken'>; readonly sealer: Sealer },
): KeptToken => {
  let renewed = sealedToken === null ? null : openedBy(sealer, sealedToken);
  return {
    latest: (given) => (renewed?.given === given ? renewed.latest : given),
    async keep(given, latest) {
      renewed = { given, latest };
      await queue.keepToken(id, sealer.seal(JSON.stringify(renewed)));
    },
  };
};
