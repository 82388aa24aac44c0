import type Koa from 'koa';
import { html } from './html.ts';
import { message, type Page, policyOf, render } from './page.ts';

interface Mistake {
  readonly error?: string;
  readonly error_description?: string;
}

const TITLE = 'This cannot go on';

const mistake = ({ error_description: detail = 'its request is not valid' }: Mistake) =>
  `The program that sent you here made a mistake: ${detail}.`;

/** For what cannot be told to the client, because it is not known whether it is one. */
export const mistakePage = (error: Mistake): Page => message(TITLE, mistake(error), 'Go back to it and try again.');

/** It asked that no question is asked (`prompt=none`). */
const SILENT = new Set(['login_required', 'consent_required', 'interaction_required']);

/** For what is not told to a client, because the user has allowed it nothing. */
export const unansweredPage = (error: Mistake, host: string): Page => {
  const reason = SILENT.has(error.error ?? '') ? 'The program that sent you here wants an answer without asking you.' : mistake(error);
  const why = html`You are not sent on to <span class="host">${host}</span>, because you have not allowed that program anything.`;
  return message(TITLE, reason, why, 'If you came from a program that you know, go back to it and try again.');
};

/** The headers beside these are the same for every answer of the server. */
export const showPage = (ctx: Pick<Koa.Context, 'set' | 'type' | 'body'>, page: Page): void => {
  ctx.set('Content-Security-Policy', policyOf(page));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.body = render(page);
};
