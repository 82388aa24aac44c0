// Keeps docs/licenses.md, the licences of everything that the server ships with; with --check it only says whether that is up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildBundle } from '../src/adapters/console/bundler.ts';

/** Licences that let a program of another licence use and ship the package. GPL and AGPL are not among them. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/**
 * Packages under the LGPL, by name: each is installed whole and unchanged, as a file that the server loads when it runs and that another
 * build of it may replace.
 */
const REPLACEABLE = new Set(['libheif-js']);

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'docs/licenses.md');

/** @typedef {{ version?: string, license?: string, dev?: boolean, devOptional?: boolean }} Package */

const locks = ['package-lock.json', 'tools/postgresql/package-lock.json', 'tools/runtime/package-lock.json'];
/** @type {[string, Package][]} */
const packages = locks.flatMap((lock) =>
  Object.entries(JSON.parse(readFileSync(path.join(root, lock), 'utf8')).packages),
);

/**
 * Whether one licence of the expression is permissive (`A OR B`), or all are (`A AND B`).
 * @param {string} expression
 * @returns {boolean}
 */
const isPermissive = (expression) => {
  const bare = expression.replace(/[()]/g, '');
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isPermissive);
  return bare.split(' AND ').every((each) => PERMISSIVE.has(each));
};

// Those that the console contains are only needed to build it.
const bundled = new Set((await buildBundle()).packages);
const shipped = packages
  .filter(([place, { dev, devOptional }]) => place !== '' && (bundled.has(place) || !(dev || devOptional)))
  .map(([place, { version = '', license = 'none stated' }]) => ({
    name: place.replace(/^.*node_modules\//, ''),
    version,
    license,
  }));
const distinct = [...new Map(shipped.map((each) => [`${each.name}@${each.version}`, each])).values()];
/** @param {{ name: string, license: string }} each */
const isReplaceable = ({ name, license }) => REPLACEABLE.has(name) && license === 'LGPL-3.0';
const refused = distinct.filter((each) => !isPermissive(each.license) && !isReplaceable(each));

const rows = distinct
  .toSorted((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1))
  .map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
const now = `# Licences of what Portico ships with

Every package that is installed to run the server or that the console contains, as package-lock.json and the lock files in \`tools\` name
it. \`node tools/licenses.mjs\` prints this list and refuses a package whose licence is not permissive; libheif-js is under the
LGPL, and [the decision on scans](decisions/reading-scans.md) says why that is all right.

| Package | Version | Licence |
| - | - | - |
${rows.join('\n')}
`;

for (const { name, version, license } of refused)
  console.error(`${name} ${version}: the licence ${license} is not one that Portico may ship`);
if (refused.length > 0) process.exit(1);
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') === now) process.exit(0);
  console.error('docs/licenses.md is not up to date: run `npm run docs`.');
  process.exit(1);
}
writeFileSync(file, now);
