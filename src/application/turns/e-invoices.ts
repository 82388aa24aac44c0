import { type DocumentEInvoice, evidenceOf } from '../../domain/document.ts';
import { fieldsOf, type Mapped, mapped, type TermMap, usualMapOf } from '../../domain/e-invoice/mapping.ts';
import type { EInvoiceReading } from '../../domain/e-invoice/reading.ts';
import { schemaBeside, withMapped } from '../../domain/e-invoice/unmapped.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { withEmptyValues } from '../../domain/merged-document.ts';
import type { ReadingDoubt } from '../../domain/review.ts';
import type { Conversation } from './conversation.ts';
import { type ExtractedDocument, misfit } from './extraction.ts';
import type { ReadFile } from './file-reader.ts';

interface Found {
  readonly fileName: string;
  readonly reading: EInvoiceReading;
}

/** The e-invoice that counts: the first of the first file that is one or has one attached. */
const eInvoiceIn = (files: readonly ReadFile[]): Found | null =>
  files.flatMap(({ parts }) =>
    parts.flatMap(({ fileName, einvoice }) => (einvoice ? [{ fileName, reading: einvoice }] : [])),
  )[0] ?? null;

const shown = ({ nodes: _, ...about }: EInvoiceReading): DocumentEInvoice => about;

/** Rows have numbers in a pointer, and a `*` in a map. */
const inMap = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*');

const NO_LINES = ['minimum', 'basic_wl'];

/** What a schema wants and a profile cannot have. */
const doubtsOf = (map: TermMap, { profile, nodes }: EInvoiceReading): readonly ReadingDoubt[] => {
  const wantsLines = Object.values(map).includes('BG-25');
  if (!wantsLines || !NO_LINES.includes(profile) || nodes.some(({ id }) => id === 'BG-25')) return [];
  return [{ code: 'einvoice_incomplete', message: `An e-invoice of the profile ${profile} has no lines.` }];
};

/** What an agent's documents take from the e-invoice among the files. */
export interface EInvoiceData {
  /** What the model is asked for beside; null: nothing. */
  readonly asked: JsonSchema | null;
  /** The document that the model answered, with what the e-invoice has. */
  complete(answered: ExtractedDocument): Promise<ExtractedDocument>;
}

/** A value that the schema refuses, or lacks although it has to be there, is asked of the model like what is not mapped. */
const fittingMap = async (
  conversation: Conversation,
  map: TermMap,
  nodes: EInvoiceReading['nodes'],
  schema: JsonSchema,
): Promise<{ readonly map: TermMap; readonly data: Mapped }> => {
  const data = mapped(fieldsOf(map), nodes, schema);
  const errors = await conversation.errorsOf(schema, data.data);
  const refused = new Set(errors.map(({ path }) => inMap(path)));
  const places = new Set([...data.values.map(({ pointer }) => inMap(pointer)), ...data.lacking]);
  const fitting = Object.entries(map).filter(([pointer]) => !(refused.has(pointer) && places.has(pointer)));
  if (fitting.length === Object.keys(map).length) return { map, data };
  return fittingMap(conversation, Object.fromEntries(fitting), nodes, schema);
};

/** null if no file is an e-invoice, or the agent reads those as text. */
export const eInvoiceData = async (
  conversation: Conversation,
  files: readonly ReadFile[],
  schema: JsonSchema,
): Promise<EInvoiceData | null> => {
  const { einvoice } = conversation.question.agent;
  const found = einvoice === 'off' ? null : eInvoiceIn(files);
  if (found === null) return null;
  const { reading, fileName } = found;
  const wanted = einvoice === null || einvoice === 'off' ? usualMapOf(schema) : einvoice.map;
  const { map, data: own } = await fittingMap(conversation, wanted, reading.nodes, schema);
  const fields = fieldsOf(map);
  return {
    asked: schemaBeside(schema, fields, schema),
    async complete(answered) {
      const { data: merged, otherRows } = withMapped(fields, own.data, answered.data);
      const { data, errors } = await withEmptyValues(merged, (fitted) => conversation.errorsOf(schema, fitted));
      if (errors.length > 0) throw misfit(errors);
      const isKept = ([pointer]: readonly [string, unknown]) =>
        map[inMap(pointer)] === undefined && !otherRows.some((list) => pointer.startsWith(`${list.pointer}/`));
      const evidence = own.values.map(({ pointer, quote, xpath, isExact }) => {
        const support = isExact ? 'exact' : 'normalized';
        return [pointer, evidenceOf({ quote, fileName, page: null, source: 'xml', support, xpath })] as const;
      });
      const contradictions = otherRows.map(({ pointer, mapped: has, answered: read }) => ({
        pointer,
        message: `The e-invoice has ${has} rows, but ${read} were read: only what the e-invoice says of them is here.`,
      }));
      return {
        ...answered,
        data,
        evidence: {
          ...Object.fromEntries(Object.entries(answered.evidence).filter(isKept)),
          ...Object.fromEntries(evidence),
        },
        contradictions: [...answered.contradictions, ...contradictions],
        einvoice: shown(reading),
        coverage: { ...answered.coverage, doubts: [...answered.coverage.doubts, ...doubtsOf(map, reading)] },
      };
    },
  };
};
