import type { UserRepository } from '../../../application/ports/people.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import { UserTable } from '../tables/entities.ts';

export const userRepository = ({ mapper }: Pick<Database, 'mapper'>): UserRepository => ({
  find: (id) => mapper.findById(UserTable, id, { populate: ['workspace'] }),
  findEnabled: async (id) =>
    isId(id) ? mapper.findOne(UserTable, { id, disabledAt: null }, { populate: ['workspace'] }) : null,
  findByEmail: async (email) =>
    email.includes('\0') ? null : mapper.findOne(UserTable, { email: email.toLowerCase() }),
  list: () => mapper.find(UserTable, {}, { populate: ['workspace'], orderBy: { email: 'asc' } }),
});
