import { ContainerModule } from 'inversify';
import { gatewayAt } from '../../adapters/outbound/gateway.ts';
import type { Database } from '../../adapters/postgres/connection/database.ts';
import { databaseExaminations } from '../../adapters/postgres/connection/examinations.ts';
import { agentsWithTools } from '../../adapters/postgres/repositories/agent-repository.ts';
import { examineRedis } from '../../adapters/rate-limiter/redis-connection.ts';
import { convertedEndings, onlyConvertedEndings } from '../../adapters/text/detect-format.ts';
import type { Converter } from '../../application/ports/converter.ts';
import type { Check } from '../../application/ports/doctor.ts';
import { deadline } from '../../application/shared/async.ts';
import { doctorService, type FileStore, fileStoreExamination } from '../../application/upkeep/doctor.ts';
import type { Config } from '../config.ts';
import { token } from '../module.ts';
import { KeyService } from './access.ts';
import { BlobStore } from './blobs.ts';
import { ToolService } from './conversations.ts';
import { Connectors, converterOf, Outbound } from './outside.ts';
import { AgentRepository, ConnectionRepository } from './postgres.ts';
import { Ids } from './system.ts';
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
  const [openai, anthropic] = ['models openai/…', 'models anthropic/…'];
  return [
    configured('model offline'),
    openaiApiKey === null && openaiBaseUrl === null
      ? missing(openai, 'OPENAI_API_KEY or OPENAI_BASE_URL')
      : configured(openai),
    anthropicApiKey === null ? missing(anthropic, 'ANTHROPIC_API_KEY') : configured(anthropic),
  ];
};

const dotted = (endings: readonly string[]) => endings.map((ending) => `.${ending}`).join(' ');

/** One page, by the converter itself. */
const converter = async (found: Converter | null, { converterTimeoutSeconds }: Config): Promise<string> => {
  if (found === null) {
    const read = convertedEndings.filter((ending) => !onlyConvertedEndings.includes(ending));
    return `none: ${dotted(read)} are read as text, and ${dotted(onlyConvertedEndings)} are refused. Install LibreOffice (soffice on the PATH) or set CONVERTER_URL, and all of them have pages`;
  }
  const since = performance.now();
  const data = new TextEncoder().encode('{\\rtf1 Portico\\par}');
  await found.convert({ extension: 'rtf', data }, deadline(converterTimeoutSeconds));
  const took = Math.round((performance.now() - since) / 100) / 10;
  return `${found.name}: a page was converted in ${took} s; ${dotted(convertedEndings)} have pages`;
};

/** What tries each part for the operator. */
export const doctor = (config: Config, database: Database, files: Pick<FileStore, 'name' | 'check'>) =>
  new ContainerModule(({ bind }) => {
    bind(DoctorService).toDynamicValue(({ get }) =>
      doctorService({
        parts: [
          ...databaseExaminations(database, config.databaseUrl === null),
          fileStoreExamination({ ...files, blobs: get(BlobStore), ids: get(Ids) }),
          { name: 'limits', examine: () => limits(config) },
          { name: 'converter', examine: () => converter(converterOf(config, get(Outbound)), config) },
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
      }),
    );
  });
