import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeRole } from '../adapters/cli/dependencies.ts';
import { type Demo, welcome } from '../adapters/demo/welcome.ts';
import { bodyReader } from '../adapters/http/body.ts';
import { healthPages, management, metricsPage } from '../adapters/http/management.ts';
import { startServer } from '../adapters/http/server.ts';
import { migrate } from '../adapters/postgres/connection/migrator.ts';
import { sealedInUse } from '../adapters/postgres/repositories/sealed-values.ts';
import { pinoLog } from '../adapters/system/log.ts';
import { logFields } from '../adapters/telemetry/scope.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Sealer as SealerPort } from '../application/ports/secrets.ts';
import { allocateYoung } from './allocation.ts';
import { type Config, hasDemo } from './config.ts';
import { type Composition, compose, type ServingComposition } from './container.ts';
import { endUnanswered } from './exit.ts';
import { ConversationService, ToolEndpoint, TurnWorker } from './modules/conversations.ts';
import { EventService, RunService } from './modules/runs.ts';
import { SourceWorker } from './modules/sources.ts';
import { Sealer } from './modules/system.ts';
import { WebhookWorker } from './modules/webhooks.ts';
import {
  AuditChainer,
  Erasures,
  KeyBackfill,
  Maintenance,
  PostingWorker,
  Retention,
  RunWorker,
} from './modules/worker.ts';
import { announceServer } from './running-server.ts';
import { onStopSignal } from './stop-signal.ts';

export interface Serving {
  readonly composition: ServingComposition;
  readonly demo: Demo | null;
  /** Takes no more work, gives what is under way the grace to end, hands back the rest, closes everything. */
  stop(): Promise<void>;
}

/** Stops one part of a role: it takes no more work from now on, and what is under way may go on for the grace. */
type Stop = (graceMs: number) => Promise<void>;

