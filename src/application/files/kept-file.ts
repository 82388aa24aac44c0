import type { RunFile } from '../../domain/run.ts';
import type { Sharer } from '../../domain/sharer.ts';
import { besideKey } from '../ports/blobs.ts';

/** A file of a run, or what is attached to it and can be shown, which is kept beside it. */
export interface KeptFile extends RunFile {
  /** Who wants to see it. */
  readonly sharer: Sharer;
  /** Its place among the attachments of the file; absent of the file itself. */
  readonly attachment?: number;
  /** Of what is attached: the files around it, as in `mail.eml › files.zip`. */
  readonly within?: string;
}

export type KeptPlace = Pick<KeptFile, 'fileKey' | 'attachment'>;

/** The key of its bytes. */
export const bytesKey = ({ fileKey, attachment }: KeptPlace): string =>
  attachment === undefined ? fileKey : besideKey(fileKey, `attachment-${attachment}`);

/** The name of what is kept of it, beside the file. */
export const nameOf = ({ attachment }: KeptPlace, name: string): string =>
  attachment === undefined ? name : `attachment-${attachment}-${name}`;

export const keyOf = (place: KeptPlace, name: string): string => besideKey(place.fileKey, nameOf(place, name));
