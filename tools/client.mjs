// Keeps src/client/openapi.ts, the types that the client takes from docs/openapi.json; with --check it only says whether that is up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withTypeScript5 } from './typescript-5.mjs';

withTypeScript5('openapi-typescript');
const { default: openapiTypes, astToString } = await import('openapi-typescript');

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'src/client/openapi.ts');

const description = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8'));
// Examples are for readers of the description: here they would be half of the file.
for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path)))
  for (const response of Object.values(operation.responses ?? {}))
    for (const content of Object.values(response.content ?? {})) delete content.example;
const types = await openapiTypes(description, { immutable: true, defaultNonNullable: false, silent: true });
const now = `// Generated from docs/openapi.json by \`npm run docs\`: edit nothing here.\n\n${astToString(types)}`;

if (!process.argv.includes('--check')) writeFileSync(file, now);
else if (readFileSync(file, 'utf8') !== now) {
  console.error('src/client/openapi.ts is not up to date: run `npm run docs`.');
  process.exit(1);
}
