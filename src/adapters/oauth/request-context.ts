import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Page, render, securityHeaders } from './pages/page.ts';

/** A request to the authorization server with its response, and what the HTTP adapter knows about the sender. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  /** Relative to the public address. */
  readonly path: string;
  /** The key under which the rate limiter counts the sender. */
  readonly client: string;
  /** The address of the sender. */
  readonly ip: string;
}

const respond = ({ res, method }: RequestContext, status: number, contentType: string, text: string) => {
  const body = Buffer.from(text);
  res.writeHead(status, { 'Content-Type': contentType, 'Content-Length': body.length });
  res.end(method === 'HEAD' ? undefined : body);
};

const privateHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

export const sendPage = (context: RequestContext, status: number, page: Page): void => {
  context.res.setHeaders(new Map(Object.entries({ ...privateHeaders, ...securityHeaders(page) })));
  respond(context, status, 'text/html; charset=utf-8', render(page));
};

export const sendJson = (context: RequestContext, status: number, value: object): void =>
  respond(context, status, 'application/json', JSON.stringify(value));

/** With 303 the browser requests the next page by GET, whatever the method of this request was. */
export const redirect = ({ res }: RequestContext, location: string): void => {
  res.writeHead(303, { ...privateHeaders, Location: location, 'Content-Length': 0 }).end();
};
