import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SetAside, Spool } from '../../application/ports/sources.ts';

const CHUNK_BYTES = 256 * 1024;

/** Sets bytes aside in files that have no name any more: whatever ends the process, nothing of them stays. */
export const temporaryFiles = (folder = tmpdir()): Spool => ({
  async setAside(chunks, mostBytes): Promise<SetAside | null> {
    const name = path.join(folder, `portico-intake-${randomUUID()}`);
    const file = await open(name, 'wx+', 0o600);
    try {
      await rm(name);
      const digest = createHash('sha256');
      let byteLength = 0;
      for await (const chunk of chunks) {
        byteLength += chunk.byteLength;
        if (byteLength > mostBytes) {
          await file.close();
          return null;
        }
        digest.update(chunk);
        await file.writeFile(chunk);
      }
      return {
        digest: digest.digest('hex'),
        byteLength,
        read: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES }),
        dispose: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  },
});
