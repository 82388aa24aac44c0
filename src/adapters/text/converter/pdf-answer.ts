import { ConversionFailed } from '../../../application/ports/converter.ts';

export const NOTHING_MADE =
  'could not be converted to PDF: it is damaged, protected by a password, or not what it is called';
export const TOO_LARGE = 'could not be converted to PDF: that would be too large';
export const TOO_LATE = 'took too long to convert to PDF';

/** What a converter made, before it is checked to be a PDF. */
export const mustBePdf = (made: Uint8Array): Uint8Array => {
  if (!/%PDF-\d/.test(Buffer.from(made.subarray(0, 1024)).toString('latin1'))) throw new ConversionFailed(NOTHING_MADE);
  return made;
};
