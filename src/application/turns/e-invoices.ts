import { type EInvoiceDifference, evidenceOf } from '../../domain/document.ts';
import {
  type Field,
  fieldsOf,
  type Mapped,
  type MappedValue,
  mapped,
  type TermMap,
  usualMapOf,
} from '../../domain/e-invoice/mapping.ts';
import { lookUp, type PageValue, type ShownPage } from '../../domain/e-invoice/on-page.ts';
import type { EInvoiceReading } from '../../domain/e-invoice/reading.ts';
import { schemaBeside, withMapped } from '../../domain/e-invoice/unmapped.ts';
import { inEveryItem, type JsonSchema } from '../../domain/json.ts';
import { withEmptyValues } from '../../domain/merged-document.ts';
import { placeQuotes, type QuotePlace } from '../../domain/quote-places.ts';
import type { ReadingDoubt } from '../../domain/review.ts';
import { wayTo } from '../files/file-parts.ts';
import { inSlices } from '../shared/async.ts';
import type { Conversation } from './conversation.ts';
import { type ExtractedDocument, misfit } from './extraction.ts';
import type { ReadFile, ReadPart } from './file-reader.ts';

interface Found {
  readonly fileName: string;
  readonly reading: EInvoiceReading;
  /** The PDF document that it is attached to; null if it stands alone. */
  readonly hybrid: ReadPart | null;
  /** Others, in whatever file. */
  readonly others: readonly ReadPart[];
}

/** The e-invoice that counts: the first of the first file that is one or has one attached. */
const eInvoiceIn = (files: readonly ReadFile[]): Found | null => {
  for (const { parts } of files) {
    const carrier = parts.find(({ einvoice }) => einvoice != null);
    if (carrier?.einvoice == null) continue;
    const { fileName, einvoice: reading, within } = carrier;
    const hybrid = parts.find((part) => wayTo(part) === within && part.layouts.length > 0) ?? null;
    const others = files.flatMap((file) => file.parts).filter((part) => part !== carrier && part.einvoice);
    return { fileName, reading, hybrid, others };
  }
  return null;
};

const contentOf = (nodes: EInvoiceReading['nodes']): unknown =>
  nodes.map(({ id, text, nodes: inner }) => [id, text.trim(), contentOf(inner)]);

const otherInvoices = ({ reading, fileName, others }: Found): readonly ReadingDoubt[] => {
  const content = JSON.stringify(contentOf(reading.nodes));
  const differ = others.filter(({ einvoice }) => JSON.stringify(contentOf(einvoice?.nodes ?? [])) !== content);
  return differ.map((other) => ({
    code: 'einvoice_differs',
    message: `The e-invoice ${wayTo(other)} says something else than ${fileName}, which was read.`,
  }));
};

const layoutOf = (hybrid: ReadPart, page: number) => hybrid.layouts.find(({ number }) => number === page);

/** Where texts stand on the pages of a PDF document. */
function* boxesOf(
  hybrid: ReadPart,
  values: readonly (PageValue & { readonly pointer: string })[],
): Generator<void, ReadonlyMap<string, QuotePlace>> {
  return yield* placeQuotes(
    values.flatMap(({ pointer, text: quote, page }) => {
      const layout = layoutOf(hybrid, page);
      return layout === undefined ? [] : [{ pointer, value: quote, quote, layout }];
    }),
  );
}

