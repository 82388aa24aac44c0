import type { JsonSchema } from '../domain/json.ts';
import type { FilePart } from './ports/text.ts';

/** How a file's text stands in a message to a model. The `offline` model reads the same form. */
export const renderFile = ({ fileName, pages, unreadable }: Pick<FilePart, 'fileName' | 'pages' | 'unreadable'>): string => {
  const body = pages.map(({ number, text }) => (number === null ? text : `<page number="${number}">\n${text}\n</page>`)).join('\n');
  const note = unreadable === null ? '' : `<unreadable>${unreadable}</unreadable>`;
  return `<file name="${fileName.replaceAll('"', '&quot;')}">\n${body}${note}\n</file>`;
};

/** What an extraction asks a model for: the document, and for each leaf the words it was read from. */
export const extractionSchema = (documentSchema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    document: documentSchema,
    evidence: {
      type: 'array',
      description: 'For each extracted value: where it stands. The quote must be copied verbatim from the file.',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer of the value inside `document`, such as /total or /lines/0/amount' },
          quote: { type: 'string' },
          file_name: { type: 'string' },
          page: { type: ['integer', 'null'] },
        },
        required: ['pointer', 'quote', 'file_name', 'page'],
        additionalProperties: false,
      },
    },
  },
  required: ['document', 'evidence'],
  additionalProperties: false,
});
