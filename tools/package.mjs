// Builds what `npm pack` takes along, because Node strips no types below node_modules: JavaScript of the whole program, the declarations
// of the client, the SQL of the migrations, and the console. With --clean it takes all of it away again: the clone runs its source.

import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildBundle } from '../src/adapters/console/bundler.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

/**
 * Types are checked by `npm run typecheck`, and not again here.
 *
 * @param {string[]} options
 */
const compile = (...options) =>
  execFileSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '--noCheck', ...options], {
    cwd: root,
    stdio: 'inherit',
  });

rmSync(dist, { recursive: true, force: true });
if (!process.argv.includes('--clean')) {
  compile('--project', 'tsconfig.package.json');
  compile('--project', 'tsconfig.client.json');
  const migrations = 'adapters/postgres/migrations';
  cpSync(path.join(root, 'src', migrations), path.join(dist, migrations), { recursive: true });
  writeFileSync(path.join(dist, 'adapters/console/bundle.json'), JSON.stringify(await buildBundle()));
}
