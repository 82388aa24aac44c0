// Keeps docs/openapi.json, the description that clients are written for; with --check it only says whether that is up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openapi } from '../src/adapters/http/openapi.ts';
import { operations } from '../src/adapters/http/operations.ts';
import { breakingChanges } from './openapi-changes.mjs';

const file = path.resolve(import.meta.dirname, '../docs/openapi.json');
const base = 'http://127.0.0.1:3000';
const urls = { base, auth: base, egress: null };
const limits = { requests: 100, windowSeconds: 60, runs: 30, tableReads: 5, console: 1000 };

const stored = readFileSync(file, 'utf8');
const now = `${JSON.stringify(openapi({ operations, urls, limits, contactEmail: 'support@example.com' }), null, 1)}\n`;
if (stored === now) process.exit(0);

const breaks = breakingChanges(JSON.parse(stored), JSON.parse(now));
for (const line of breaks) console.error(`breaks a client: ${line}`);
if (process.argv.includes('--check')) {
  console.error('docs/openapi.json is not up to date: run `npm run docs` and look at the difference.');
  process.exit(1);
}
if (breaks.length > 0 && !process.argv.includes('--accept-breaking')) {
  console.error(
    'Version 1 is a boundary of compatibility: keep what clients rely on, or run `node tools/openapi.mjs --accept-breaking`.',
  );
  process.exit(1);
}
writeFileSync(file, now);
