import path from 'node:path';
import { migrate } from '../adapters/postgres/connection/migrator.ts';
import { pinoLog } from '../adapters/system/log.ts';
import { deadline } from '../application/shared/async.ts';
import type { Config } from './config.ts';
import { type Composition, compose } from './container.ts';
import { demoWorkspace, prepareDemo } from './demo-workspace.ts';
import { serve } from './serve.ts';

const samplesFolder = path.resolve(import.meta.dirname, '../../demo/samples');

const isServing = (baseUrl: string) =>
  fetch(`${baseUrl}/api/v1`, { signal: deadline(3) }).then(
    (answer) => answer.ok,
    () => false,
  );

const sendSamples = async (
  composition: Composition,
  baseUrl: string,
  apply: boolean,
  signal: AbortSignal,
): Promise<number> => {
  signal.throwIfAborted();
  // A start of the server that only prepares the demo does without the client.
  const [{ runDemo }, { ledger }] = await Promise.all([
    import('../adapters/demo/demo.ts'),
    import('../adapters/demo/ledger.ts'),
  ]);
  const workspace = demoWorkspace(composition);
  if (apply) await workspace.renew();
  return workspace.withLedger(async (client) =>
    runDemo({
      baseUrl,
      apiKey: await workspace.createKey('npm run demo', 1),
      samplesFolder,
      ledger: ledger(client),
      out: (line) => process.stdout.write(`${line}\n`),
      tty: process.stdout.isTTY,
      signal,
    }),
  );
};

/**
 * Sends the samples through the server of this configuration: one that is running, or one that lasts as long as the demo. The signal ends
 * both.
 */
export const demo = async (config: Config, apply: boolean, signal: AbortSignal): Promise<number> => {
  const log = pinoLog({ level: 'error' });
  if (await isServing(config.baseUrl)) {
    const composition = await compose(config, log);
    try {
      await migrate(composition.database);
      await prepareDemo(composition);
      return await sendSamples(composition, config.baseUrl, apply, signal);
    } finally {
      await composition.close();
    }
  }
  const serving = await serve({ ...config, demo: true }, 'all', log);
  try {
    return await sendSamples(serving.composition, config.baseUrl, apply, signal);
  } finally {
    await serving.stop();
  }
};
