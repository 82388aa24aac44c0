export interface OfficeDocument {
  /** Of its format, such as `pptx`: it tells the converter what the bytes are. */
  readonly extension: string;
  readonly data: Uint8Array;
}

/** There is no PDF. The message ends the sentence "the file …", and says what to do; the cause says to the operator what happened. */
export class ConversionFailed extends Error {
  override readonly name = 'ConversionFailed';
}

/** Draws the pages of office documents as PDF. Nothing that a document links to is fetched. */
export interface Converter {
  /** As an operator knows it, such as `LibreOffice (/usr/bin/soffice)`. */
  readonly name: string;
  /** Rejects with ConversionFailed, or with the signal's reason when it aborts; by then nothing of the conversion is left. */
  convert(document: OfficeDocument, signal: AbortSignal): Promise<Uint8Array>;
}
