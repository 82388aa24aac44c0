import { ContainerModule } from 'inversify';
import { toolEndpoint } from '../../adapters/mcp/endpoint.ts';
import { conversationService } from '../../application/conversations/conversations.ts';
import { turnWorker } from '../../application/conversations/turn-worker.ts';
import { webSearchService } from '../../application/search/web-search.ts';
import { snapshotService } from '../../application/snapshots/snapshots.ts';
import { approvedCalls } from '../../application/tools/approved-calls.ts';
import { toolService } from '../../application/tools/tools.ts';
import { divider } from '../../application/turns/divider.ts';
import { fileReader } from '../../application/turns/file-reader.ts';
import { pagePictures } from '../../application/turns/page-pictures.ts';
import { readers } from '../../application/turns/readers.ts';
import { turn } from '../../application/turns/turn.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { version } from '../version.ts';
import { BlobStore } from './blobs.ts';
import { DocumentService, KeptPages, SourceFiles, StorageService } from './documents.ts';
import { Models, Outbound, RemoteTools, TextExtractor } from './outside.ts';
import {
  AgentRepository,
  BudgetRepository,
  ConnectionRepository,
  ConversationRepository,
  ConversationTurns,
  DatabaseRepository,
  Decisions,
  ProgramCalls,
  SnapshotRepository,
  UserRepository,
} from './postgres.ts';
import { approvalLinks, RunService, UploadService } from './runs.ts';
import { PageReader, SearchProvider } from './search.ts';
import { Clock, Ids, Log, SchemaValidator, Sealer } from './system.ts';
import { AgentService, ConnectionService, DatabaseService } from './workspace.ts';

export const WebSearchService = token(webSearchService);
const FileReader = token(fileReader);
export const ToolService = token(toolService);
export const ApprovedCalls = token(approvedCalls);
const Readers = token(readers);
export const Turn = token(turn);
export const FileDivider = token(divider);
export const ConversationService = token(conversationService);
export const TurnWorker = token(turnWorker);
export const SnapshotService = token(snapshotService);
export const ToolEndpoint = token(toolEndpoint);

/** Turns, the tools they use, and what is kept of conversations. */
export const conversations = new ContainerModule(({ bind }) => {
  bind(WebSearchService).toDynamicValue(({ get }) =>
    webSearchService({
      provider: get(SearchProvider),
      pages: get(PageReader),
      models: get(Models),
      ids: get(Ids),
      settings: get(Config),
    }),
  );
  bind(FileReader).toDynamicValue(({ get }) =>
    fileReader({ sources: get(SourceFiles), text: get(TextExtractor), keptPages: get(KeptPages) }),
  );
  bind(ToolService).toDynamicValue(({ get }) =>
    toolService({
      agents: get(AgentService),
      connections: get(ConnectionService),
      databases: get(DatabaseService),
      documents: get(DocumentService),
      runs: get(RunService),
      uploads: get(UploadService),
      webSearch: get(WebSearchService),
      outbound: get(Outbound),
      remote: get(RemoteTools),
      schemas: get(SchemaValidator),
      sealer: get(Sealer),
      clock: get(Clock),
      log: get(Log),
      settings: get(Config),
    }),
  );
  bind(ApprovedCalls).toDynamicValue(({ get }) =>
    approvedCalls({
      calls: get(ProgramCalls),
      tools: get(ToolService),
      ids: get(Ids),
      links: approvalLinks(get(Config)),
      settings: get(Config),
    }),
  );
  bind(Readers).toDynamicValue(({ get }) =>
    readers({ connections: get(ConnectionRepository), databases: get(DatabaseRepository) }),
  );
  bind(Turn).toDynamicValue(({ get }) =>
    turn({
      models: get(Models),
      files: get(FileReader),
      tools: get(ToolService),
      schemas: get(SchemaValidator),
      ids: get(Ids),
      clock: get(Clock),
      readers: get(Readers),
      settings: get(Config),
    }),
  );
  bind(FileDivider).toDynamicValue(({ get }) =>
    divider({
      models: get(Models),
      files: get(FileReader),
      pictures: pagePictures(get(KeptPages)),
      ids: get(Ids),
      clock: get(Clock),
    }),
  );
  bind(ConversationService).toDynamicValue(({ get }) =>
    conversationService({
      conversations: get(ConversationRepository),
      turns: get(ConversationTurns),
      agents: get(AgentRepository),
      users: get(UserRepository),
      budgets: get(BudgetRepository),
      readers: get(Readers),
      models: get(Models),
      turn: get(Turn),
      ids: get(Ids),
      clock: get(Clock),
      log: get(Log),
      links: approvalLinks(get(Config)),
      settings: get(Config),
    }),
  );
  bind(TurnWorker).toDynamicValue(({ get }) =>
    turnWorker({ conversations: get(ConversationService), decisions: get(Decisions), log: get(Log) }),
  );
  bind(SnapshotService).toDynamicValue(({ get }) =>
    snapshotService({
      conversations: get(ConversationRepository),
      snapshots: get(SnapshotRepository),
      storage: get(StorageService),
      blobs: get(BlobStore),
      ids: get(Ids),
    }),
  );
  bind(ToolEndpoint).toDynamicValue(({ get }) =>
    toolEndpoint({
      agents: get(AgentService),
      tools: get(ToolService),
      approvedCalls: get(ApprovedCalls),
      runs: get(RunService),
      schemas: get(SchemaValidator),
      log: get(Log),
      version,
      getStream: get(Config).mcpGetStream,
    }),
  );
});
