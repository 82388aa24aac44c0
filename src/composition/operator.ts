import type { Operator } from '../adapters/cli/dependencies.ts';
import { migrate } from '../adapters/postgres/connection/migrator.ts';
import { makeOwnDatabase } from '../adapters/postgres/connection/own-database.ts';
import { resealAll } from '../adapters/postgres/repositories/sealed-values.ts';
import type { Log } from '../application/ports/runtime.ts';
import { DomainError, messageOf } from '../domain/errors.ts';
import type { Config } from './config.ts';
import { composeForOperator } from './container.ts';
import { AccountService, AuditService, KeyService, OperatedPeople } from './modules/access.ts';
import { ToolService } from './modules/conversations.ts';
import { DoctorService } from './modules/doctor.ts';
import { DocumentService, OperatedHolds } from './modules/documents.ts';
import { encryptionKeysOf, resealing } from './modules/system.ts';
import { WebhookService } from './modules/webhooks.ts';
import { Erasures, Retention } from './modules/worker.ts';
import { WorkspaceService } from './modules/workspace.ts';

/** The use cases of the operator's commands, on the database and files of this configuration. */
export const openOperator = async (config: Config, log: Log): Promise<Operator> => {
  const composition = await composeForOperator(config, log);
  const { container, close } = composition;
  try {
    const applied = await migrate(composition.database);
    return {
      workspaces: container.get(WorkspaceService),
      tools: container.get(ToolService),
      keys: container.get(KeyService),
      people: container.get(OperatedPeople),
      accounts: container.get(AccountService),
      documents: container.get(DocumentService),
      holds: container.get(OperatedHolds),
      webhooks: container.get(WebhookService),
      audit: container.get(AuditService),
      retention: container.get(Retention),
      erasures: container.get(Erasures),
      migrate: async () => ({ applied }),
      makeDatabase: async (name, statements) => {
        if (config.databaseUrl !== null)
          throw new DomainError('invalid', 'DATABASE_URL is set: make a database of yours on that server instead.');
        return makeOwnDatabase(composition.database, composition.databaseUrl, name, statements);
      },
      reseal: async (skipLost) => {
        let lost = 0;
        const onLost = (cause: unknown) => {
          if (!skipLost)
            throw new DomainError(
              'conflict',
              `${messageOf(cause)} If that key is lost, "portico secrets reseal --skip-lost" leaves what it has sealed as it is.`,
              { cause },
            );
          lost += 1;
        };
        const resealed = await resealAll(composition.database, resealing(await encryptionKeysOf(config), onLost));
        return { resealed, lost };
      },
      doctor: container.get(DoctorService).examine,
      close,
    };
  } catch (error) {
    // What stays open would keep the command from ending.
    await close().catch(() => {});
    throw error;
  }
};
