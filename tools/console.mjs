// Writes the console as a package and a container image have it, which cannot build it:
//
//   node tools/console.mjs FILE

import { writeFile } from 'node:fs/promises';
import { buildBundle } from '../src/adapters/console/bundle.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Say into which file: node tools/console.mjs FILE');
await writeFile(file, JSON.stringify(await buildBundle()));
