import { hash } from 'node:crypto';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

const styled = new Html(`<style>${STYLE}</style>`);
const styleHash = hash('sha256', STYLE, 'base64');

/** A page, and where its forms may lead besides here. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly formTargets?: readonly string[];
}

/** Nothing but our own style; forms go back to us, and from there to the client that waits for the answer. */
export const policyOf = ({ formTargets = [] }: Page): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** How the address that a form's answer redirects to is written in a policy; numbers of IPv6 have no place in its grammar. */
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

/** Something to tell, with nothing to fill in. */
export const message = (title: string, ...paragraphs: readonly (string | Html)[]): Page => ({
  title,
  body: html`<div class="card"><h1>${title}</h1>
${paragraphs.map((text) => html`<p>${text}</p>`)}</div>`,
});
