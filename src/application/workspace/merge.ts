import type { Workspace } from '../../domain/access.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { WorkspaceState } from '../ports/storage.ts';

export type Kind = Exclude<keyof WorkspaceState, 'workspace'>;

/** One line of what applying a file does. */
export interface Change {
  readonly action: 'create' | 'change' | 'keep' | 'missing' | 'remove';
  readonly kind: Kind | 'workspace';
  readonly name: string;
  readonly id: string;
}

/** What every part of a workspace is built with. */
export interface Ground {
  readonly workspace: Workspace;
  readonly now: ReturnType<Clock['now']>;
  readonly ids: Ids;
  readonly sealer: Sealer;
}

interface Item {
  readonly id: string;
}

export interface Merged<T extends Item> {
  readonly all: readonly T[];
  readonly save: readonly T[];
  readonly gone: readonly T[];
  readonly changes: readonly Change[];
}

interface Rules<S, T extends Item> {
  /** null: the file gives none. */
  idOf(spec: S): string | null;
  nameOf(item: S | T): string;
  build(spec: S, found: T | undefined): T;
}

/** Whether nothing of what the file says is new; when a thing was last changed is not part of it. */
const same = <T extends object>(stored: T, built: T) =>
  Object.entries(built).every(([key, value]) => key === 'updatedAt' || JSON.stringify(stored[key as keyof T]) === JSON.stringify(value));

/** Matches what the file wants with what is stored, by id where the file gives one, else by name. */
export const merge = <S, T extends Item>(
  kind: Kind,
  wanted: readonly S[],
  stored: readonly T[],
  { idOf, nameOf, build }: Rules<S, T>,
): Merged<T> => {
  const all: T[] = [];
  const save: T[] = [];
  const changes: Change[] = [];
  for (const spec of wanted) {
    const id = idOf(spec);
    const found = stored.find((item) => (id === null ? nameOf(item) === nameOf(spec) : item.id === id));
    const built = build(spec, found);
    const kept = found !== undefined && same(found, built);
    all.push(kept ? found : built);
    if (!kept) save.push(built);
    changes.push({ action: kept ? 'keep' : found ? 'change' : 'create', kind, name: nameOf(spec), id: built.id });
  }
  return { all, save, changes, gone: stored.filter((item) => !all.some(({ id }) => id === item.id)) };
};

/** The sealed text that is there already, where it says the same: sealing anew would look like a change. */
export const sealedAs = (plain: string, stored: string | undefined, sealer: Sealer): string =>
  stored !== undefined && sealer.open(stored) === plain ? stored : sealer.seal(plain);
