import type { Operator } from '../adapters/cli/dependencies.ts';
import { migrate } from '../adapters/postgres/migrator.ts';
import type { Log } from '../application/ports/runtime.ts';
import { valuesOf } from './binding.ts';
import type { Config } from './config.ts';
import { composeForOperator } from './container.ts';
import { examine } from './doctor.ts';
import { port, service } from './tokens.ts';

/** The use cases of the operator's commands, on the database and files of this configuration. */
export const openOperator = async (config: Config, log: Log): Promise<Operator> => {
  const composition = await composeForOperator(config, log);
  const { container, close } = composition;
  const { workspaces, tools, keys, accounts, documents, webhooks } = service;
  try {
    const applied = await migrate(composition.database);
    return {
      ...valuesOf(container, { workspaces, tools, keys, users: port.users, accounts, documents, webhooks }),
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
