import type { SourceFile, SourceFileRepository } from '../../../application/ports/source-files.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/file-statements.ts';

export const sourceFileRepository = ({ query }: Pick<Database, 'query'>): SourceFileRepository => ({
  find: async (key) => (await query<SourceFile>(sql.findSource, [key]))[0] ?? null,
  remember: async (key, { sha256, version }) => (await query(sql.rememberSource, [key, sha256, version])).length > 0,
});
