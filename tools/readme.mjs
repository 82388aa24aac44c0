// Puts what the program says of itself, and the formats that it reads, into the README and docs/settings.md; with --check it only says whether that is there already.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatTable } from './formats.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** @param {string} command */
const print = (command) =>
  execFileSync(process.execPath, [path.join(root, 'src/composition/main.ts'), command], {
    cwd: root,
    encoding: 'utf8',
  }).trim();

for (const name of ['README.md', 'docs/settings.md']) {
  const file = path.join(root, name);
  const before = readFileSync(file, 'utf8');
  const after = before.replace(
    /(<!-- (settings|operations|formats): [^\n]*-->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start, command, end) => `${start}${command === 'formats' ? formatTable() : print(command)}\n${end}`,
  );
  if (before === after) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is not up to date: run \`npm run docs\`.`);
    process.exit(1);
  }
  writeFileSync(file, after);
}
