import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import type { ConversionFailed, Converter } from '../../src/application/ports/converter.ts';
import { bytes } from '../fixtures/text/files.ts';

export interface ConverterLimits {
  readonly timeoutSeconds?: number;
  readonly maxBytes?: number;
}

export const unaborted = new AbortController().signal;

/** A document with these words, which the stand-ins of converters heed. */
export const rtf = (words: string) => ({ extension: 'rtf', data: bytes(`{\\rtf1\\ansi ${words}\\par}`) });

export const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => 'a PDF was made',
    (failure: unknown) => failure,
  );
  expect(error).to.be.instanceOf(Error).with.property('name', 'ConversionFailed');
  return (error as ConversionFailed).message;
};

/** Every Converter passes this, or it is not one. It converts "Total: 84.00". */
export const converterContract = (make: (limits?: ConverterLimits) => Converter) =>
  describe('Converter', () => {
    it('makes a PDF of a document', async () => {
      const data = await make().convert(rtf('Total: 84.00'), unaborted);
      const [part] = await readFile({ fileName: 'a.pdf', contentType: 'application/pdf', data }, 10_000);
      expect(part?.pages).to.deep.equal([{ number: 1, text: 'Total: 84.00' }]);
    });

    it('has a name for the operator', () => {
      expect(make().name).to.match(/^\S.*\(.+\)$/);
    });

    it('says of what is no document that it made nothing of it', async () => {
      const nothing = { extension: 'pptx', data: bytes('PK\u0003\u0004 but not an archive') };
      expect(await reasonOf(make().convert(nothing, unaborted))).to.match(
        /^could not be converted to PDF: it is damaged, .*; save it as PDF/,
      );
    });

    it('gives up when the time is up', async () => {
      const made = make({ timeoutSeconds: 0.3 }).convert(rtf('SLOW'), unaborted);
      expect(await reasonOf(made)).to.match(/^took too long to convert to PDF; save it as PDF/);
    });

    it('gives up when it makes too much', async () => {
      const made = make({ maxBytes: 512 }).convert(rtf('LARGE'), unaborted);
      expect(await reasonOf(made)).to.match(/^could not be converted to PDF: that would be too large; save it as PDF/);
    });

    it('stops when it is aborted, with the reason', async () => {
      const abort = new AbortController();
      const made = make().convert(rtf('SLOW'), abort.signal);
      setTimeout(() => abort.abort(new Error('the run was cancelled')), 300);
      expect(await made.catch((error: unknown) => error)).to.equal(abort.signal.reason);
      const before = await make()
        .convert(rtf('Total'), abort.signal)
        .catch((error: unknown) => error);
      expect(before).to.equal(abort.signal.reason);
    });
  });
