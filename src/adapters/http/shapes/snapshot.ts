import * as t from 'io-ts';
import type { SnapshotDownload, SnapshotUpload } from '../../../application/snapshots/snapshots.ts';
import { MAX_SNAPSHOT_BYTES } from '../../../application/snapshots/snapshots.ts';
import { dateTime, integer, uri, uuid } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, map, nullable, wire } from '../structures.ts';
import { exampleConversation } from './thread.ts';

const sizeBytes = integer({ min: 0, max: MAX_SNAPSHOT_BYTES });

export const snapshotUpload = named(
  'SnapshotUpload',
  wire({
    id: uuid,
    conversationId: uuid,
    sizeBytes,
    uploadUrl: about('Takes a `PUT` of exactly `size_bytes` bytes.', uri),
    headers: about('Headers to send along, exactly.', map(t.string)),
    expiresAt: dateTime,
  }),
);

export const snapshotDownload = named(
  'SnapshotDownload',
  wire({ downloadUrl: nullable(uri), sizeBytes: nullable(sizeBytes), createdAt: nullable(dateTime), expiresAt: nullable(dateTime) }),
);

const expiresAt = new Date('2026-11-20T10:32:00.000Z');
const createdAt = new Date('2026-11-20T09:32:00.000Z');
const id = '01989c0e-65f2-7a1b-8c3d-888888888888';

export const exampleUpload: SnapshotUpload = {
  ...{ id, workspaceId: exampleConversation.workspaceId, conversationId: exampleConversation.id, userId: exampleConversation.userId },
  ...{ sizeBytes: 1_048_576, createdAt, expiresAt, headers: { 'Content-Type': 'application/octet-stream' } },
  uploadUrl: `https://portico.example.com/blobs/snapshots/${id}?expires=1795170720&signature=Zm9v`,
};

export const exampleDownload: SnapshotDownload = {
  ...{ sizeBytes: 1_048_576, createdAt, expiresAt },
  downloadUrl: `https://portico.example.com/blobs/snapshots/${id}?expires=1795170720&signature=YmFy`,
};
