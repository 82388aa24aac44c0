// Runs the code that reads files once, outside of its sandbox, where Node keeps what it compiles: readers add nothing to that, and start
// faster with it. The set-up starts this, with the Node that will run the server.

import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readFile as textOf } from '../src/adapters/text/read-file.ts';

const reading = path.resolve(import.meta.dirname, '../src/adapters/text');
const samples = path.resolve(import.meta.dirname, '../demo/samples');
const preload = pathToFileURL(path.join(reading, 'sandbox-preload.ts')).href;
const PROGRAMS = ['reader-main.ts', 'ocr/ocr-main.ts', 'pages/pages-main.ts'];
const MEMORY_MEGABYTES = '1024';
const MOST_CHARACTERS = 100_000;

/** @param {string} program */
const run = (program) =>
  new Promise((resolve) => {
    const args = [`--import=${preload}`, path.join(reading, program), MEMORY_MEGABYTES];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', resolve).once('close', resolve);
    child.stdin.once('error', () => undefined).end();
  });

// A file of each format: its library is loaded with the first one.
const readSamples = async () => {
  for (const fileName of await readdir(samples)) {
    await textOf({ fileName, contentType: '', data: await readFile(path.join(samples, fileName)) }, MOST_CHARACTERS);
  }
};

await Promise.all([...PROGRAMS.map(run), readSamples()]);
