import type { ConversionFailed, Converter } from '../../../application/ports/converter.ts';
import { type Outbound, type OutboundAnswer, OutboundFailure } from '../../../application/ports/outbound.ts';
import { cannotBeUsed, mustBePdf, nothingMade, tooLarge, tooLate } from './pdf-answer.ts';

interface GotenbergOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly outbound: Outbound;
  readonly timeoutSeconds: number;
  readonly maxBytes?: number;
}

const ROUTE = '/forms/libreoffice/convert';
/** No field of the form is left to a default of the server that shows more than the document does. */
const FIELDS = { exportNotes: 'false', exportNotesPages: 'false', exportHiddenSlides: 'false' };

/** The message of a form, in the bytes that are sent. */
const formOf = async (extension: string, data: Uint8Array) => {
  const form = new FormData();
  form.append('files', new Blob([Uint8Array.from(data)]), `document.${extension}`);
  for (const [name, value] of Object.entries(FIELDS)) form.append(name, value);
  const request = new Response(form);
  return { type: request.headers.get('content-type') ?? '', body: new Uint8Array(await request.arrayBuffer()) };
};

const failureOf = ({ reason, message }: OutboundFailure): ConversionFailed => {
  if (reason === 'timeout') return tooLate();
  if (reason === 'too_large') return tooLarge();
  return cannotBeUsed(`CONVERTER_URL: ${message}`);
};

const mustBeDone = ({ status, body }: OutboundAnswer): Uint8Array => {
  if (status === 200) return mustBePdf(body);
  const how = `CONVERTER_URL: the server answered with status ${status}`;
  // The server says of a document that it cannot open that the request is wrong.
  if (status === 400 || status === 415 || status === 422) throw nothingMade(how);
  if (status === 413) throw tooLarge();
  throw cannotBeUsed(how);
};

/** LibreOffice behind the HTTP API of Gotenberg. Its host may be at a private address, because the operator configured it. */
export const gotenberg = (options: GotenbergOptions): Converter => {
  const { url, outbound, timeoutSeconds, maxBytes = 100 * 1024 * 1024 } = options;
  const terms = { timeoutSeconds, maxBytes, redirects: 0, allowedHosts: [new URL(url).host] };
  return {
    name: `Gotenberg (${new URL(url).host})`,
    async convert({ extension, data }, signal) {
      signal.throwIfAborted();
      const { type, body } = await formOf(extension, data);
      try {
        const headers = { accept: 'application/pdf', 'content-type': type };
        return mustBeDone(await outbound.send({ method: 'POST', url: url + ROUTE, headers, body }, terms, signal));
      } catch (error) {
        throw error instanceof OutboundFailure ? failureOf(error) : error;
      }
    },
  };
};
