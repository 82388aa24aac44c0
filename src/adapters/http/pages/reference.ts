import { readFile } from 'node:fs/promises';
import { KEEP_A_DAY, type Page, pagesUnder, policyOf } from './pages.ts';

/** Allows scripts and requests of this origin only; Swagger UI sets styles in its script. */
const POLICY = policyOf(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
);

/** The addresses are relative, so that the page works behind a proxy that adds a prefix. What stands in `main` is replaced by the reference. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="stylesheet" href="docs/assets/reference.css">
<noscript><style>main { display: none; }</style></noscript>
</head>
<body>
<nav><a href="developers">Portico</a> <span>API reference</span></nav>
<noscript><p>This page needs scripts. The <a href="developers">guide</a> works without them, and the whole description is in <a href="openapi.yaml">openapi.yaml</a>.</p></noscript>
<main id="reference"><p>The reference is being loaded. If it does not appear, load this page again, or read the <a href="developers">guide</a>.</p></main>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/reference.js"></script>
</body>
</html>
`;

const STYLE = `body { margin: 0; background: #fff; }
nav { display: flex; gap: .75rem; align-items: baseline; padding: .75rem 1.25rem; background: #14213d; font: 1rem system-ui, sans-serif; color: #c8d3ea; }
nav a { color: #fff; font-weight: 600; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
noscript p, main > p { padding: 1rem 1.25rem; font: 1rem/1.5 system-ui, sans-serif; }
.swagger-ui .info { margin: 1.5rem 0; }
`;

/** Sends requests to the origin of the page, which may differ from the server's configured address. */
const SCRIPT = `'use strict';
(async () => {
  const here = new URL('.', document.baseURI);
  const response = await fetch(new URL('openapi.json', here));
  if (!response.ok) return;
  const spec = await response.json();
  spec.servers = [{ url: here.href.replace(/\\/$/, '') }];
  window.reference = SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
  });
})();
`;

const page = pagesUnder(POLICY);

const packaged = (name: string, type: string) =>
  page(
    `/docs/assets/${name}`,
    type,
    () => readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`))),
    KEEP_A_DAY,
  );

/** Swagger UI, all of it from this server. */
export const reference: readonly Page[] = [
  page('/docs', 'text/html; charset=utf-8', () => PAGE),
  packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  page('/docs/assets/reference.css', 'text/css; charset=utf-8', () => STYLE),
  page('/docs/assets/reference.js', 'text/javascript; charset=utf-8', () => SCRIPT),
];
