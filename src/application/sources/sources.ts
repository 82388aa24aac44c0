import { type Caller, mustWrite } from '../../domain/caller.ts';
import { mustExist } from '../../domain/errors.ts';
import type { SourceRepository } from '../ports/sources.ts';

/** What people and programs see of the sources whose agents they see. */
export const sourceService = ({ sources }: { readonly sources: SourceRepository }) => {
  const find = async (caller: Caller, name: string) => mustExist(await sources.findVisible(caller, name), 'source');

  return {
    list: (caller: Caller) => sources.listVisible(caller),

    /** A page of what came, newest first; `next` is null on the last one. */
    async intake(
      caller: Caller,
      name: string,
      { limit, after }: { readonly limit: number; readonly after: number | null },
    ) {
      const { id } = await find(caller, name);
      const rows = await sources.intake(id, limit + 1, after);
      const items = rows.slice(0, limit);
      return { items, next: rows.length > limit ? (items.at(-1)?.place ?? null) : null };
    },

    /** Has it looked at now, whenever its next look was due. */
    async check(caller: Caller, name: string) {
      mustWrite(caller);
      const source = await find(caller, name);
      await sources.check(source.id);
      return source;
    },
  };
};

export type SourceService = ReturnType<typeof sourceService>;
