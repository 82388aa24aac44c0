import { commandLine } from './command-line.ts';
import { demonstration } from './demonstration.ts';
import type { Kind } from './installations.ts';
import { mainJob } from './main-job.ts';
import { openPlatform, type Platform } from './platform.ts';
import { secrets } from './secrets.ts';
import { sqlServerWrites } from './sql-server.ts';
import { threads } from './threads.ts';
import { webhooks } from './webhooks.ts';
import { workspaces } from './workspaces.ts';

/** Everything goes through the front door. */
export const acceptance = (kind: Kind) =>
  describe(`Portico from outside: ${kind.name}`, () => {
    let open: Platform | null = null;
    const platform = () => {
      if (!open) throw new Error('The server is there in tests and hooks only.');
      return open;
    };

    before(async function () {
      open = await openPlatform(kind);
      if (!open) this.skip();
    });
    after(() => open?.close());

    mainJob(platform);
    workspaces(platform);
    commandLine(platform);
    demonstration(platform, kind);
    threads(platform);
    webhooks(kind);
    secrets(platform);
    // Its lost commits are errors, which the suite before finds none of.
    sqlServerWrites(platform);
  });
