import type Koa from 'koa';
import { html } from '../../../domain/html.ts';
import { DocumentNotFetched } from '../client-documents.ts';
import { message, type Page, render, securityHeaders } from './page.ts';

interface ProtocolError {
  readonly error?: string;
  readonly error_description?: string;
}

const TITLE = 'This cannot go on';

const mistake = ({ error_description: detail = 'its request is not valid' }: ProtocolError) =>
  `The program that sent you here made a mistake: ${detail}.`;

/** What kept the server from reading about a client; null if something else is wrong. */
const unfetched = (error: unknown): DocumentNotFetched | null => {
  if (error instanceof DocumentNotFetched) return error;
  return error instanceof Error ? unfetched(error.cause) : null;
};

/** For an error in a request whose client is not known, so that there is no client to send it to. */
export const errorPage = (shown: ProtocolError, error: unknown): Page => {
  const host = unfetched(error)?.host;
  if (host === undefined) return message(TITLE, mistake(shown), 'Go back to it and try again.');
  const what = html`This server could not read what the program says about itself at <span class="host">${host}</span>.`;
  const how =
    'Go back to the program and try again: it may register here instead. If this happens again, its operator can set OAUTH_CLIENT_DOCUMENTS=off.';
  return message(TITLE, what, how);
};

/** The errors of a request that forbids to ask the user (`prompt=none`). */
const PROMPT_NONE_ERRORS = new Set(['login_required', 'consent_required', 'interaction_required']);

/** For an error that the client does not get, because the user has allowed it nothing. */
export const withheldErrorPage = (error: ProtocolError, host: string): Page => {
  const isSilent = PROMPT_NONE_ERRORS.has(error.error ?? '');
  const reason = isSilent ? 'The program that sent you here wants an answer without asking you.' : mistake(error);
  const why = html`You are not sent on to <span class="host">${host}</span>, because you have not allowed that program anything.`;
  return message(TITLE, reason, why, 'If you came from a program that you know, go back to it and try again.');
};

/** Sets only the headers that the library does not set on every response. */
export const showPage = (ctx: Pick<Koa.Context, 'set' | 'type' | 'body'>, page: Page): void => {
  ctx.set(securityHeaders(page));
  ctx.type = 'html';
  ctx.body = render(page);
};
