/** Encryption at rest (AES-256-GCM) of what Portico must be able to read again. */
export interface Sealer {
  seal(plain: string): string;
  /** Throws a plain Error if the text was sealed with another ENCRYPTION_KEY or was changed. */
  open(sealed: string): string;
}

/** API keys: `svc-` and 40 base62 characters, the last six a CRC-32 checksum of the ones before them. */
export interface ApiKeys {
  /** A new key, and the SHA-256 (hexadecimal) by which it is stored. */
  generate(): { readonly key: string; readonly hash: string };
  /** The hash to look up, or null if the text cannot be a key. */
  hashOf(text: string): string | null;
}
