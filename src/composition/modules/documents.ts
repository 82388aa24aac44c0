import { availableParallelism } from 'node:os';
import { ContainerModule } from 'inversify';
import { approvals } from '../../application/documents/approvals.ts';
import { documentBatches } from '../../application/documents/batch.ts';
import { documentFiles } from '../../application/documents/document-files.ts';
import { documentService } from '../../application/documents/documents.ts';
import { documentFindings } from '../../application/documents/findings.ts';
import { operatedHolds } from '../../application/documents/operated-holds.ts';
import { documentPosting } from '../../application/documents/posting.ts';
import { postingRules } from '../../application/documents/posting-rules.ts';
import { visibleDocuments } from '../../application/documents/visible-documents.ts';
import { keptPages } from '../../application/files/kept-pages.ts';
import { sourceFiles } from '../../application/files/source-files.ts';
import { storageService } from '../../application/storage/storage.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { Presence } from './access.ts';
import { BlobStore } from './blobs.ts';
import { CheckEngine, Connectors, PageImages, TextExtractor } from './outside.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  AuditLog,
  ConnectionRepository,
  DocumentChanges,
  DocumentRepository,
  HoldRepository,
  KeyBackfills,
  PostingQueue,
  RunRepository,
  SourceFileRepository,
  StoredObjects,
  UserRepository,
} from './postgres.ts';
import { JsonPatches, Log, SchemaValidator } from './system.ts';

export const StorageService = token(storageService);
export const SourceFiles = token(sourceFiles);
export const KeptPages = token(keptPages);
export const DocumentFindings = token(documentFindings);
const Approvals = token(approvals);
export const PostingRules = token(postingRules);
export const VisibleDocuments = token(visibleDocuments);
export const DocumentPosting = token(documentPosting);
export const DocumentService = token(documentService);
export const OperatedHolds = token(operatedHolds);
export const DocumentBatches = token(documentBatches);
export const DocumentFiles = token(documentFiles);

/** Documents, and the files they were read from. */
export const documents = new ContainerModule(({ bind }) => {
  bind(StorageService).toDynamicValue(({ get }) =>
    storageService({ objects: get(StoredObjects), blobs: get(BlobStore), limits: get(Config) }),
  );
  bind(SourceFiles).toDynamicValue(({ get }) =>
    sourceFiles({ blobs: get(BlobStore), sources: get(SourceFileRepository) }),
  );
  bind(KeptPages).toDynamicValue(({ get }) =>
    keptPages({
      blobs: get(BlobStore),
      sources: get(SourceFiles),
      storage: get(StorageService),
      images: get(PageImages),
      text: get(TextExtractor),
      log: get(Log),
      // Each drawing takes a core, so that half of them stay for the rest.
      settings: { drawings: Math.max(1, Math.floor(availableParallelism() / 2)) },
    }),
  );
  bind(DocumentFindings).toDynamicValue(({ get }) =>
    documentFindings({ checks: get(CheckEngine), documents: get(DocumentRepository) }),
  );
  bind(Approvals).toDynamicValue(({ get }) => {
    const settings = get(Config);
    const links = { document: (id: string) => `${settings.baseUrl}/console/documents/${id}` };
    return approvals({ documents: get(DocumentRepository), isPresent: get(Presence), links, settings });
  });
  bind(PostingRules).toDynamicValue(({ get }) =>
    postingRules({
      documents: get(DocumentRepository),
      findings: get(DocumentFindings),
      keyBackfills: get(KeyBackfills),
    }),
  );
  bind(VisibleDocuments).toDynamicValue(({ get }) =>
    visibleDocuments({ documents: get(DocumentRepository), versions: get(AgentVersionRepository) }),
  );
  bind(DocumentPosting).toDynamicValue(({ get }) =>
    documentPosting({
      visible: get(VisibleDocuments),
      documents: get(DocumentRepository),
      queue: get(PostingQueue),
      agents: get(AgentRepository),
      versions: get(AgentVersionRepository),
      postingRules: get(PostingRules),
      connections: get(ConnectionRepository),
      connectors: get(Connectors),
      changes: get(DocumentChanges),
      audit: get(AuditLog),
      log: get(Log),
    }),
  );
  bind(DocumentService).toDynamicValue(({ get }) =>
    documentService({
      visible: get(VisibleDocuments),
      documents: get(DocumentRepository),
      agents: get(AgentRepository),
      runs: get(RunRepository),
      users: get(UserRepository),
      findings: get(DocumentFindings),
      approvals: get(Approvals),
      posting: get(DocumentPosting),
      audit: get(AuditLog),
      patches: get(JsonPatches),
      schemas: get(SchemaValidator),
    }),
  );
  bind(OperatedHolds).toDynamicValue(({ get }) =>
    operatedHolds({ holds: get(HoldRepository), visible: get(VisibleDocuments) }),
  );
  bind(DocumentBatches).toDynamicValue(({ get }) => documentBatches(get(DocumentService), get(Log)));
  bind(DocumentFiles).toDynamicValue(({ get }) =>
    documentFiles({
      documents: get(DocumentService),
      runs: get(RunRepository),
      blobs: get(BlobStore),
      sources: get(SourceFiles),
      keptPages: get(KeptPages),
      audit: get(AuditLog),
    }),
  );
});
