import { type Caller, mustWrite } from '../../domain/caller.ts';
import { mustExist } from '../../domain/errors.ts';
import type { BlobStore, Presigned } from '../ports/blobs.ts';
import type { Ids } from '../ports/runtime.ts';
import type { Snapshot, SnapshotRepository } from '../ports/snapshots.ts';
import type { ConversationRepository } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';
import type { StorageService } from '../storage/storage.ts';

export const MAX_SNAPSHOT_BYTES = 5 * 1024 ** 3;
/** How long an address works that was handed out. */
const URL_LIFETIME_SECONDS = 3600;
/** An upload that begins within that time may take much longer: a snapshot waits for it as long as this. */
const AWAITED_SECONDS = 86_400;
/** The address of a snapshot may be signed a moment after it is replaced. */
const SUPERSEDED_SECONDS = 2 * URL_LIFETIME_SECONDS;
const REMOVED_AT_ONCE = 50;
const REQUESTS_AT_ONCE = 8;
const CONTENT_TYPE = 'application/octet-stream';

export interface SnapshotUpload extends Snapshot, Pick<Presigned, 'headers' | 'expiresAt'> {
  readonly uploadUrl: string;
}

export interface SnapshotDownload {
  readonly downloadUrl: string | null;
  readonly sizeBytes: number | null;
  readonly createdAt: Date | null;
  readonly expiresAt: Date | null;
}

interface Dependencies {
  readonly conversations: ConversationRepository;
  readonly snapshots: SnapshotRepository;
  readonly storage: Pick<StorageService, 'grant' | 'remove'>;
  readonly blobs: BlobStore;
  readonly ids: Ids;
}

export const snapshotKey = ({
  workspaceId,
  conversationId,
  id,
}: Pick<Snapshot, 'workspaceId' | 'conversationId' | 'id'>) => `snapshots/${workspaceId}/${conversationId}/${id}`;

const nothing: SnapshotDownload = { downloadUrl: null, sizeBytes: null, createdAt: null, expiresAt: null };

export const snapshotService = ({ conversations, snapshots, storage, blobs, ids }: Dependencies) => {
  const newestUploaded = async (conversationId: string): Promise<Snapshot | null> => {
    for await (const some of snapshots.candidates(conversationId)) {
      const sizes = await concurrently(some, REQUESTS_AT_ONCE, (each) => blobs.head(snapshotKey(each)));
      const snapshot = some.find(({ sizeBytes }, index) => sizes[index]?.size === sizeBytes);
      if (snapshot) return snapshot;
    }
    return null;
  };

  // By its row what is left of a removal that broke off is found again, so this goes last.
  const remove = async (snapshot: Snapshot) => {
    await blobs.remove(snapshotKey(snapshot));
    await storage.remove([snapshotKey(snapshot)]);
    await snapshots.remove(snapshot.id);
  };

  /** Answers whether it is gone. */
  const settle = async (snapshot: Snapshot): Promise<boolean> => {
    const isThere = (await blobs.head(snapshotKey(snapshot)))?.size === snapshot.sizeBytes;
    await (isThere ? snapshots.markUploaded(snapshot.id) : remove(snapshot));
    return !isThere;
  };

  return {
    /** Records a snapshot of exactly this size, and where to upload it. Refused if it is more than the user's share of what the workspace has left. */
    async create(caller: Caller, conversationId: string, sizeBytes: number): Promise<SnapshotUpload> {
      mustWrite(caller);
      const conversation = mustExist(await conversations.findVisible(caller, conversationId), 'conversation');
      const planned = {
        id: ids.next(),
        workspaceId: conversation.workspaceId,
        conversationId: conversation.id,
        userId: caller.userId,
      };
      const { workspaceId, userId } = planned;
      const objects = [{ key: snapshotKey(planned), bytes: sizeBytes }];
      // First, because by its row all is found again that a process leaves which ends before its answer.
      const snapshot = await snapshots.insert({ ...planned, sizeBytes });
      await storage
        .grant({ workspaceId, userId, kind: 'snapshot', seconds: URL_LIFETIME_SECONDS, objects })
        .catch(async (error: unknown) => {
          await snapshots.remove(snapshot.id);
          throw error;
        });
      const terms = { contentType: CONTENT_TYPE, size: sizeBytes, expiresInSeconds: URL_LIFETIME_SECONDS };
      const { url: uploadUrl, headers, expiresAt } = await blobs.presignPut(snapshotKey(planned), terms);
      return { ...snapshot, uploadUrl, headers, expiresAt };
    },

    /** The newest snapshot whose upload is there; nothing of a conversation that is unknown or not to be seen. */
    async newest(caller: Caller, conversationId: string): Promise<SnapshotDownload> {
      const conversation = await conversations.findVisible(caller, conversationId);
      const snapshot = conversation && (await newestUploaded(conversation.id));
      if (!snapshot) return nothing;
      await snapshots.markUploaded(snapshot.id);
      const { url: downloadUrl, expiresAt } = await blobs.presignGet(snapshotKey(snapshot), {
        expiresInSeconds: URL_LIFETIME_SECONDS,
      });
      return { downloadUrl, sizeBytes: snapshot.sizeBytes, createdAt: snapshot.createdAt, expiresAt };
    },

    /** Removes some snapshots that can never be served again, and those that were never uploaded; how many. */
    async removeUnused(): Promise<number> {
      const settled = await concurrently(
        await snapshots.awaited(AWAITED_SECONDS, REMOVED_AT_ONCE),
        REQUESTS_AT_ONCE,
        settle,
      );
      const superseded = await concurrently(
        await snapshots.superseded(SUPERSEDED_SECONDS, REMOVED_AT_ONCE),
        REQUESTS_AT_ONCE,
        remove,
      );
      return settled.filter((isGone) => isGone).length + superseded.length;
    },
  };
};

export type SnapshotService = ReturnType<typeof snapshotService>;
