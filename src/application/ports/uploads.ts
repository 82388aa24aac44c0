/** What a workspace may have uploaded, or be about to, that no run took yet. */
export interface UploadQuota {
  readonly bytes: number;
  readonly urls: number;
}

/** Uploads that were issued and that no run took yet. A run takes its files when it is stored. */
export interface UploadRepository {
  /** Records these keys, where the workspace is within its quota; else answers which part of it is used up. */
  issue(workspaceId: string, keys: readonly string[], quota: UploadQuota): Promise<'issued' | 'too many bytes' | 'too many URLs'>;
  /** Keys of the workspace whose objects may have changed since they were measured: `seconds` after its issue one no longer does. The least recently measured first, up to `most`. */
  unsettled(workspaceId: string, seconds: number, most: number): Promise<readonly string[]>;
  measured(sizes: ReadonlyMap<string, number>): Promise<void>;
  /** Expires some that were issued so many seconds ago: no run can take them any more. Their keys. */
  expire(seconds: number, most: number): Promise<readonly string[]>;
  /** Some that expired so many seconds ago. */
  expired(seconds: number, most: number): Promise<readonly string[]>;
  remove(keys: readonly string[]): Promise<void>;
}
