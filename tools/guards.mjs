// Keeps docs/guards.md, the bounds that are constants of the code and no settings; with --check it only says whether that is up to date.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'docs/guards.md');

/** A constant of a module that is a number, or is computed from such constants, with the comment before it. */
const GUARD =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n|^\/\/ (.*)\n)?^(?:export )?const ([A-Z][A-Z0-9_]+) = ([-\d(A-Z][-\d_.e+*/() A-Z]*);$/gm;

/** @param {string} comment */
const oneLine = (comment) =>
  comment
    .replace(/\n \* ?/g, ' ')
    .replaceAll('|', '\\|')
    .trim();

/** @param {string} source */
const guardsIn = (source) =>
  [...readFileSync(path.join(root, source), 'utf8').matchAll(GUARD)].map(
    ([, doc = '', remark = '', name = '', value = '']) =>
      `| \`${name}\` | ${value.replaceAll('*', '\\*')} | ${oneLine(doc || remark)} |`,
  );

const sections = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .toSorted()
  .map((source) => ({ source: source.replaceAll(path.sep, '/'), guards: guardsIn(source) }))
  .filter(({ guards }) => guards.length > 0);
const count = sections.reduce((sum, { guards }) => sum + guards.length, 0);

const now = `# Bounds that are constants

${count} bounds that keep one request, file or user from taking what belongs to all, and that no setting changes: what an installation may
choose is in [settings.md](settings.md). \`node tools/guards.mjs\` prints this list from the code.

${sections.map(({ source, guards }) => `## \`${source}\`\n\n| Constant | Value | What it bounds |\n| - | - | - |\n${guards.join('\n')}\n`).join('\n')}`;

if (!process.argv.includes('--check')) writeFileSync(file, now);
else if (readFileSync(file, 'utf8') !== now) {
  console.error('docs/guards.md is not what the code says: npm run docs');
  process.exit(1);
}
