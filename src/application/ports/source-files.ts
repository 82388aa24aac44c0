/** What was first read of a file. */
export interface SourceFile {
  /** In hexadecimal. */
  readonly sha256: string;
  /** Of the object, when its bytes were last compared. */
  readonly version: string;
}

export interface SourceFileRepository {
  find(key: string): Promise<SourceFile | null>;
  /** Remembers what was read, unless something was read before; false if that was something else. */
  remember(key: string, read: SourceFile): Promise<boolean>;
}
