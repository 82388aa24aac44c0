import { API, accessOf, type Operation } from './operation.ts';
import { createKey, listGrants, listKeys, revokeGrant, revokeKey, rotateKey } from './operations/account.ts';
import { getAgentVersion, listAgentVersions, publishAgentVersion } from './operations/agent-versions.ts';
import { createUploadUrls, listAgents, listAgentTools } from './operations/agents.ts';
import { decideApproval, getApproval, listApprovals } from './operations/approvals.ts';
import { exportAudit, listAudit } from './operations/audit.ts';
import { batchDocuments } from './operations/batch.ts';
import {
  insertRecord,
  listConnections,
  listEntities,
  listRecords,
  rehearseRecord,
  updateRecord,
} from './operations/connections.ts';
import { getSchema, listDatabases, listTables, readTable, runQuery } from './operations/databases.ts';
import { listDeliveries, listDeliveryAttempts, listWebhooks, redeliver } from './operations/deliveries.ts';
import { getIndex, whoAmI } from './operations/discovery.ts';
import {
  getDocumentEInvoice,
  getDocumentFileText,
  getDocumentPage,
  getDocumentPageWords,
  listDocumentFiles,
} from './operations/document-files.ts';
import {
  deleteDocument,
  exportDocuments,
  getDocument,
  listDocuments,
  processDocument,
  rehearseDocument,
  restoreDocument,
} from './operations/documents.ts';
import { erase, listErasures } from './operations/erasures.ts';
import { listEvents, listRunEvents } from './operations/events.ts';
import { holdDocument, releaseDocument } from './operations/holds.ts';
import { addUser, changeUser, inviteUser, listUsers } from './operations/people.ts';
import { correctDocument, listRevisions, reviewDocument } from './operations/reviews.ts';
import { getRunPage, listRunFiles } from './operations/run-files.ts';
import { changeParts } from './operations/run-parts.ts';
import { cancelRun, createRun, getRun, listRuns, rereadDocument } from './operations/runs.ts';
import { searchWeb } from './operations/search.ts';
import { createSnapshot, getSnapshot } from './operations/snapshots.ts';
import { checkSource, listIntake, listSources } from './operations/sources.ts';
import { continueThread, getThread } from './operations/threads.ts';
import { getUsage, listBudgets } from './operations/usage.ts';
import { countWork, dismissRun, listFailedRuns } from './operations/work.ts';

/** The whole API, in the order of the documentation. Routes, checks, descriptions and tests all read this list. */
export const operations: readonly Operation[] = [
  getIndex,
  whoAmI,
  listAgents,
  listAgentTools,
  listAgentVersions,
  getAgentVersion,
  publishAgentVersion,
  createUploadUrls,
  createRun,
  listRuns,
  getRun,
  listRunFiles,
  getRunPage,
  changeParts,
  cancelRun,
  dismissRun,
  countWork,
  listFailedRuns,
  getUsage,
  listBudgets,
  listEvents,
  listRunEvents,
  listWebhooks,
  listDeliveries,
  listDeliveryAttempts,
  redeliver,
  listSources,
  listIntake,
  checkSource,
  listDocuments,
  exportDocuments,
  batchDocuments,
  getDocument,
  processDocument,
  rehearseDocument,
  deleteDocument,
  restoreDocument,
  rereadDocument,
  holdDocument,
  releaseDocument,
  listDocumentFiles,
  getDocumentPage,
  getDocumentPageWords,
  getDocumentFileText,
  getDocumentEInvoice,
  correctDocument,
  reviewDocument,
  listRevisions,
  listApprovals,
  getApproval,
  decideApproval,
  listConnections,
  listEntities,
  listRecords,
  updateRecord,
  insertRecord,
  rehearseRecord,
  listDatabases,
  listTables,
  getSchema,
  readTable,
  runQuery,
  searchWeb,
  getThread,
  continueThread,
  createSnapshot,
  getSnapshot,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
  listGrants,
  revokeGrant,
  listUsers,
  addUser,
  changeUser,
  inviteUser,
  listAudit,
  exportAudit,
  erase,
  listErasures,
];

/** The rows of the README's table of operations. */
export const operationRows = () =>
  operations.map((op) => ({
    method: op.method.toUpperCase(),
    path: `${API}${op.path}`,
    summary: op.summary,
    access: accessOf(op),
  }));
