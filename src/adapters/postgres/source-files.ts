import type { SourceFile, SourceFileRepository } from '../../application/ports/source-files.ts';
import { type Database, prepared } from './database.ts';

const find = prepared('source_files_find')`select sha256, version from source_files where key = $1`;

const remember = prepared('source_files_remember')`
insert into source_files as f (key, sha256, version) values ($1, $2, $3)
on conflict (key) do update set version = excluded.version where f.sha256 = excluded.sha256
returning key`;

export const sourceFileRepository = ({ query }: Pick<Database, 'query'>): SourceFileRepository => ({
  find: async (key) => (await query<SourceFile>(find, [key]))[0] ?? null,
  remember: async (key, { sha256, version }) => (await query(remember, [key, sha256, version])).length > 0,
});
