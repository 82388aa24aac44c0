import { ContainerModule } from 'inversify';
import { gatewayAt } from '../../adapters/outbound/gateway.ts';
import type { Database } from '../../adapters/postgres/connection/database.ts';
import { databaseExaminations } from '../../adapters/postgres/connection/examinations.ts';
import type { Replica } from '../../adapters/postgres/connection/replica.ts';
import { agentsWithTools } from '../../adapters/postgres/repositories/agent-repository.ts';
import { examineRedis } from '../../adapters/rate-limiter/redis-connection.ts';
import type { Check, Examination } from '../../application/ports/doctor.ts';
import type { IdentityProvider as Organisation } from '../../application/ports/identity-provider.ts';
import { doctorService, type FileStore, fileStoreExamination } from '../../application/upkeep/doctor.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import { token } from '../module.ts';
import { KeyService } from './access.ts';
import { BlobStore } from './blobs.ts';
import { ToolService } from './conversations.ts';
import { converterExamination, findConverter } from './converter.ts';
import { Connectors, IdentityProvider, Outbound, Sources } from './outside.ts';
import { AgentRepository, BudgetRepository, ConnectionRepository, SourceQueue, SourceRepository } from './postgres.ts';
import { Ids, Sealer } from './system.ts';
import { WebhookService } from './webhooks.ts';

export const DoctorService = token(doctorService);

const limits = async ({ redisUrl, redisPrefix }: Config): Promise<string> => {
  if (redisUrl === null) return 'counted in each process: for several processes set REDIS_URL';
  const milliseconds = await examineRedis(redisUrl, redisPrefix);
  return `counted in Redis, which answers in ${Math.round(milliseconds * 10) / 10} ms`;
};

const models = ({ openaiApiKey, openaiBaseUrl, anthropicApiKey }: Config): readonly Check[] => {
  const configured = (name: string): Check => ({ name, status: 'ok', detail: 'configured' });
  const missing = (name: string, key: string): Check => ({
    name,
    status: 'warn',
    detail: `not configured: set ${key}`,
  });
  const openai = 'models openai/…';
  const anthropic = 'models anthropic/…';
  return [
    configured('model offline'),
    openaiApiKey === null && openaiBaseUrl === null
      ? missing(openai, 'OPENAI_API_KEY or OPENAI_BASE_URL')
      : configured(openai),
    anthropicApiKey === null ? missing(anthropic, 'ANTHROPIC_API_KEY') : configured(anthropic),
  ];
};

/** The sign-in of the organisation, as far as it goes without a person; nothing where none is set. */
const signIn = ({ oidcIssuer: issuer }: Config, provider: Organisation | null): readonly Examination[] =>
  provider === null
    ? []
    : [
        {
          name: 'sign-in',
          examine: async () => {
            const keys = await provider.examine().catch((cause: unknown) => {
              throw new Error(`OIDC_ISSUER: ${issuer}: ${messageOf(cause)}`, { cause });
            });
            return `${issuer} describes itself, and publishes ${keys === 1 ? '1 key' : `${keys} keys`}`;
          },
        },
      ];

/** What tries each part for the operator. */
export const doctor = (
  config: Config,
  { database, replica }: { readonly database: Database; readonly replica: Replica | null },
  files: Pick<FileStore, 'name' | 'check'>,
) =>
  new ContainerModule(({ bind }) => {
    bind(DoctorService).toDynamicValue(({ get }) =>
      doctorService({
        parts: [
          ...databaseExaminations(database, config.databaseUrl === null),
          ...(replica === null ? [] : [{ name: 'replica', examine: replica.examine }]),
          fileStoreExamination({ ...files, blobs: get(BlobStore), ids: get(Ids) }),
          { name: 'limits', examine: () => limits(config) },
          ...signIn(config, get(IdentityProvider)),
          converterExamination(config, findConverter(config, get(Outbound))),
          { name: 'models', examine: async () => models(config) },
        ],
        connections: get(ConnectionRepository),
        connectors: get(Connectors),
        gateway: config.egressUrl === null ? null : gatewayAt(config.egressUrl),
        keys: get(KeyService),
        equippedAgents: () => agentsWithTools(database),
        agents: get(AgentRepository),
        tools: get(ToolService),
        webhooks: get(WebhookService),
        budgets: get(BudgetRepository),
        sources: get(SourceRepository),
        sourceTokens: get(SourceQueue),
        places: get(Sources),
        sealer: get(Sealer),
      }),
    );
  });
