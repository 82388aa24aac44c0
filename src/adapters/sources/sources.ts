import type { Sources } from '../../application/ports/sources.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SourcePlace, SourceType } from '../../domain/source.ts';
import type { SourceFamilies, SourceFamily } from './family.ts';

/** The sources of each type that this server knows. */
export const knownSources = (families: SourceFamilies): Sources => {
  const familyOf = ({ type }: SourcePlace) => families[type] as SourceFamily<SourceType> | undefined;
  const unknown = ({ type }: SourcePlace) => `is of the type ${type}, which this server cannot look at`;
  return {
    async defect(place) {
      const family = familyOf(place);
      return family ? family.defect(place) : unknown(place);
    },
    async open({ place, after, token }, signal) {
      const family = familyOf(place);
      if (!family) throw new DomainError('unavailable', `The source ${unknown(place)}.`);
      return family.open(place, after, signal, token);
    },
  };
};
