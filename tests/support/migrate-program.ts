import { openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { migrate } from '../../src/adapters/postgres/connection/migrator.ts';
import { quiet } from './log.ts';

/** A process of its own that migrates when it gets a message, as several servers do that start at once. */
const database = await openDatabase({ url: process.argv[2] as string, poolSize: 2, log: quiet });
process.once('message', async () => {
  const outcome = await migrate(database).then(
    (done) => ({ done }),
    (error: Error) => ({ error: error.message }),
  );
  await database.close();
  process.send?.(outcome, () => process.disconnect());
});
process.send?.('ready');
