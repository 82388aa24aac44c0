import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../domain/errors.ts';

const KEY_BYTES = 32;

const decoded = (text: string): Buffer | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const bytes = Buffer.from(standard, 'base64');
  return bytes.length === KEY_BYTES && bytes.toString('base64').replace(/=+$/, '') === standard ? bytes : null;
};

/** The key that `text` encodes; `source` names its origin in the error. */
export const parseEncryptionKey = (text: string, source = 'ENCRYPTION_KEY'): Uint8Array => {
  const key = decoded(text.trim());
  if (!key) {
    throw new Error(
      `${source} must be ${KEY_BYTES} bytes, as base64 or as 64 hexadecimal digits; \`openssl rand -base64 32\` makes one.`,
    );
  }
  return key;
};

/** The first seals, and all of them open. */
export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The keys of a list that is separated by commas. */
export const parseEncryptionKeys = (text: string): EncryptionKeys => {
  const [first = '', ...older] = text.split(',');
  return [parseEncryptionKey(first), ...older.map((each) => parseEncryptionKey(each))];
};

/** Without this, a power cut could lose the folder's entry of the key, and every secret that is sealed with it. */
const syncFolder = async (folder: string) => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Publishes a complete file by linking it, so that several processes agree on one key. */
const createKey = async (file: string) => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await handle.close();
    await unlink(draft);
  }
  await syncFolder(path.dirname(file));
};

/** The key of this data folder, made on first use and readable by its owner alone. */
export const loadEncryptionKey = async (dataDir: string): Promise<Uint8Array> => {
  const file = path.join(dataDir, 'encryption.key');
  const stored = () => readFile(file, 'utf8');
  const text = await stored().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    await createKey(file);
    return stored();
  });
  return parseEncryptionKey(text, file);
};
