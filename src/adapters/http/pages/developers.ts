import { hash } from 'node:crypto';
import { Html, html } from '../../../domain/html.ts';
import { DESCRIPTION } from '../api-index.ts';
import { type Facts, sectionsOf } from './guide.ts';
import { type Page, pagesUnder, policyOf } from './pages.ts';
import { STYLE } from './style.ts';

const POLICY = policyOf(`style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`, 'img-src data:');

const render = (facts: Facts): string => {
  const sections = sectionsOf(facts);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico for developers</title>
<meta name="description" content="${DESCRIPTION}">
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><div>
<h1>Portico for developers</h1>
<p>${DESCRIPTION}</p>
<a href="docs">API reference</a><a href="openapi.yaml">openapi.yaml</a><a href="llms.txt">llms.txt</a><a href="api/v1">API index</a>
</div></header>
<div class="layout">
<nav aria-label="On this page"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main">
${sections.map(({ id, title, body }) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>\n`)}
</main>
</div>
<footer>Made from the same list of operations that the server runs.</footer>
</body>
</html>
`.markup;
};

/** The guide for developers, made from the list of operations; it needs no script. */
export const developers = (facts: Facts): Page =>
  pagesUnder(POLICY)('/developers', 'text/html; charset=utf-8', () => render(facts));
