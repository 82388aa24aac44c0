import type { Schemas } from '../../../../../client/portico.ts';
import { LOW_CONFIDENCE } from '../../../../../domain/review.ts';

export type Sign = { readonly mark: string; readonly tone: string; readonly says: string };

const NO_SIGN: Sign = { mark: '', tone: '', says: '' };
export const ENTERED: Sign = { mark: '●', tone: 'info', says: 'a person entered it' };

const signs: Readonly<Record<string, Sign>> = {
  exact: { mark: '✓', tone: 'soft', says: 'stands in the file as it is' },
  normalized: { mark: '✓', tone: 'soft', says: 'stands in the file in another form' },
  computed: { mark: '=', tone: 'soft', says: 'computed from what stands in the file' },
  none: { mark: '?', tone: 'warn', says: 'the quoted place does not have it' },
  person: ENTERED,
};

export const CONFIRMED: Sign = { mark: '✓', tone: 'good', says: 'you have confirmed it' };
export const OPEN: Sign = { mark: '?', tone: 'warn', says: 'needs a look' };
const MISSING: Sign = { mark: '?', tone: 'warn', says: 'no place in a file was named for it' };

/** Of a word that OCR read, how sure it is: sure, unsure or unknown. */
const surenessOf = ({ source, confidence }: Schemas['Evidence']): string => {
  if (source !== 'ocr') return '';
  if (confidence === null) return '; how sure OCR is of it is unknown';
  if (confidence >= LOW_CONFIDENCE) return '; OCR is sure of it';
  return `; OCR is unsure of it: of a hundred values as hard to read, ${Math.round(confidence * 100)} are right`;
};

/** What stands behind a value, in a sign and in words. */
export const signOf = (value: unknown, evidence: Schemas['Evidence'] | undefined): Sign => {
  if (value === null || value === '') return NO_SIGN;
  if (!evidence) return MISSING;
  const sign = signs[evidence.support] ?? NO_SIGN;
  if (sign.tone !== 'soft') return sign;
  const isUnsure = evidence.confidence !== null && evidence.confidence < LOW_CONFIDENCE;
  return { ...sign, says: sign.says + surenessOf(evidence), ...(isUnsure && { mark: '?', tone: 'warn' }) };
};

export const Mark = ({ sign }: { readonly sign: Sign }) =>
  sign.mark === '' ? (
    <span class="mark"></span>
  ) : (
    <span class={`mark ${sign.tone}`} title={sign.says}>
      <span aria-hidden="true">{sign.mark}</span>
      <span class="unseen">{sign.says}</span>
    </span>
  );
