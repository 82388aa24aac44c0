import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Certified, certify } from './certificates.ts';
import { freePort } from './listen.ts';

const PASSWORD = 'opens@sesame';
const START_SECONDS = 30;
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

interface Options {
  /** Its extensions, if not those that it has by itself. */
  readonly capability?: string;
  /** Where it asks whether an access token is valid; the token is added at the end. */
  readonly introspectionUrl?: string;
}

/** A mail server of one's own, whose mailboxes are folders of files. */
export interface Dovecot {
  readonly ca: string;
  /** An authority that did not sign its certificate. */
  readonly stranger: string;
  readonly ports: { readonly imap: number; readonly imaps: number };
  /** The address of a mailbox of a user, as a workspace file has it. */
  url(user: string, mailbox?: string): string;
  /** Delivers mails as a mail transfer agent does; many at once for `INBOX`, as if they had been there for long. */
  deliver(user: string, mails: readonly (string | Uint8Array)[], mailbox?: string): Promise<void>;
  /** The mails of a mailbox, in no order, with their flags as letters. */
  mails(user: string, mailbox?: string): Promise<readonly { readonly text: string; readonly flags: string }[]>;
  /** Takes away the mails whose text has this in it. */
  take(user: string, part: string): Promise<void>;
  /** The server cannot read the mails whose text has this in it any more. */
  damage(user: string, part: string): Promise<void>;
  /** How many there are, without reading them. */
  count(user: string, mailbox?: string): Promise<number>;
  /** Forgets all that it knew of a mailbox: its mails have other UIDs under another UIDVALIDITY. Only while it is stopped. */
  forget(user: string, uidValidity: number): Promise<void>;
  /** Ends all of its processes at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const installed = (): Promise<string | null> =>
  promisify(execFile)('sh', ['-c', 'command -v dovecot || ls /usr/sbin/dovecot']).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );

const configOf = (folder: string, ports: Dovecot['ports'], { capability, introspectionUrl }: Options) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
protocols = imap
listen = 127.0.0.1
ssl = required
disable_plaintext_auth = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_location = maildir:${folder}/mail/%u
mail_fsync = never
mail_max_userip_connections = 1000
first_valid_uid = 1
first_valid_gid = 1
mailbox_list_index = no
auth_mechanisms = plain ${introspectionUrl === undefined ? '' : 'xoauth2 oauthbearer'}
${capability === undefined ? '' : `imap_capability = ${capability}`}
${introspectionUrl === undefined ? '' : `passdb {\n driver = oauth2\n mechanisms = xoauth2 oauthbearer\n args = ${folder}/oauth2.conf\n}`}
passdb {
  driver = static
  mechanisms = plain
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${folder}/home/%u
}
namespace inbox {
  inbox = yes
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service auth {
  user = nobody
}
service auth-worker {
  user = nobody
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
`;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', () => end(true)).once('error', () => end(false));
    socket.once('close', () => end(false)).setTimeout(2000, () => end(false));
  });

/** The Dovecot that this machine has installed (Debian's package dovecot-imapd), without rights; null where there is none. */
export const startDovecot = async (options: Options = {}): Promise<Dovecot | null> => {
  const [program, certified] = await Promise.all([installed(), certify('DNS:localhost,IP:127.0.0.1')]);
  if (program === null || certified === null) {
    await certified?.remove();
    return null;
  }
  return launch(program, certified, options);
};

const launch = async (program: string, certified: Certified, options: Options): Promise<Dovecot> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
  const own = async (file: string) => {
    if (isRoot) await chown(file, NOBODY, NOBODY);
  };
  const ownFolder = async (name: string) => {
    await mkdir(name, { recursive: true });
    await own(name);
  };
  const ports = { imap: await freePort(), imaps: await freePort() };
  await own(folder);
  await chmod(folder, 0o755);
  for (const name of ['run', 'mail', 'home']) await ownFolder(path.join(folder, name));
  const files = { 'cert.pem': certified.cert, 'key.pem': certified.key };
  for (const [name, from] of Object.entries(files)) {
    await copyFile(from, path.join(folder, name));
    await own(path.join(folder, name));
  }
  const config = path.join(folder, 'dovecot.conf');
  await writeFile(config, configOf(folder, ports, options));
  if (options.introspectionUrl !== undefined) {
    const lines = [
      `introspection_url = ${options.introspectionUrl}`,
      'introspection_mode = get',
      'active_attribute = active',
      'active_value = true',
      'username_attribute = username',
    ];
    await writeFile(path.join(folder, 'oauth2.conf'), `${lines.join('\n')}\n`);
  }

