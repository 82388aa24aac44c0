// Puts what the program says of itself into the README; with --check it only says whether that is there already.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const readme = path.join(root, 'README.md');
/** @param {string} command */
const print = (command) =>
  execFileSync(process.execPath, [path.join(root, 'src/composition/main.ts'), command], { cwd: root, encoding: 'utf8' }).trim();

const before = readFileSync(readme, 'utf8');
const after = before.replace(
  /(<!-- (settings|operations): [^\n]*-->\n)[\s\S]*?(<!-- end -->)/g,
  (_, start, command, end) => `${start}${print(command)}\n${end}`,
);
if (before === after) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('README.md is not up to date: run `npm run readme`.');
  process.exit(1);
}
writeFileSync(readme, after);
