import { ModelError, type ModelMessage } from '../../../application/ports/models.ts';
import { isObject, type JsonSchema } from '../../../domain/json.ts';
import { fill } from './fill.ts';
import type { Pace } from './pace.ts';
import { cut } from './render.ts';
import { resolver } from './schema.ts';
import { readSources, type Source } from './source.ts';

/** The document's own schema, where the schema is the one that an extraction asks for. */
const documentSchema = ({ properties }: JsonSchema): JsonSchema | null => {
  if (!isObject(properties) || Object.keys(properties).length !== 2) return null;
  const { document, evidence } = properties;
  return isObject(document) && isObject(evidence) && evidence.type === 'array' ? document : null;
};

const MAX_NAMED = 20;
const MAX_REASON = 400;

/** The sources to read: the files that have text; the message where there are no files, whoever wrote it. */
const readable = (files: readonly Source[], words: readonly Source[]): readonly Source[] => {
  if (files.length === 0) return words;
  const withText = files.filter(({ lines, unreadable }) => unreadable === null || lines.some(({ text }) => text.trim() !== ''));
  if (withText.length > 0) return withText;
  const why = files.slice(0, MAX_NAMED).map(({ fileName, unreadable }) => cut(`${fileName} ${unreadable}`, MAX_REASON));
  const more = files.length > MAX_NAMED ? `; and ${files.length - MAX_NAMED} more` : '';
  throw new ModelError('model_error', `The offline model reads text only: ${why.join('; ')}${more}.`);
};

/** JSON text by the schema, from what stands in the files. */
export const extract = async (schema: JsonSchema, messages: readonly ModelMessage[], pace: Pace): Promise<string> => {
  const { files, said, quoted } = await readSources(messages, pace);
  const sources = readable(files, [said, quoted]);
  const own = documentSchema(schema);
  if (own === null) return JSON.stringify((await fill(schema, resolver(schema), sources, pace)).value);
  const { value, readings } = await fill(own, resolver(own, schema), sources, pace);
  const evidence = [...readings].flatMap(([pointer, { quote, fileName, page }]) =>
    quote === null || quote === '' || fileName === null ? [] : [{ pointer, quote, file_name: fileName, page }],
  );
  return JSON.stringify({ document: value, evidence });
};
