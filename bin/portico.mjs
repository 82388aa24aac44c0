#!/usr/bin/env node
// Starts the program with a Node that can run it, on any Node from 18 on, setting up what is missing first.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileCache } from '../tools/compile-cache.mjs';
import { orExplain, setUp } from '../tools/setup.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
// A clone runs its source, and installs what it needs. A package carries JavaScript, and npm has installed what it needs.
const source = path.join(root, 'src/composition/main.ts');
const isClone = existsSync(source);
const main = isClone ? source : path.join(root, 'dist/composition/main.js');

/** Signals that a terminal sends to the whole group: the child has had them already. */
const fromTerminal = new Set(['SIGINT', 'SIGQUIT', 'SIGHUP']);

const isMemberOfTerminalGroup = () => Boolean(process.stdin.isTTY || process.stderr.isTTY);

/**
 * Runs the program under another Node as if it were this process: its arguments, signals, output and exit code.
 * @param {string} node
 */
const runUnder = (node) => {
  const watch = pathToFileURL(path.join(root, 'tools/end-with-parent.mjs')).href;
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
  const child = spawn(node, ['--import', watch, main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])) {
    process.on(signal, () => {
      if (!(fromTerminal.has(signal) && isMemberOfTerminalGroup())) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};

const node = await setUp({ dependencies: isClone, development: false }).catch(orExplain);
if (node === process.execPath) {
  if (!process.env.NODE_COMPILE_CACHE) module.enableCompileCache?.(compileCache);
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
} else runUnder(node);
