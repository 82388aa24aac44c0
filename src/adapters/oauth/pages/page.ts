import { hash } from 'node:crypto';
import { Html, html } from '../../../domain/html.ts';
import { STYLE } from './style.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Where its forms may lead besides this server. */
  readonly formTargets?: readonly string[];
}

const styled = new Html(`<style>${STYLE}</style>`);
const styleHash = hash('sha256', STYLE, 'base64');

/**
 * Allows nothing but our own style. Forms come back to us, and from there go to the client that waits for the answer. The address of a page
 * may be a secret, which no other site learns; with `no-referrer`, browsers would not name the origin of a form either.
 */
export const securityHeaders = ({ formTargets = [] }: Page) => ({
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
});

/** A redirect URI as a source in a policy, whose grammar knows no IPv6 addresses. */
export const formTargetOf = (redirectUri: string): string => {
  const { protocol, hostname, origin } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol;
};

export const render = ({ title, body }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Portico</title>
${styled}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><p>Portico</p></header>
<main id="main">
${body}
</main>
<footer>Portico lets programs use AI agents and the data behind them.</footer>
</body>
</html>
`.markup;

/** A page that informs, without a form. */
export const message = (title: string, ...paragraphs: readonly (string | Html)[]): Page => ({
  title,
  body: html`<div class="card"><h1>${title}</h1>
${paragraphs.map((text) => html`<p>${text}</p>`)}</div>`,
});
