import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Page, policyOf, render } from './pages/page.ts';

/** A request to the authorization server, with what the HTTP side knows of its sender. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  /** Below the public address. */
  readonly path: string;
  /** What the sender is counted by. */
  readonly client: string;
  /** The address it came from. */
  readonly ip: string;
}

const noStore = (res: ServerResponse) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
};

export const sendPage = ({ res, method }: RequestContext, status: number, page: Page): void => {
  const body = Buffer.from(render(page));
  noStore(res);
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', policyOf(page));
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Content-Length', body.length);
  res.statusCode = status;
  res.end(method === 'HEAD' ? undefined : body);
};

export const sendJson = ({ res, method }: RequestContext, status: number, value: object): void => {
  const body = Buffer.from(JSON.stringify(value));
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', body.length);
  res.statusCode = status;
  res.end(method === 'HEAD' ? undefined : body);
};

/** 303: whatever was sent here, the next page is asked for by GET. */
export const redirect = ({ res }: RequestContext, location: string): void => {
  noStore(res);
  res.setHeader('Location', location);
  res.setHeader('Content-Length', 0);
  res.statusCode = 303;
  res.end();
};
