import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';

type Evidence = Schemas['Evidence'];

type Sign = { readonly mark: string; readonly tone: string; readonly says: string };

const nothing: Sign = { mark: '', tone: '', says: '' };
export const ENTERED: Sign = { mark: '●', tone: 'info', says: 'a person entered it' };

const signs: Readonly<Record<string, Sign>> = {
  exact: { mark: '✓', tone: 'good', says: 'stands in the file as it is' },
  normalized: { mark: '✓', tone: 'good', says: 'stands in the file in another form' },
  computed: { mark: '=', tone: 'good', says: 'computed from what stands in the file' },
  none: { mark: '?', tone: 'warn', says: 'the quoted place does not have it' },
  person: ENTERED,
};

const MISSING: Sign = { mark: '?', tone: 'warn', says: 'no place in the file was named for it' };
const UNSURE = 0.8;

/** What stands behind a value, in a sign and in words. */
export const signOf = (value: unknown, evidence: Evidence | undefined): Sign => {
  if (value === null || value === '') return nothing;
  if (!evidence) return MISSING;
  const sign = signs[evidence.support ?? ''] ?? nothing;
  if (evidence.confidence === null || evidence.confidence >= UNSURE || sign.tone !== 'good') return sign;
  return { mark: '?', tone: 'warn', says: `${sign.says}, read with a confidence of ${Math.round(evidence.confidence * 100)} %` };
};

export const Mark = ({ sign }: { readonly sign: Sign }) =>
  sign.mark === ''
    ? html`<span class="mark"></span>`
    : html`<span class=${`mark ${sign.tone}`} title=${sign.says}><span aria-hidden="true">${sign.mark}</span><span class="unseen">${sign.says}</span></span>`;

interface QuotesProps {
  /** By the pointers of their values. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** The values in the order of the form, and what they are called. */
  readonly labels: ReadonlyMap<string, string>;
  readonly chosen: string | null;
  readonly choose: (pointer: string) => void;
}

/** Values of one row mostly stand in one quote. */
const quotesOf = ({ evidence, labels }: QuotesProps) =>
  Map.groupBy(
    [...labels.keys()].filter((pointer) => evidence[pointer]),
    (pointer) => JSON.stringify([evidence[pointer]?.file_name, evidence[pointer]?.page, evidence[pointer]?.quote]),
  );

/** What the files say, in the words of the files: for those that have no pages to show. */
export const Quotes = (props: QuotesProps) => {
  const { evidence, labels, chosen, choose } = props;
  const quotes = [...quotesOf(props).values()];
  if (quotes.length === 0) return html`<p class="soft">No quotes from the files are kept for this document.</p>`;
  return html`<ul class="quotes">${quotes.map((pointers) => {
    const [first = ''] = pointers;
    const { quote, file_name: file, page } = evidence[first] ?? { quote: '', file_name: '', page: null };
    return html`<li class=${pointers.includes(chosen ?? '') ? 'chosen' : ''}><button type="button" onClick=${() => choose(first)}>
      <span class="soft">${pointers.map((pointer) => labels.get(pointer)).join(', ')}</span><q>${quote}</q><span class="soft cut">${file}${page !== null && `, page ${page}`}</span>
    </button></li>`;
  })}</ul>`;
};