  const maildir = (user: string, mailbox: string) =>
    path.join(folder, 'mail', user, mailbox === 'INBOX' ? '' : `.${mailbox}`);
  const filesOf = async (user: string, mailbox: string) => {
    const folders = ['new', 'cur'].map((name) => path.join(maildir(user, mailbox), name));
    const names = await Promise.all(folders.map(async (name) => readdir(name).catch(() => [])));
    return names.flatMap((list, index) => list.map((name) => path.join(folders[index] ?? '', name)));
  };
  let delivered = 0;
  let running: { readonly pid: number; readonly ended: Promise<unknown> } | null = null;

  const kill = async () => {
    if (running === null) return;
    const { pid, ended } = running;
    running = null;
    process.kill(-pid, 'SIGKILL');
    await ended;
  };
  const start = async () => {
    const rights = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawn(program, ['-F', '-c', config], { ...rights, cwd: folder, stdio: 'ignore', detached: true });
    running = { pid: child.pid ?? 0, ended: once(child, 'exit') };
    for (const giveUp = Date.now() + START_SECONDS * 1000; !(await answers(ports.imap)); await sleep(50)) {
      if (child.exitCode === null && Date.now() < giveUp) continue;
      const log = await readFile(path.join(folder, 'log'), 'utf8').catch(() => '');
      throw new Error(`dovecot did not start: ${log.slice(-2000)}`);
    }
  };
  const stop = async () => {
    await kill();
    await Promise.all([rm(folder, { recursive: true, force: true, maxRetries: 5 }), certified.remove()]);
  };

  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ca: certified.ca,
    stranger: certified.stranger,
    ports,
    url: (user, mailbox = 'INBOX') =>
      `imaps://${encodeURIComponent(user)}:${encodeURIComponent(PASSWORD)}@localhost:${ports.imaps}/${encodeURIComponent(mailbox)}`,
    async deliver(user, mails, mailbox = 'INBOX') {
      const at = maildir(user, mailbox);
      for (const name of ['', 'tmp', 'new', 'cur']) await ownFolder(path.join(at, name));
      for (const mail of mails) {
        delivered += 1;
        const name = `${1_700_000_000 + delivered}.M${delivered}.test`;
        await writeFile(path.join(at, 'tmp', name), mail);
        await own(path.join(at, 'tmp', name));
        await rename(path.join(at, 'tmp', name), path.join(at, 'new', name));
      }
    },
    async mails(user, mailbox = 'INBOX') {
      const found = await filesOf(user, mailbox);
      return Promise.all(
        found.map(async (file) => ({ text: await readFile(file, 'utf8'), flags: /:2,(.*)$/.exec(file)?.[1] ?? '' })),
      );
    },
    async take(user, part) {
      for (const file of await filesOf(user, 'INBOX'))
        if ((await readFile(file, 'utf8')).includes(part)) await rm(file);
    },
    async damage(user, part) {
      for (const file of await filesOf(user, 'INBOX'))
        if ((await readFile(file, 'utf8')).includes(part)) await chmod(file, 0);
    },
    count: async (user, mailbox = 'INBOX') => (await filesOf(user, mailbox)).length,
    async forget(user, uidValidity) {
      const at = maildir(user, 'INBOX');
      for (const name of await readdir(at)) if (name.startsWith('dovecot')) await rm(path.join(at, name));
      // Its form is: version, the next validity and UID; the mails that it does not list get UIDs by their names.
      await writeFile(path.join(at, 'dovecot-uidlist'), `3 V${uidValidity} N1 G00000000000000000000000000000000\n`);
      await own(path.join(at, 'dovecot-uidlist'));
    },
    kill,
    start,
    stop,
  };
};
