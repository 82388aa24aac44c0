import type { EntitySchema, FilterQuery, FindOptions, MikroORM } from '@mikro-orm/postgresql';
import type { Position } from '../../../application/ports/storage.ts';
import { isUuid } from '../../../domain/text.ts';
import { refusingIfBusy } from './busy.ts';

type Options<T, Also extends string = never, Less extends string = never> = FindOptions<T, Also, never, Less>;

/** Finds entities by one statement, as values that no entity manager knows. */
export interface Mapper {
  find<T extends object, Also extends string, Less extends string>(
    table: EntitySchema<T>,
    where: FilterQuery<T>,
    options?: Options<T, Also, Less>,
  ): Promise<readonly T[]>;
  findOne<T extends object, Also extends string>(
    table: EntitySchema<T>,
    where: FilterQuery<T>,
    options?: Options<T, Also>,
  ): Promise<T | null>;
  /** Null also if the text cannot be an id. */
  findById<T extends { readonly id: string }, Also extends string>(
    table: EntitySchema<T>,
    id: string,
    options?: Options<T, Also>,
  ): Promise<T | null>;
}

export const mapperOf = (orm: () => Promise<MikroORM>): Mapper => {
  const find = <T extends object>(table: EntitySchema<T>, where: object, options: object = {}): Promise<readonly T[]> =>
    refusingIfBusy(async () => {
      const entities: readonly object[] = await (await orm()).em
        .fork()
        .find(table, where as FilterQuery<never>, options);
      return entities.map((entity) => ({ ...entity }) as T);
    });
  const findOne = async <T extends object>(table: EntitySchema<T>, where: object, options?: object) =>
    (await find(table, where, options))[0] ?? null;
  return {
    find,
    findOne,
    findById: async (table, id, options) => (isUuid(id) ? findOne(table, { id }, options) : null),
  };
};

/** What follows a position in a list that is newest first: the first condition is the one that an index answers. */
export const following = (position: Position | null) =>
  position && {
    createdAt: { $lte: position.createdAt },
    $or: [{ createdAt: { $lt: position.createdAt } }, { id: { $lt: position.id } }],
  };
