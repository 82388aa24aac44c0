import type { Document } from '../../src/domain/document.ts';
import { anId, unreviewed } from './builders.ts';
import type { TestPostgres } from './postgres.ts';

const created = new Date('2026-01-01T00:00:00.000Z');

export const aDocument = (over: Partial<Document>): Document => ({
  id: anId(),
  workspaceId: anId(),
  runId: anId(),
  agentId: anId(),
  conversationId: anId(),
  name: 'a.pdf',
  status: 'ready',
  documentData: { total: 1 },
  evidence: {},
  coverage: null,
  ...unreviewed,
  error: null,
  externalReference: null,
  fence: 0,
  leaseExpiresAt: null,
  trashedFrom: null,
  createdAt: created,
  updatedAt: created,
  processedAt: null,
  ...over,
});

/** Stores a document and its conversation, straight into the tables. */
export const storeDocument = async ({ database: { pool } }: TestPostgres, document: Document, userId: string) => {
  await pool.query(
    `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($1, $2, $3, $4, $5, 'idle')`,
    [document.conversationId, document.workspaceId, document.agentId, document.runId, userId],
  );
  const columns = Object.keys(document).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const values = Object.entries(document).map(([name, value]) =>
    /^(documentData|evidence|contradictions|checks|reviewReasons)$/.test(name) ? JSON.stringify(value) : value,
  );
  await pool.query(`insert into documents (${columns}) values (${columns.map((_, index) => `$${index + 1}`)})`, values);
};