/** What a page shows of the mapped values, and otherwise than the e-invoice says. */
function* compared(
  { reading: { nodes }, hybrid }: Found,
  values: readonly MappedValue[],
): Generator<void, { differences: readonly EInvoiceDifference[]; places: ReadonlyMap<string, QuotePlace> }> {
  if (hybrid === null) return { differences: [], places: new Map() };
  const pages = hybrid.pages.flatMap(({ number: page, text }): readonly ShownPage[] =>
    page === null ? [] : [{ page, text }],
  );
  const looked = yield* lookUp(nodes, pages);
  const isRow = ({ pointer }: MappedValue) => inEveryItem(pointer) !== pointer;
  const fieldOf = (term: string) => values.find((value) => value.term === term && !isRow(value))?.pointer ?? term;
  const other = looked
    .filter(({ isShown }) => !isShown)
    .map(({ term, xml, shown }) => ({ pointer: fieldOf(term), xml, shown }));
  const there = other.flatMap(({ pointer, shown }) => (shown === null ? [] : [{ pointer, ...shown }]));
  const instead = yield* boxesOf(hybrid, there);
  const differences = other.map(({ pointer, xml, shown }): EInvoiceDifference => {
    const { text: pageValue = null, page = null } = shown ?? {};
    return { pointer, xml, pageValue, page, boxes: instead.get(pointer)?.boxes ?? [] };
  });
  const quoted = values.flatMap((value) => {
    const { pointer, term, quote } = value;
    const place = looked.find((each) => each.term === term && !isRow(value));
    if (place !== undefined) return place.isShown && place.shown !== null ? [{ pointer, ...place.shown }] : [];
    const text = quote.trim();
    const page = pages.find((each) => each.text.includes(text))?.page;
    return page === undefined ? [] : [{ pointer, text, page }];
  });
  return { differences, places: yield* boxesOf(hybrid, quoted) };
}

const NO_LINES = ['minimum', 'basic_wl'];

/** What a schema wants and a profile cannot have. */
const doubtsOf = (map: TermMap, { profile, nodes }: EInvoiceReading): readonly ReadingDoubt[] => {
  const wantsLines = Object.values(map).includes('BG-25');
  if (!wantsLines || !NO_LINES.includes(profile) || nodes.some(({ id }) => id === 'BG-25')) return [];
  return [{ code: 'einvoice_incomplete', message: `An e-invoice of the profile ${profile} has no lines.` }];
};

/** What an agent's documents take from the e-invoice among the files. */
interface EInvoiceData {
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
): Promise<{ readonly map: TermMap; readonly fields: Field; readonly data: Mapped }> => {
  const fields = fieldsOf(map);
  const data = mapped(fields, nodes, schema);
  const errors = await conversation.errorsOf(schema, data.data);
  const refused = new Set(errors.map(({ path }) => inEveryItem(path)));
  const places = new Set([...data.values.map(({ pointer }) => inEveryItem(pointer)), ...data.lacking]);
  const fitting = Object.entries(map).filter(([pointer]) => !(refused.has(pointer) && places.has(pointer)));
  if (fitting.length === Object.keys(map).length) return { map, fields, data };
  return fittingMap(conversation, Object.fromEntries(fitting), nodes, schema);
};

/** null if no file is an e-invoice, or the agent reads those as text. */
export const eInvoiceData = async (
  conversation: Conversation,
  files: readonly ReadFile[],
  schema: JsonSchema,
): Promise<EInvoiceData | null> => {
  const { einvoice } = conversation.question.agent;
  const embedded = einvoice === 'off' ? null : eInvoiceIn(files);
  if (embedded === null) return null;
  const { reading, fileName } = embedded;
  const wanted = einvoice === null || einvoice === 'off' ? usualMapOf(schema) : einvoice.map;
  const { map, fields, data: mapped } = await fittingMap(conversation, wanted, reading.nodes, schema);
  return {
    asked: schemaBeside(schema, fields, schema),
    async complete(answered) {
      const { data: merged, otherRows } = withMapped(fields, mapped.data, answered.data);
      const { data, errors } = await withEmptyValues(merged, (fitted) => conversation.errorsOf(schema, fitted));
      if (errors.length > 0) throw misfit(errors);
      const isKept = ([pointer]: readonly [string, unknown]) =>
        map[inEveryItem(pointer)] === undefined && !otherRows.some((list) => pointer.startsWith(`${list.pointer}/`));
      const { differences, places } = await inSlices(compared(embedded, mapped.values), conversation.signal);
      const evidence = mapped.values.map(({ pointer, quote, xpath, isExact }) => {
        const support = isExact ? 'exact' : 'normalized';
        const { boxes = [] } = places.get(pointer) ?? {};
        return [pointer, evidenceOf({ quote, fileName, page: null, source: 'xml', support, xpath, boxes })] as const;
      });
      const doubts = [...doubtsOf(map, reading), ...otherInvoices(embedded)];
      const { nodes: _, ...shown } = reading;
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
        einvoice: { ...shown, differences },
        coverage: { ...answered.coverage, doubts: [...answered.coverage.doubts, ...doubts] },
      };
    },
  };
};
