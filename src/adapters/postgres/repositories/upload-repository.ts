import type { UploadRepository } from '../../../application/ports/storage.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/file-statements.ts';

const keysOf = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

export const uploadRepository = ({ query }: Pick<Database, 'query'>): UploadRepository => ({
  expire: async (seconds, most) => keysOf(await query<{ key: string }>(sql.expire, [seconds, most])),
  expired: async (seconds, most) => keysOf(await query<{ key: string }>(sql.expired, [seconds, most])),
});
