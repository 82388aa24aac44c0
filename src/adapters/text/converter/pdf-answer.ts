import { ConversionFailed } from '../../../application/ports/converter.ts';

const SAVE_IT = 'save it as PDF in the program that made it, and upload that';

/** `how`: what the converter did, for the operator. */
export const nothingMade = (how: string) =>
  new ConversionFailed(
    `could not be converted to PDF: it is damaged, protected by a password, or not what it is called; ${SAVE_IT}`,
    { cause: new Error(how) },
  );

export const tooLarge = () =>
  new ConversionFailed(`could not be converted to PDF: that would be too large; ${SAVE_IT}, in parts`);

export const tooLate = () => new ConversionFailed(`took too long to convert to PDF; ${SAVE_IT}`);

/** `why` is for the operator: it may say where the converter is. */
export const cannotBeUsed = (why: string) =>
  new ConversionFailed(
    `could not be converted to PDF: the converter of the server cannot be used; try again later, or ${SAVE_IT}`,
    { cause: new Error(why) },
  );

/** `why` ends "a PDF that …". */
export const unreadablePdf = (why: string) => new ConversionFailed(`was converted to a PDF that ${why}; ${SAVE_IT}`);

const has = (part: Uint8Array, mark: RegExp) => mark.test(Buffer.from(part).toString('latin1'));

/** What a converter made, before it is checked to be a PDF, from its first line to its last: of half of one, some pages might be read. */
export const mustBePdf = (made: Uint8Array): Uint8Array => {
  if (!has(made.subarray(0, 1024), /%PDF-\d/)) throw nothingMade('what the converter made is no PDF');
  if (!has(made.subarray(-1024), /%%EOF/)) throw nothingMade('the PDF that the converter made has no end');
  return made;
};
