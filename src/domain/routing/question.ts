import { isObject, type JsonSchema } from '../json.ts';
import type { Split } from './part.ts';

/** By its title an answer in this form is known to be asked for. */
export const DIVISION = 'Division';

/** A part that an earlier window of the same file has begun, by its number. */
export interface EarlierPart {
  readonly part: number;
  readonly name: string;
  readonly last_page: number;
  readonly quote: string | null;
}

/** What a model is asked about some pages of a file; `pages` is what stands in the window, null for a file without pages. */
export interface DivisionQuestion {
  readonly file_name: string;
  readonly pages: { readonly from: number; readonly to: number; readonly of: number } | null;
  readonly split_by: Split['by'];
  readonly separators: readonly string[];
  readonly parts: readonly { readonly name: string; readonly description: string; readonly read_by: string | null }[];
  readonly earlier: readonly EarlierPart[];
  /** Whether it is the text of a mail that has files attached. */
  readonly covers_others: boolean;
}

/** A part as a model claims it. */
export interface ClaimedPart {
  readonly name: string;
  readonly pages: readonly number[];
  readonly continues: number | null;
  readonly quote: string | null;
  readonly page: number | null;
  readonly confidence: number | null;
}

export const divisionSchema = (names: readonly string[]): JsonSchema => ({
  title: DIVISION,
  type: 'object',
  properties: {
    parts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: names },
          pages: { type: 'array', items: { type: 'integer' } },
          continues: { type: ['integer', 'null'] },
          quote: { type: ['string', 'null'] },
          page: { type: ['integer', 'null'] },
          confidence: { type: ['number', 'null'] },
        },
        required: ['name', 'pages', 'continues', 'quote', 'page', 'confidence'],
        additionalProperties: false,
      },
    },
  },
  required: ['parts'],
  additionalProperties: false,
});

const numberOf = (value: unknown) => {
  const number = typeof value === 'object' ? Number.NaN : Number(value);
  return value === null || value === undefined || value === '' || !Number.isFinite(number) ? null : number;
};

/** What can be understood of an answer; null if it is none at all. */
export const claimsIn = (answer: unknown): readonly ClaimedPart[] | null => {
  if (!isObject(answer) || !Array.isArray(answer.parts)) return null;
  return answer.parts.filter(isObject).map(({ name, pages, continues, quote, page, confidence }) => ({
    name: String(name),
    pages: (Array.isArray(pages) ? pages : []).flatMap((each) => numberOf(each) ?? []),
    continues: numberOf(continues),
    quote: typeof quote === 'string' ? quote : null,
    page: numberOf(page),
    confidence: numberOf(confidence),
  }));
};
