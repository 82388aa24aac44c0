import { type Fault, invalid } from '../domain/errors.ts';
import type { RunFile } from '../domain/run.ts';
import type { AgentService } from './agents.ts';
import { inBatches } from './batches.ts';
import { type Caller, mustWrite } from './caller.ts';
import type { BlobStore } from './ports/blobs.ts';
import type { Ids } from './ports/runtime.ts';

const URL_LIFETIME_SECONDS = 3600;
const LOOK_UPS_AT_ONCE = 8;

export interface UploadUrl extends RunFile {
  readonly uploadUrl: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

export interface UploadService {
  /** One presigned URL for each file, in the same order. */
  createUrls(caller: Caller, agentId: string, files: readonly { fileName: string; contentType: string }[]): Promise<readonly UploadUrl[]>;
  /** Refuses files whose key was not issued to this workspace for this agent, or whose object is not there; every fault at once. */
  mustBeThere(agent: { id: string; workspaceId: string }, files: readonly RunFile[]): Promise<void>;
}

interface Dependencies {
  readonly agents: AgentService;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly limits: { readonly maxUploadBytes: number };
}

/** An object under this prefix can only have come through a URL that was issued to the workspace for the agent. */
const prefixOf = (agent: { id: string; workspaceId: string }) => `uploads/${agent.workspaceId}/${agent.id}/`;

const keyPart = /^[0-9a-f-]{36}$/;

export const uploadService = ({ agents, blobs, ids, limits }: Dependencies): UploadService => {
  const faultOf = async (agent: { id: string; workspaceId: string }, { fileKey }: RunFile): Promise<string | null> => {
    const prefix = prefixOf(agent);
    if (!fileKey.startsWith(prefix) || !keyPart.test(fileKey.slice(prefix.length))) {
      return 'must be a key that create-upload-urls issued for this agent';
    }
    const object = await blobs.head(fileKey);
    if (!object) return 'names a file that has not been uploaded: PUT it to its upload_url first';
    return object.size > limits.maxUploadBytes ? `names a file over ${limits.maxUploadBytes} bytes` : null;
  };

  return {
    async createUrls(caller, agentId, files) {
      mustWrite(caller);
      const agent = await agents.get(caller, agentId);
      return Promise.all(
        files.map(async ({ fileName, contentType }) => {
          const fileKey = prefixOf(agent) + ids.next();
          const signed = await blobs.presignPut(fileKey, { contentType, size: null, expiresInSeconds: URL_LIFETIME_SECONDS });
          const { url: uploadUrl, method, headers, expiresAt } = signed;
          return { fileKey, fileName, contentType, uploadUrl, method, headers, expiresAt };
        }),
      );
    },

    async mustBeThere(agent, files) {
      const messages = await inBatches(files, LOOK_UPS_AT_ONCE, (file) => faultOf(agent, file));
      const faults = messages.flatMap((message, index): Fault[] => (message ? [{ path: `body.files[${index}].file_key`, message }] : []));
      if (faults.length > 0) throw invalid(...faults);
    },
  };
};
