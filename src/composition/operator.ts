import type { Operator } from '../adapters/cli/dependencies.ts';
import { migrate } from '../adapters/postgres/migrator.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Config } from './config.ts';
import { compose } from './container.ts';
import { examine } from './doctor.ts';
import { port, service } from './tokens.ts';

/** The use cases of the operator's commands, on the database and files of this configuration. */
export const openOperator = async (config: Config, log: Log): Promise<Operator> => {
  const composition = await compose(config, log, 'operating');
  const { container, close } = composition;
  try {
    const applied = await migrate(composition.database);
    return {
      workspaces: container.get(service.workspaces),
      keys: container.get(service.keys),
      users: container.get(port.users),
      accounts: container.get(service.accounts),
      documents: container.get(service.documents),
      webhooks: container.get(service.webhooks),
      migrate: async () => ({ applied }),
      doctor: () => examine(config, composition),
      close,
    };
  } catch (error) {
    // What stays open would keep the command from ending.
    await close().catch(() => {});
    throw error;
  }
};
