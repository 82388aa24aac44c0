import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compileCache } from '../../tools/compile-cache.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/** The packages that a module of the program loads at once. */
const packagesOf = async (file: string): Promise<readonly string[]> => {
  const program = path.join(root, 'tests/support/loaded-program.ts');
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const { stdout } = await promisify(execFile)(process.execPath, [program, path.join(root, file)], { env });
  return JSON.parse(stdout) as readonly string[];
};

/** What takes most of the time and memory, and is not needed before it is used. */
const heavy = [
  '@mikro-orm/postgresql',
  '@mikro-orm/migrations',
  'kysely',
  'oidc-provider',
  'jose',
  'zod',
  'koa-body',
  'yaml',
  'html-to-text',
  '@aws-sdk/client-s3',
  'redis',
  'mssql',
  'tedious',
  'undici',
  'linkedom',
  'libpg-query',
  '@zxcvbn-ts/language-common',
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@modelcontextprotocol/sdk',
  '@opentelemetry/sdk-node',
  'swagger-ui-dist',
  '@embedpdf/pdfium',
  'tesseract.js-core',
  'dingbat-to-unicode',
  '@e965/xlsx',
  'chardet',
  'postal-mime',
  'csv-parse',
];

// Loading modules is most of what a start costs: one import at the wrong place doubles it.
describe('what a start loads', () => {
  const starts: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a worker or a command of the operator',
      'src/composition/serve.ts',
      [...heavy, 'koa', 'commander', '@koa/router'],
    ],
    ['an API server', 'src/composition/api.ts', heavy],
    [
      'the command line',
      'src/adapters/cli/cli.ts',
      [...heavy, 'koa', 'io-ts', 'inversify', '@mikro-orm/core', 'pg', 'pino', 'ajv'],
    ],
  ];
  for (const [name, file, left] of starts) {
    it(`has nothing that it may never use: ${name}`, async () => {
      const packages = await packagesOf(file);
      expect(packages).to.not.be.empty;
      expect(packages.filter((each) => left.includes(each))).to.deep.equal([]);
    });
  }
});
