import type { Agent } from '../../domain/agent.ts';
import { DomainError, invalid, type ValidationError } from '../../domain/errors.ts';
import type { RunFile } from '../../domain/run.ts';
import { type Caller, mustWrite } from '../access/caller.ts';
import type { AgentService } from '../agents/agents.ts';
import { concurrently } from '../async.ts';
import { arrivalKey, type BlobStore, type Presigned } from '../ports/blobs.ts';
import type { Ids } from '../ports/runtime.ts';
import type { UploadRepository } from '../ports/storage.ts';

const URL_LIFETIME_SECONDS = 3600;
/** A PUT that began before its URL expired may still be under way: after this long none is. */
const CHANGEABLE_SECONDS = 2 * URL_LIFETIME_SECONDS;
const REQUESTS_AT_ONCE = 8;
/** What may still change is measured again after so long. */
const MEASURED_SECONDS = 30;
const MEASURED_AT_ONCE = 64;

export interface UploadUrl extends RunFile, Omit<Presigned, 'url'> {
  readonly uploadUrl: string;
}

interface UploadLimits {
  readonly maxUploadBytes: number;
  readonly workspaceUploadBytes: number;
  readonly workspaceUploadUrls: number;
}

interface Dependencies {
  readonly agents: AgentService;
  readonly uploads: UploadRepository;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly limits: UploadLimits;
}

/** An upload that no run took for so long is removed. */
const UNUSED_HOURS = 24;
/** A request to start a run with an expired file is over by then. */
const EXPIRED_SECONDS = 3600;
const REMOVED_AT_ONCE = 50;

/** A run that names files which are removed meanwhile. */
export const expiredFiles = (files: readonly RunFile[], keys: readonly string[]): DomainError => {
  const message = `names a file that is removed, because no run took it within ${UNUSED_HOURS} hours: upload it again`;
  return invalid(...files.flatMap(({ fileKey }, index) => (keys.includes(fileKey) ? [{ path: `files[${index}].fileKey`, message }] : [])));
};

type Uploading = Pick<Agent, 'id' | 'workspaceId'>;

/** An object under this prefix can only have come through a URL that was issued to the workspace for the agent. */
const prefixOf = (agent: Uploading) => `uploads/${agent.workspaceId}/${agent.id}/`;

const keyPart = /^[0-9a-f-]{36}$/;

export const uploadService = ({ agents, uploads, blobs, ids, limits }: Dependencies) => {
  const errorOf = async (agent: Uploading, { fileKey }: RunFile): Promise<string | null> => {
    const prefix = prefixOf(agent);
    if (!fileKey.startsWith(prefix) || !keyPart.test(fileKey.slice(prefix.length))) {
      return 'must be a key that was issued for an upload to this agent';
    }
    const object = await blobs.receive(fileKey);
    if (!object) return 'names a file that has not been uploaded: PUT it to its upload_url first';
    return object.size > limits.maxUploadBytes ? `names a file over ${limits.maxUploadBytes} bytes` : null;
  };

  const issue = async (workspaceId: string, keys: readonly string[]) => {
    const { workspaceUploadBytes: bytes, workspaceUploadUrls: urls } = limits;
    const outcome = await uploads.issue(workspaceId, keys, { bytes, urls });
    if (outcome === 'issued') return;
    const excess = outcome === 'too many bytes' ? `files of ${bytes} bytes` : `${urls} upload URLs`;
    throw new DomainError(
      'invalid',
      `The workspace may have at most ${excess} that no run took. Start runs with them, or try again when they expire: ${UNUSED_HOURS} hours after their URLs were made.`,
      { code: 'upload_quota_exceeded' },
    );
  };

  const keyed = async (caller: Caller, agentId: string, files: readonly Omit<RunFile, 'fileKey'>[]): Promise<readonly RunFile[]> => {
    mustWrite(caller);
    const agent = await agents.get(caller, agentId);
    const issued = files.map((file) => ({ ...file, fileKey: prefixOf(agent) + ids.next() }));
    await issue(
      agent.workspaceId,
      issued.map(({ fileKey }) => fileKey),
    );
    return issued;
  };

  const removeObjects = (keys: readonly string[]) => concurrently(keys, REQUESTS_AT_ONCE, (key) => blobs.remove(key));

  return {
    /** One presigned URL for each file, in the same order. Refused if what the workspace has uploaded and not used is at its quota. */
    async createUrls(caller: Caller, agentId: string, files: readonly Omit<RunFile, 'fileKey'>[]): Promise<readonly UploadUrl[]> {
      const terms = { size: null, expiresInSeconds: URL_LIFETIME_SECONDS, once: true };
      const signed = async ({ fileKey, fileName, contentType }: RunFile) => {
        const { url, ...rest } = await blobs.presignPut(fileKey, { ...terms, contentType });
        return { fileKey, fileName, contentType, uploadUrl: url, ...rest };
      };
      return Promise.all((await keyed(caller, agentId, files)).map(signed));
    },

    /** Uploads a file whose content is at hand, on the same terms. */
    async store(caller: Caller, agentId: string, file: Omit<RunFile, 'fileKey'>, content: Uint8Array): Promise<RunFile> {
      const [stored] = await keyed(caller, agentId, [file]);
      if (!stored) throw new Error('No key was issued for the file.');
      await blobs.write(stored.fileKey, content, stored.contentType);
      return stored;
    },

    /** Refuses files whose key was not issued to this workspace for this agent, or whose object is not there; every error at once. */
    async mustBeThere(agent: Uploading, files: readonly RunFile[]): Promise<void> {
      const messages = await concurrently(files, REQUESTS_AT_ONCE, (file) => errorOf(agent, file));
      const errors = messages.flatMap((message, index): ValidationError[] =>
        message ? [{ path: `files[${index}].fileKey`, message }] : [],
      );
      if (errors.length > 0) throw invalid(...errors);
    },

    /** Learns the sizes of some uploads, which the store does not report when they arrive. While the store is out of reach, the last sizes hold. */
    async measure(): Promise<void> {
      const keys = await uploads.unmeasured({ changeableSeconds: CHANGEABLE_SECONDS, everySeconds: MEASURED_SECONDS }, MEASURED_AT_ONCE);
      const sizeOf = async (key: string) => {
        const { own, beside } = await blobs.weigh(key);
        return [key, own + beside] as const;
      };
      const sizes = await concurrently(keys, REQUESTS_AT_ONCE, sizeOf).catch((error: unknown) => {
        if (error instanceof DomainError && error.kind === 'unavailable') return [];
        throw error;
      });
      if (sizes.length > 0) await uploads.measured(new Map(sizes));
    },

    /** Removes some uploads that no run took in time, and what arrived for files after a run took them; how many of the first. */
    async removeUnused(): Promise<number> {
      const unused = await uploads.expire(UNUSED_HOURS * 3600, REMOVED_AT_ONCE);
      await removeObjects(unused);
      // Once more, for a removal that broke off or an upload that came in late.
      const expired = await uploads.expired(EXPIRED_SECONDS, REMOVED_AT_ONCE);
      await removeObjects(expired);
      if (expired.length > 0) await uploads.remove(expired);
      const taken = await uploads.taken(CHANGEABLE_SECONDS, REMOVED_AT_ONCE);
      await concurrently(taken, REQUESTS_AT_ONCE, (key) => blobs.remove(arrivalKey(key)));
      if (taken.length > 0) await uploads.remove(taken);
      return unused.length;
    },
  };
};

export type UploadService = ReturnType<typeof uploadService>;
