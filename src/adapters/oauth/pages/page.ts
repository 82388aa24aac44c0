import { hash } from 'node:crypto';
import { Html, html } from '../../../domain/html.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Where its forms may lead besides this server. */
  readonly formTargets?: readonly string[];
}

/** One narrow column, system fonts, both colour schemes; targets large enough for a thumb. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1b2333; --soft: #566179; --line: #dfe4ee; --edge: #7a859c; --paper: #fff; --background: #f5f7fb; --link: #1d4fd7; --mark: #14213d; --on: #fff; --act: #1d4fd7; --act-over: #1741b3; --bad: #b3261e; --bad-background: #fdecea; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf3; --soft: #a3adc2; --line: #2c3547; --edge: #76839d; --paper: #1a212d; --background: #11161f; --link: #8fb0ff; --mark: #0b0f16; --act: #8fb0ff; --act-over: #b1c8ff; --on: #10182a; --bad: #ffb4ab; --bad-background: #3b1f1d; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--background); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
header { background: var(--mark); color: #fff; padding: .9rem 1.25rem; }
header p { max-width: 30rem; margin: 0 auto; font-weight: 600; letter-spacing: .01em; }
main { flex: 1; width: 100%; max-width: 32.5rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
.card { padding: 1.5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; overflow-wrap: anywhere; }
p { margin: 0 0 .9rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.host { font-weight: 700; }
ul.can { margin: 0 0 1rem; padding-left: 1.25rem; list-style: disc; }
ul.can li { margin: .25rem 0; }
label { display: block; margin: 1rem 0 .3rem; font-weight: 600; }
.hint { margin: .3rem 0 0; color: var(--soft); font-size: .9rem; }
.actions ~ .hint, form ~ .hint { margin-top: 1rem; }
.card > :last-child { margin-bottom: 0; }
input[type=email], input[type=password] { width: 100%; min-height: 2.9rem; padding: .55rem .75rem; border: 1px solid var(--edge); border-radius: .45rem; background: var(--paper); color: var(--ink); font: inherit; }
input[aria-invalid=true] { border: 2px solid var(--bad); }
fieldset { margin: 1rem 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
.choice { display: flex; gap: .75rem; align-items: flex-start; margin: .5rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; font-weight: 400; }
.choice input { flex: none; width: 1.2rem; height: 1.2rem; margin: .2rem 0 0; accent-color: var(--act); }
.choice strong, .choice span { display: block; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.actions button { flex: 1 1 9rem; }
button { min-height: 2.9rem; padding: .55rem 1.1rem; border: 1px solid var(--act); border-radius: .45rem; background: var(--act); color: var(--on); font: inherit; font-weight: 600; cursor: pointer; }
a.button { flex: 1 1 9rem; display: flex; align-items: center; justify-content: center; min-height: 2.9rem; padding: .55rem 1.1rem; border-radius: .45rem; background: var(--act); color: var(--on); font-weight: 600; text-decoration: none; text-align: center; }
a.button:hover { background: var(--act-over); }
.or { margin: 1.5rem 0 0; color: var(--soft); text-align: center; }
button:hover { background: var(--act-over); }
button.plain { background: transparent; color: var(--link); border-color: var(--edge); }
button.plain:hover { background: var(--background); }
button.text { min-height: 0; padding: .25rem 0; border: 0; background: none; color: var(--link); font-weight: 400; text-decoration: underline; }
form.inline { display: inline; }
.error { margin: 0 0 1rem; padding: .75rem 1rem; border-left: 4px solid var(--bad); border-radius: .3rem; background: var(--bad-background); }
.field-error { margin: .3rem 0 0; color: var(--bad); font-weight: 600; }
.warning { margin: 1rem 0 0; padding: .75rem 1rem; border-left: 4px solid var(--edge); border-radius: .3rem; background: var(--background); }
ul.grants { margin: 0; padding: 0; list-style: none; }
ul.grants > li { margin: 1rem 0 0; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
ul.grants h2 { margin-top: 0; }
footer { padding: 1.25rem; color: var(--soft); text-align: center; font-size: .9rem; }
@media (max-width: 26rem) { .card { padding: 1.1rem; } main { padding-left: .75rem; padding-right: .75rem; } }
`;

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
