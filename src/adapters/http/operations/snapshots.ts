import { MAX_SNAPSHOT_BYTES } from '../../../application/snapshots/snapshots.ts';
import { integer, text } from '../codecs.ts';
import { operation } from '../operation.ts';
import { exampleDownload, exampleUpload, snapshotDownload, snapshotUpload } from '../shapes/snapshot.ts';
import { about, verbatim, wire } from '../structures.ts';

const conversationId = about('The conversation.', text({ min: 1, max: 200 }));

const at = { path: '/sandbox-snapshots', tag: 'Sandbox snapshots', resource: 'sandbox_snapshots', access: 'api-key' } as const;

export const createSnapshot = operation({
  ...at,
  id: 'createSnapshot',
  method: 'post',
  summary: 'Create a sandbox snapshot',
  description:
    'Records a snapshot of a sandbox beside a conversation and answers where to upload it: `PUT` exactly `sizeBytes` bytes to `upload_url`, ' +
    'with the `headers`, within an hour. The properties of this request are in camelCase.',
  writes: true,
  body: verbatim({
    conversationId,
    sizeBytes: about('The size, which the URL is signed for.', integer({ min: 0, max: MAX_SNAPSHOT_BYTES })),
  }),
  example: { body: { conversationId: exampleUpload.conversationId, sizeBytes: exampleUpload.sizeBytes } },
  success: { description: 'Where to upload it.', data: snapshotUpload, example: exampleUpload },
  refuses: ['not_found'],
  handle: ({ snapshots }, { caller, body }) => snapshots.create(caller, body.conversationId, body.sizeBytes),
});

export const getSnapshot = operation({
  ...at,
  id: 'getSnapshot',
  method: 'get',
  summary: 'Get the newest sandbox snapshot',
  description: 'Where to download the newest snapshot of a conversation that was uploaded completely; null everywhere when there is none.',
  query: wire({ conversationId }),
  example: { query: { conversationId: exampleUpload.conversationId } },
  success: { description: 'The snapshot.', data: snapshotDownload, example: exampleDownload },
  handle: ({ snapshots }, { caller, query }) => snapshots.newest(caller, query.conversationId),
});
