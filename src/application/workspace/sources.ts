import { errorAt, type ValidationError } from '../../domain/errors.ts';
import type { SourceSpec } from '../../domain/workspace-spec.ts';
import type { Sources } from '../ports/sources.ts';

/** The field that says where a source of this type is. */
const fields = { imap: 'url', folder: 'path', bucket: 'bucket' } as const;

/** Places that this server may not, or cannot, look at; an address is not repeated. */
export const placeErrors = async (
  specs: readonly SourceSpec[],
  unread: ReadonlySet<string>,
  sources: Pick<Sources, 'defect'>,
): Promise<readonly ValidationError[]> => {
  const errors = await Promise.all(
    specs.map(async ({ place }, index) => {
      const at = `sources[${index}]`;
      const isRead = ![...unread].some((path) => path === 'sources' || path === at || path.startsWith(`${at}.`));
      return isRead ? errorAt(`${at}.${fields[place.type]}`, await sources.defect(place)) : [];
    }),
  );
  return errors.flat();
};
