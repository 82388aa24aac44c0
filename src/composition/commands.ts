import path from 'node:path';
import pg from 'pg';
import { runDemo } from '../adapters/demo/demo.ts';
import { ledger } from '../adapters/demo/ledger.ts';
import { welcome } from '../adapters/demo/welcome.ts';
import { migrate } from '../adapters/postgres/migrator.ts';
import { pinoLog } from '../adapters/system/log.ts';
import { logFields } from '../adapters/telemetry/scope.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Config } from './config.ts';
import { type Composition, compose } from './container.ts';
import { createDemoKey, ledgerUrl, prepareDemo } from './demo.ts';
import { type Role, serve } from './serve.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first signal to stop; a second one ends the process at once. */
const toldToStop = () =>
  new Promise<void>((resolve) => {
    let told = false;
    const tell = () => {
      if (told) process.exit(130);
      told = true;
      resolve();
    };
    for (const signal of signals) process.on(signal, tell);
  });

const LINGER_MS = 500;
/** What closing may take beyond the grace, where a database or a store does not answer. */
const CLOSING_MS = 5000;

/** Nothing keeps a server that was told to stop from ending. */
const endAnyway = (afterMs: number, log: Log) =>
  setTimeout(() => {
    log.error({}, 'something could not be closed in time');
    process.exit(1);
  }, afterMs).unref();

export const serveUntilStopped = async (config: Config, role: Role): Promise<number> => {
  const log = pinoLog({ level: config.logLevel, context: logFields });
  process.on('unhandledRejection', (err) => {
    log.error({ err }, 'a promise was rejected that nobody waits for');
    process.exit(1);
  });
  const stop = toldToStop();
  const serving = await serve(config, role, log);
  const { demo } = serving;
  if (role === 'all' || role === 'api') {
    const { apiKey = null, invoiceReaderId = null, first = false, user = null } = demo ?? {};
    process.stdout.write(welcome({ baseUrl: config.baseUrl, apiKey, invoiceReaderId, firstStart: first, demoUser: user }));
  }
  await stop;
  const impatience = endAnyway(config.shutdownSeconds * 1000 + CLOSING_MS, log);
  await serving.stop();
  clearTimeout(impatience);
  // A collector of traces that is away is tried for a while longer by its client: nobody waits for that.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  return 0;
};

const isServing = (baseUrl: string) =>
  fetch(`${baseUrl}/api/v1`, { signal: AbortSignal.timeout(3000) }).then(
    (answer) => answer.ok,
    () => false,
  );

const send = async (composition: Composition, baseUrl: string): Promise<number> => {
  const client = new pg.Client({ connectionString: ledgerUrl(composition) });
  client.on('error', () => {});
  await client.connect();
  try {
    return await runDemo({
      baseUrl,
      apiKey: await createDemoKey(composition, 'npm run demo', 1),
      samplesFolder: path.resolve(import.meta.dirname, '../../demo/samples'),
      ledger: ledger(client),
      out: (line) => process.stdout.write(`${line}\n`),
      tty: process.stdout.isTTY,
    });
  } finally {
    await client.end();
  }
};

/** Sends the samples through the server of this configuration: the one that runs, or one that lasts as long as the demo. */
export const demo = async (config: Config): Promise<number> => {
  const log = pinoLog({ level: 'error' });
  if (await isServing(config.baseUrl)) {
    const composition = await compose(config, log);
    try {
      await migrate(composition.database);
      await prepareDemo(composition);
      return await send(composition, config.baseUrl);
    } finally {
      await composition.close();
    }
  }
  const serving = await serve({ ...config, demo: true }, 'all', log);
  try {
    return await send(serving.composition, config.baseUrl);
  } finally {
    await serving.stop();
  }
};