/** Runs the stops that have been added, all at once. */
const stops = () => {
  const all: Stop[] = [];
  const run: Stop = async (graceMs) => {
    const ends = await Promise.allSettled(all.map((stop) => stop(graceMs)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  return { add: (stop: Stop) => void all.push(stop), run };
};

/** A part that looks for work by itself. */
interface Worker {
  start(): void;
  stop: Stop;
}

/** Enough to send the answers of turns that end with the grace. */
const LAST_ANSWERS_MS = 500;

/** The API or the gateway, on PORT. A worker does not load it. */
const startApi = async (config: Config, role: ServeRole, composition: ServingComposition): Promise<Stop> => {
  const { api } = await import('./api.ts');
  const { container } = composition;
  const server = await startServer(api(config, composition, role === 'egress'), config);
  // In the background, so that the first request with a body does not wait for it.
  void bodyReader();
  const delayMs = config.shutdownDelaySeconds * 1000;
  return async (graceMs) => {
    const until = performance.now() + graceMs;
    container.get(RunService).stop();
    container.get(EventService).stop();
    container.get(ToolEndpoint).stop();
    server.leave();
    await sleep(Math.min(delayMs, graceMs / 2));
    const leftMs = Math.max(0, until - performance.now());
    // Turns end a moment earlier than the connections, so that the clients that wait for them get an answer.
    const turns = container.get(ConversationService).stop(Math.max(0, leftMs - LAST_ANSWERS_MS));
    await Promise.all([turns, server.stop(leftMs)]);
  };
};

/** Starts the parts of a role one after the other, and adds how each is stopped, so that a failed start stops those before it. */
const startParts = async (
  config: Config,
  role: ServeRole,
  composition: ServingComposition,
  parts: ReturnType<typeof stops>,
): Promise<void> => {
  const { container } = composition;
  for (const part of [Maintenance, AuditChainer, Retention, KeyBackfill]) {
    const upkeep: Worker = container.get(part);
    upkeep.start();
    parts.add((graceMs) => Promise.race([upkeep.stop(graceMs), sleep(graceMs, undefined, { ref: false })]));
  }
  if (role === 'all' || role === 'worker') {
    for (const part of [RunWorker, TurnWorker, WebhookWorker, PostingWorker, SourceWorker]) {
      const worker: Worker = container.get(part);
      worker.start();
      parts.add((graceMs) => worker.stop(graceMs));
    }
  }
  if (role !== 'worker') parts.add(await startApi(config, role, composition));
};

/** Health and metrics on a port of their own, if one is set; open before the first part starts and until the last has stopped. */
const startManagement = async (
  { host, managementPort: port }: Config,
  { health, metrics }: ServingComposition,
): Promise<Stop> => {
  if (port === null) return async () => {};
  const server = await startServer(management([...healthPages(health), metricsPage(metrics)]), {
    host,
    port,
    portName: 'MANAGEMENT_PORT',
  });
  return () => server.stop(0);
};

const opens = (sealer: SealerPort, sealed: string): boolean => {
  try {
    sealer.open(sealed);
    return true;
  } catch {
    return false;
  }
};

/** A start does not fail without the key: all that needs no secret works, and `portico apply --reseal` needs no server. */
const tellLostSecrets = async ({ container, database }: Composition, log: Log): Promise<void> => {
  const sealer = container.get(Sealer);
  const secrets = await sealedInUse(database);
  const lost = secrets.filter((sealed) => !opens(sealer, sealed)).length;
  if (lost > 0)
    log.error(
      { lost, stored: secrets.length },
      'the encryption key does not open all secrets of connections, webhooks, sources and tools: another one has sealed them. ' +
        'Put that one back (ENCRYPTION_KEY, or encryption.key in DATA_DIR); ' +
        'if it is lost, "portico apply -f workspace.yaml --reseal" stores the secrets of the file again',
    );
};

export const serve = async (config: Config, role: ServeRole, log: Log): Promise<Serving> => {
  const composition = await compose(config, log);
  const parts = stops();
  const outer = stops();
  const stop = async (graceMs: number) => {
    composition.health.stop();
    try {
      await parts.run(graceMs);
      await outer.run(graceMs);
    } finally {
      await composition.close();
    }
  };
  try {
    outer.add(await startManagement(config, composition));
    await migrate(composition.database);
    await composition.container.get(Erasures).mustBeDone();
    await tellLostSecrets(composition, log);
    // Only a role that prints the demo's key makes the demo.
    const demo =
      (role === 'all' || role === 'api') && hasDemo(config)
        ? await (await import('./demo-workspace.ts')).prepareDemo(composition)
        : null;
    if (role === 'all' || role === 'api') outer.add(await announceServer(config, log));
    await startParts(config, role, composition, parts);
    // Whoever starts the demo reads the welcome, which says the same.
    if (!demo?.user) log.info({ role, base_url: config.baseUrl }, 'Portico is serving');
    return {
      composition,
      demo,
      async stop() {
        await stop(config.shutdownSeconds * 1000);
        log.info({ role }, 'Portico has stopped');
      },
    };
  } catch (error) {
    await stop(0).catch(() => {});
    throw error;
  }
};

/** What closing may take beyond the grace if a database or a store does not answer. */
const CLOSING_MS = 5000;
/** After this long the process ends, although the client of a trace collector that is away would go on trying. */
const LINGER_MS = 500;

/** `log` has to be one that has written its lines when it returns: nothing is written any more once the process ends by force. */
const exit = (log: Log, code?: number): void => {
  endUnanswered((message) => log.warn({}, message));
  process.exit(code);
};

const exitAfter = (ms: number, log: Log) =>
  setTimeout(() => {
    log.error({}, 'something could not be closed in time');
    exit(log, 1);
  }, ms).unref();

/** Serves until a signal arrives, and answers the exit code. */
export const serveUntilStopped = async (config: Config, role: ServeRole): Promise<number> => {
  allocateYoung();
  const log = pinoLog({ level: config.logLevel, context: logFields });
  process.on('unhandledRejection', (err) => {
    log.error({ err }, 'a promise was rejected without a handler');
    process.exit(1);
  });
  const stopped = new Promise<void>((resolve) => onStopSignal(resolve));
  const serving = await serve(config, role, log);
  if (role === 'all' || role === 'api') process.stdout.write(welcome(config.baseUrl, serving.demo));
  await stopped;
  const lastLog = pinoLog({ level: config.logLevel, sync: true });
  const deadline = exitAfter(config.shutdownSeconds * 1000 + CLOSING_MS, lastLog);
  await serving.stop();
  clearTimeout(deadline);
  setTimeout(() => exit(lastLog), LINGER_MS).unref();
  return 0;
};
