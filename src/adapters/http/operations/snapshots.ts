import * as t from 'io-ts';
import {
  MAX_SNAPSHOT_BYTES,
  type SnapshotDownload,
  type SnapshotUpload,
} from '../../../application/snapshots/snapshots.ts';
import { exampleId } from '../../../wire/example.ts';
import { about, component, map, nullable, verbatim, wire } from '../../../wire/kit/structures.ts';
import { dateTime, integer, text, uri, uuid } from '../../../wire/kit/values.ts';
import { exampleConversation } from '../../../wire/thread.ts';
import { operation, REPEATABLE } from '../operation.ts';

const sizeBytes = integer({ min: 0, max: MAX_SNAPSHOT_BYTES });

const snapshotUpload = component('SnapshotUpload', {
  id: uuid,
  conversationId: uuid,
  sizeBytes,
  uploadUrl: about('Takes a `PUT` of exactly `size_bytes` bytes.', uri),
  headers: about('Send exactly these headers with it.', map(t.string)),
  expiresAt: dateTime,
});

const snapshotDownload = component('SnapshotDownload', {
  downloadUrl: nullable(uri),
  sizeBytes: nullable(sizeBytes),
  createdAt: nullable(dateTime),
  expiresAt: nullable(dateTime),
});

const expiresAt = new Date('2026-11-20T10:32:00.000Z');
const createdAt = new Date('2026-11-20T09:32:00.000Z');
const id = exampleId(8);

export const exampleUpload: SnapshotUpload = {
  id,
  workspaceId: exampleConversation.workspaceId,
  conversationId: exampleConversation.id,
  userId: exampleConversation.userId,
  sizeBytes: 1_048_576,
  createdAt,
  expiresAt,
  headers: { 'Content-Type': 'application/octet-stream' },
  uploadUrl: `https://portico.example.com/blobs/snapshots/${id}?expires=1795170720&signature=Zm9v`,
};

export const exampleDownload: SnapshotDownload = {
  sizeBytes: 1_048_576,
  createdAt,
  expiresAt,
  downloadUrl: `https://portico.example.com/blobs/snapshots/${id}?expires=1795170720&signature=YmFy`,
};

const conversationId = about('The conversation.', text({ min: 1, max: 200 }));

const at = {
  path: '/sandbox-snapshots',
  tag: 'Sandbox snapshots',
  resource: 'sandbox_snapshots',
  access: 'api-key',
} as const;

export const createSnapshot = operation({
  id: 'createSnapshot',
  method: 'post',
  ...at,
  writes: true,
  specified: true,
  idempotent: REPEATABLE,
  summary: 'Create a sandbox snapshot',
  description:
    'Records a snapshot of a sandbox with a conversation and returns where to upload it: `PUT` exactly `sizeBytes` bytes to `upload_url`, ' +
    'with the `headers`, within an hour. The properties of this request are in camelCase.',
  body: verbatim({
    conversationId,
    sizeBytes: about('The exact size of the upload.', integer({ min: 0, max: MAX_SNAPSHOT_BYTES })),
  }),
  example: { body: { conversationId: exampleUpload.conversationId, sizeBytes: exampleUpload.sizeBytes } },
  success: { description: 'Where to upload it.', data: snapshotUpload, example: exampleUpload },
  refuses: ['upload_quota_exceeded', 'not_found'],
  handle: ({ snapshots }, { caller, body }) => snapshots.create(caller, body.conversationId, body.sizeBytes),
});

export const getSnapshot = operation({
  id: 'getSnapshot',
  method: 'get',
  ...at,
  summary: 'Get the newest sandbox snapshot',
  description:
    'Where to download the newest complete snapshot of a conversation; every property is null if there is none.',
  query: wire({ conversationId }),
  example: { query: { conversationId: exampleUpload.conversationId } },
  success: { description: 'The snapshot.', data: snapshotDownload, example: exampleDownload },
  handle: ({ snapshots }, { caller, query }) => snapshots.newest(caller, query.conversationId),
});
