import type { RunFile } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import { namesInRun, singleFiles } from './file-parts.ts';
import type { KeptFile } from './kept-file.ts';

/** A file under the name that the parts of a run have for it, with what belongs to it and is no document of its own. */
interface NamedFile {
  readonly name: string;
  readonly parts: readonly [KeptFile, ...KeptFile[]];
}

/** What a file of a run is called within it. */
export const nameInRun = (files: readonly Pick<RunFile, 'fileName'>[], index: number): string =>
  namesInRun(files.map(({ fileName }) => fileName))[index] ?? '';

/** A file of a run that is called so within it, and what is attached to it. */
export const filesWithin = (file: KeptFile, rootName: string, attached: readonly KeptFile[]): readonly NamedFile[] =>
  singleFiles([file, ...attached], rootName).map(({ fileName, parts }) => ({ name: storable(fileName), parts }));
