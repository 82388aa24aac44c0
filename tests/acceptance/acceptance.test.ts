import { commandLine } from './command-line.ts';
import { demonstration } from './demonstration.ts';
import { mainJob } from './main-job.ts';
import { openPlatform, type Platform } from './platform.ts';
import { secrets } from './secrets.ts';
import { workspaces } from './workspaces.ts';

/** Everything goes through the front door. With TEST_BASE_URL and TEST_API_KEY it is that server's, and only the main job is tried. */
describe('Portico from outside', function () {
  this.timeout(120_000);
  let open: Platform | undefined;
  const platform = () => {
    if (!open) throw new Error('The server is there in tests and hooks only.');
    return open;
  };

  before(async () => {
    open = await openPlatform();
  });
  after(() => open?.close());

  mainJob(platform);
  workspaces(platform);
  commandLine(platform);
  demonstration(platform);
  secrets(platform);
});
