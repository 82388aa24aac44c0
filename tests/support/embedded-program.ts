import { startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { quiet } from './log.ts';

/** A process of its own that runs an embedded server until its parent says stop or goes away. */
const server = await startEmbeddedPostgres({ dir: process.argv[2] as string, log: quiet });
process.once('message', async () => {
  await server.stop();
  process.disconnect();
});
process.send?.({ url: server.url, reused: server.reused });
