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
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Length', body.length);
  res.statusCode = status;
  res.end(method === 'HEAD' ? undefined : body);
};

const noStore = (res: ServerResponse) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
};

export const sendPage = (context: RequestContext, status: number, page: Page): void => {
  noStore(context.res);
  for (const [name, value] of Object.entries(securityHeaders(page))) context.res.setHeader(name, value);
  respond(context, status, 'text/html; charset=utf-8', render(page));
};

export const sendJson = (context: RequestContext, status: number, value: object): void =>
  respond(context, status, 'application/json', JSON.stringify(value));

/** With 303 the browser requests the next page by GET, whatever the method of this request was. */
export const redirect = ({ res }: RequestContext, location: string): void => {
  noStore(res);
  res.setHeader('Location', location);
  res.setHeader('Content-Length', 0);
  res.statusCode = 303;
  res.end();
};
