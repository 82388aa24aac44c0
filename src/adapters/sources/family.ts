import type { KeptToken, OpenSource } from '../../application/ports/sources.ts';
import type { SourceAfter, SourcePlace, SourceType } from '../../domain/source.ts';

type PlaceOf<T extends SourceType> = Extract<SourcePlace, { readonly type: T }>;

/** How the sources of a type are reached. */
export interface SourceFamily<T extends SourceType> {
  /** See `Sources`. */
  defect(place: PlaceOf<T>): Promise<string | null>;
  open(place: PlaceOf<T>, after: SourceAfter, signal: AbortSignal, token: KeptToken): Promise<OpenSource>;
}

export type SourceFamilies = { readonly [T in SourceType]?: SourceFamily<T> };
