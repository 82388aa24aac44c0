import * as t from 'io-ts';
import type { ShownDocument } from '../../../application/ports/storage.ts';
import { dateTime, integer, oneOf, uuid } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, map, nullable, wire } from '../structures.ts';
import { exampleFile } from './file.ts';
import { documentStatus, exampleRun, version } from './run.ts';

const evidence = named('Evidence', wire({ quote: t.string, fileName: t.string, page: nullable(integer({ min: 1 })) }));

const head = { id: uuid, runId: uuid, agentId: uuid, ...version, conversationId: uuid, name: t.string, status: documentStatus };
const rest = {
  evidence: about('JSON Pointer of a value → the verbatim quote that has it.', map(evidence)),
  error: nullable(t.string),
  externalReference: about('The row in the system of record, in the form of that system.', nullable(t.string)),
  createdAt: dateTime,
  updatedAt: dateTime,
  processedAt: nullable(dateTime),
};

export const document = named(
  'Document',
  wire({
    ...head,
    documentData: about('Valid against the agent’s schema once the status is `ready`; null before that.', nullable(t.UnknownRecord)),
    ...rest,
  }),
);

/** The document in an event of a webhook. It has no data: the receiver reads that with a credential. */
export const documentEvent = named('DocumentEvent', wire({ ...head, ...rest }));

export const trashed = named('TrashedDocument', wire({ id: uuid, status: oneOf('trashed') }));

export const exampleDocument: ShownDocument = {
  id: '01989c0e-65f2-7a1b-8c3d-666666666666',
  workspaceId: exampleRun.workspaceId,
  runId: exampleRun.id,
  agentId: exampleRun.agentId,
  agentVersion: exampleRun.agentVersion,
  model: exampleRun.model,
  conversationId: '01989c0e-65f2-7a1b-8c3d-555555555555',
  name: exampleFile.fileName,
  status: 'ready',
  documentData: { invoice_number: '4711', supplier: 'Meyer & Söhne', total: 1190.5, currency: 'EUR' },
  evidence: {
    '/invoice_number': { quote: 'Invoice no. 4711', fileName: exampleFile.fileName, page: 1 },
    '/total': { quote: 'Total 1,190.50 EUR', fileName: exampleFile.fileName, page: 2 },
  },
  error: null,
  externalReference: null,
  fence: 0,
  leaseExpiresAt: null,
  trashedFrom: null,
  createdAt: new Date('2026-11-20T09:30:00.150Z'),
  updatedAt: new Date('2026-11-20T09:30:04.790Z'),
  processedAt: null,
};
