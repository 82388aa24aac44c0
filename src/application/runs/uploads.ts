import type { Agent } from '../../domain/agent.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { type DomainError, invalid, type ValidationError } from '../../domain/errors.ts';
import type { Run, RunFile } from '../../domain/run.ts';
import type { AgentService } from '../agents/agents.ts';
import type { BlobStore, Presigned, StreamedContent } from '../ports/blobs.ts';
import type { Ids } from '../ports/runtime.ts';
import type { UploadRepository } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';
import type { StorageService } from '../storage/storage.ts';

const URL_LIFETIME_SECONDS = 3600;
const REQUESTS_AT_ONCE = 8;

export interface UploadUrl extends RunFile, Omit<Presigned, 'url'> {
  readonly uploadUrl: string;
}

/** A file that is to be uploaded. */
interface NewFile extends Omit<RunFile, 'fileKey'> {
  /** Its exact size; absent: it may have as many bytes as a file may have. */
  readonly sizeBytes?: number | undefined;
}

interface Dependencies {
  readonly agents: AgentService;
  readonly uploads: UploadRepository;
  readonly storage: Pick<StorageService, 'grant' | 'remove'>;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly limits: { readonly maxUploadBytes: number };
}

/** An upload that no run took for so long is removed. */
const UNUSED_HOURS = 24;
/** A request to start a run with an expired file is over by then. */
const EXPIRED_SECONDS = 3600;
const REMOVED_AT_ONCE = 50;

/** A run that names files which are removed meanwhile. */
export const expiredFiles = (files: readonly RunFile[], keys: readonly string[]): DomainError => {
  const message = `names a file that is removed, because no run took it within ${UNUSED_HOURS} hours: upload it again`;
  return invalid(
    ...files.flatMap(({ fileKey }, index) =>
      keys.includes(fileKey) ? [{ path: `files[${index}].file_key`, message }] : [],
    ),
  );
};

type Uploading = Pick<Agent, 'id' | 'workspaceId'>;

/** An object under this prefix can only have come through a URL that was issued to the workspace for the agent. */
const prefixOf = (agent: Uploading) => `uploads/${agent.workspaceId}/${agent.id}/`;

const keyPart = /^[0-9a-f-]{36}$/;

/** Refuses sizes that are declared and too large; every error at once. */
const mustFit = (files: readonly NewFile[], maxBytes: number) => {
  const message = `must be at most ${maxBytes}`;
  const errors = files.flatMap(({ sizeBytes = 0 }, index) =>
    sizeBytes > maxBytes ? [{ path: `files[${index}].size_bytes`, message }] : [],
  );
  if (errors.length > 0) throw invalid(...errors);
};

export const uploadService = ({ agents, uploads, storage, blobs, ids, limits }: Dependencies) => {
  const errorOf = async (agent: Uploading, { fileKey }: RunFile): Promise<string | null> => {
    const prefix = prefixOf(agent);
    if (!fileKey.startsWith(prefix) || !keyPart.test(fileKey.slice(prefix.length))) {
      return 'must be a key that was issued for an upload to this agent';
    }
    const object = await blobs.receive(fileKey);
    if (!object) return 'names a file that has not been uploaded: PUT it to its upload_url first';
    return object.size > limits.maxUploadBytes ? `names a file over ${limits.maxUploadBytes} bytes` : null;
  };

  /** Gives files their keys, if the workspace has room for them. */
  const keyed = async (
    caller: Caller,
    agentId: string,
    files: readonly NewFile[],
  ): Promise<readonly (NewFile & RunFile)[]> => {
    mustWrite(caller);
    const { maxUploadBytes: most } = limits;
    mustFit(files, most);
    const agent = await agents.get(caller, agentId);
    const issued = files.map((file) => ({ ...file, fileKey: prefixOf(agent) + ids.next() }));
    await storage.grant({
      workspaceId: agent.workspaceId,
      userId: caller.userId,
      kind: 'file',
      seconds: URL_LIFETIME_SECONDS,
      objects: issued.map(({ fileKey: key, sizeBytes: bytes = most }) => ({ key, bytes })),
    });
    return issued;
  };

  const removeObjects = (keys: readonly string[]) => concurrently(keys, REQUESTS_AT_ONCE, (key) => blobs.remove(key));

  return {
    /** One presigned URL for each file, in the same order. Refused if they are more than the user's share of what the workspace has left. */
    async createUrls(caller: Caller, agentId: string, files: readonly NewFile[]): Promise<readonly UploadUrl[]> {
      const signed = async ({ fileKey, fileName, contentType, sizeBytes }: NewFile & RunFile) => {
        const terms = { contentType, size: sizeBytes ?? null, expiresInSeconds: URL_LIFETIME_SECONDS, once: true };
        const { url, ...rest } = await blobs.presignPut(fileKey, terms);
        return { fileKey, fileName, contentType, uploadUrl: url, ...rest };
      };
      return Promise.all((await keyed(caller, agentId, files)).map(signed));
    },

    /** Uploads a file whose content is at hand, on the same terms. */
    async store(
      caller: Caller,
      agentId: string,
      file: Omit<RunFile, 'fileKey'>,
      content: Uint8Array,
    ): Promise<RunFile> {
      const [stored] = await keyed(caller, agentId, [{ ...file, sizeBytes: content.byteLength }]);
      if (!stored) throw new Error('No key was issued for the file.');
      const { fileKey, fileName, contentType } = stored;
      await blobs.write(fileKey, content, contentType);
      return { fileKey, fileName, contentType };
    },

    /** Stores what came to an agent by itself, in the share of the user whose run it becomes. */
    async receive(
      { workspaceId, agentId, userId }: Pick<Run, 'workspaceId' | 'agentId' | 'userId'>,
      file: Omit<RunFile, 'fileKey'>,
      content: StreamedContent,
    ): Promise<RunFile> {
      const key = prefixOf({ id: agentId, workspaceId }) + ids.next();
      const objects = [{ key, bytes: content.byteLength }];
      await storage.grant({ workspaceId, userId, kind: 'file', seconds: URL_LIFETIME_SECONDS, objects });
      await blobs.write(key, content, file.contentType);
      return { fileKey: key, fileName: file.fileName, contentType: file.contentType };
    },

    /** Refuses files whose key was not issued to this workspace for this agent, or whose object is not there; every error at once. */
    async mustBeThere(agent: Uploading, files: readonly RunFile[]): Promise<void> {
      const messages = await concurrently(files, REQUESTS_AT_ONCE, (file) => errorOf(agent, file));
      const errors = messages.flatMap((message, index): ValidationError[] =>
        message ? [{ path: `files[${index}].file_key`, message }] : [],
      );
      if (errors.length > 0) throw invalid(...errors);
    },

    /** Removes some uploads that no run took in time; how many. */
    async removeUnused(): Promise<number> {
      const unused = await uploads.expire(UNUSED_HOURS * 3600, REMOVED_AT_ONCE);
      await removeObjects(unused);
      // Once more, for a removal that broke off or an upload that came in late.
      const expired = await uploads.expired(EXPIRED_SECONDS, REMOVED_AT_ONCE);
      await removeObjects(expired);
      if (expired.length > 0) await storage.remove(expired);
      return unused.length;
    },
  };
};

export type UploadService = ReturnType<typeof uploadService>;
