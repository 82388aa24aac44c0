import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The certificates in a file, in PEM form; null if it cannot be read or holds none. It is small, and read once, when a pool is opened. */
export const authoritiesIn = (file: string): string | null => {
  try {
    const text = readFileSync(file, 'utf8');
    return new X509Certificate(text) && text;
  } catch {
    return null;
  }
};
