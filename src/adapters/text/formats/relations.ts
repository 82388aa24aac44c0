import path from 'node:path';
import { decode } from '../decode.ts';
import { readXml } from './xml.ts';

/** The files of an Office document of today, by their names. */
export type Files = Readonly<Record<string, Uint8Array>>;

export interface Relation {
  readonly id: string;
  /** The last word of its type, such as `header`. */
  readonly type: string;
  /** The name of the file. */
  readonly target: string;
}

export const xmlText = (data: Uint8Array): string => decode(data, 'application/xml').text;

/** What a file refers to, from where it stands or from the root (ECMA-376 part 2, 6.5.3). */
export const relationsOf = (files: Files, name: string): readonly Relation[] => {
  const folder = path.posix.dirname(name);
  const data = files[path.posix.join(folder, '_rels', `${path.posix.basename(name)}.rels`)];
  if (data === undefined) return [];
  return readXml(xmlText(data)).children.map(({ attributes }) => ({
    id: attributes.get('Id') ?? '',
    type: attributes.get('Type')?.split('/').at(-1) ?? '',
    target: path.posix.resolve('/', folder, attributes.get('Target') ?? '').slice(1),
  }));
};

/** The name of the main part. */
export const mainPart = (files: Files, usual: string): string =>
  relationsOf(files, '').find(({ type }) => type === 'officeDocument')?.target ?? usual;
