/** Shows that the description of the API is what linters and generators of clients can use: lints it, generates a client by each, and compiles them all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';

const here = import.meta.dirname;
const description = path.join('..', '..', 'docs', 'openapi.json');

/** Runs a command here; what it printed is shown only if it failed. */
const run = async (name, command, ...parameters) => {
  const child = spawn(command, parameters, {
    cwd: here,
    env: { ...process.env, CI: 'true', REDOCLY_TELEMETRY: 'off' },
  });
  const printed = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', (part) => printed.push(part));
  const [code] = await once(child, 'close');
  if (code === 0) return console.log(`${name}: fine`);
  console.error(`${name}: ended with ${code}\n${Buffer.concat(printed)}`);
  process.exitCode = 1;
};

/** A program of the packages here, by the Node that runs this. */
const runPackage = (name, program, ...parameters) =>
  run(name, process.execPath, path.join('node_modules', '.bin', program), ...parameters);

await run('packages', 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
await rm(path.join(here, 'generated'), { recursive: true, force: true });
await mkdir(path.join(here, 'generated/zodios'), { recursive: true });
await runPackage('Spectral', 'spectral', 'lint', '--ruleset', '.spectral.json', '--fail-severity', 'hint', description);
await runPackage('Redocly', 'redocly', 'lint', '--extends', 'recommended-strict', description);
await runPackage('Kubb', 'kubb', 'generate', '--config', 'kubb.config.mjs');
await runPackage('orval', 'orval', '--config', 'orval.config.mjs');
await runPackage(
  'Hey API',
  'openapi-ts',
  '--input',
  description,
  '--output',
  'generated/hey-api',
  '--client',
  '@hey-api/client-fetch',
  '--plugins',
  '@hey-api/typescript',
  '@hey-api/sdk',
  'zod',
);
await runPackage('openapi-zod-client', 'openapi-zod-client', description, '--output', 'generated/zodios/client.ts');
for (const made of ['kubb', 'orval', 'orval-zod', 'hey-api', 'zodios'])
  await access(path.join(here, 'generated', made));
await runPackage('TypeScript', 'tsc', '--project', '.');
