import type { Operator } from '../../src/adapters/cli/dependencies.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { readConfig } from '../../src/composition/config.ts';
import { openOperator } from '../../src/composition/operator.ts';
import { quiet } from './log.ts';
import type { Environment } from './program.ts';
import type { Server } from './server.ts';

/** Does an operator's work on a server's data within this process: a command of the program, which other tests run, takes a second of the processor. */
const operate = async <T>(
  { dataDir }: Pick<Server, 'dataDir'>,
  database: string,
  work: (operator: Operator) => Promise<T>,
  settings: Environment = {},
): Promise<T> => {
  const operator = await openOperator(
    readConfig({ DATA_DIR: dataDir, DATABASE_URL: database, OPENAI_API_KEY: 'none', ...settings }),
    quiet,
  );
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
};

/** What `portico apply` does. */
export const applyTo = (
  server: Pick<Server, 'dataDir'>,
  database: string,
  file: string,
  env: Environment = {},
  settings: Environment = {},
) => {
  const apply = ({ workspaces }: Operator) =>
    workspaces.apply(readWorkspaceFile(file, env), { dryRun: false, prune: false });
  return operate(server, database, apply, settings);
};

/** What `portico keys create` does: a key of the user with this email. */
export const keyOn = (server: Pick<Server, 'dataDir'>, database: string, email: string): Promise<string> =>
  operate(
    server,
    database,
    async ({ keys }) => (await keys.create({ email, name: 'cli', lifetimeDays: null, scopes: null })).key,
  );
