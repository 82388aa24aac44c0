import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certified {
  /** Files in PEM form: the authority's certificate, and the server's certificate and key. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** An authority that signed nothing here. */
  readonly stranger: string;
  remove(): Promise<void>;
}

const subject = (name: string) => ['-subj', `/CN=${name}`];
/** Made at once, where a key of RSA takes a part of a second. */
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate for these names (`DNS:localhost,IP:127.0.0.1`), signed by an authority of its own; null where there is no openssl. */
export const certify = async (names: string): Promise<Certified | null> => {
  if (!(await run('openssl', ['version']).catch(() => null))) return null;
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-tls-'));
  const file = (name: string) => path.join(folder, name);
  const authority = async (name: string) => {
    const own = ['-x509', ...newKey, '-days', '2', '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    await run('openssl', ['req', ...own, ...subject(name)]);
    return file(`${name}.pem`);
  };
  const [ca, stranger] = [await authority('ca'), await authority('stranger')];
  const [key, cert, request, extensions] = ['server.key', 'server.pem', 'server.csr', 'server.ext'].map(file) as [
    string,
    string,
    string,
    string,
  ];
  await writeFile(extensions, `subjectAltName=${names}\n`);
  await run('openssl', ['req', ...newKey, '-keyout', key, '-out', request, ...subject('server')]);
  const signed = ['-CA', ca, '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', extensions];
  await run('openssl', ['x509', '-req', '-in', request, '-out', cert, ...signed]);
  return { ca, cert, key, stranger, remove: () => rm(folder, { recursive: true, force: true }) };
};
