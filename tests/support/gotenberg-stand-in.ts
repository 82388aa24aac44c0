import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closed, listening } from './listen.ts';

/** Some of the endings that Gotenberg takes: any other is an error of the request. */
const ENDINGS = /\.(?:doc|docx|odp|odt|fodt|ppt|pptx|rtf|xls|ods)$/;

const answer = (response: ServerResponse, status: number, type: string, body: string | Uint8Array) =>
  response.writeHead(status, { 'content-type': type }).end(body);

/** Never ends by itself. */
const flood = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/pdf' });
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1_000_000)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** A server that answers as Gotenberg does, with this PDF for every document. */
export const gotenbergStandIn = async (pdf: Uint8Array) => {
  const asked: { readonly name: string; readonly data: Uint8Array; readonly fields: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    if (request.method !== 'POST' || request.url !== '/forms/libreoffice/convert')
      return answer(response, 404, 'text/plain; charset=UTF-8', 'Not Found');
    const type = request.headers['content-type'] ?? '';
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const file = form.get('files');
    if (!(file instanceof File) || !ENDINGS.test(file.name))
      return answer(response, 400, 'text/plain; charset=UTF-8', 'Invalid form data: no form file found for extensions');
    const data = new Uint8Array(await file.arrayBuffer());
    const fields = Object.fromEntries(
      [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    asked.push({ name: file.name, data, fields });
    const text = Buffer.from(data).toString('latin1');
    if (text.includes('SLOW')) return;
    if (text.includes('LARGE')) return flood(response);
    if (text.includes('CRASH')) return answer(response, 503, 'text/plain; charset=UTF-8', 'Service Unavailable');
    if (text.includes('LINK')) return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    if (text.includes('PLAIN')) return answer(response, 200, 'application/pdf', 'no PDF');
    if (!text.includes('rtf1'))
      return answer(response, 400, 'text/plain; charset=UTF-8', 'LibreOffice failed to process a document');
    return answer(response, 200, 'application/pdf', pdf);
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}`, asked, close: () => closed(server) };
};
