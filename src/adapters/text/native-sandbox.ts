import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The command that starts the program that follows it, which may write in this folder alone. */
export type Sandbox = (folder: string) => readonly string[];

/** What programs need of the system. Data, homes and keys of a server stand elsewhere. */
const SYSTEM = [
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/share',
  '/usr/local/share/fonts',
  '/nix/store',
  '/gnu/store',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/libreoffice',
  '/etc/localtime',
  '/var/cache/fontconfig',
  '/var/lib/libreoffice',
  '/var/spool/libreoffice',
];

/**
 * Makes a root in which the places before `--` can be read and the folder can be written, and lets go of the old one. The program has no
 * right to undo it, also if it runs as the system's root. It does not take the place of this shell: the first process of a namespace
 * does not die of its own signals.
 */
const BOX = `
set -e
PATH=\${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin
folder=$1; root=$1/root; shift
mkdir "$root"
mount -t tmpfs none "$root"
mkdir "$root/proc" "$root/tmp" "$root/old"
mount -t proc -o ro,nosuid,nodev,noexec none "$root/proc"
mount -t tmpfs -o size=1m,nosuid,nodev none "$root/tmp"
show() {
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}"; : > "$root$1"; fi
  mount "$2" "$1" "$root$1"
}
while [ "$1" != -- ]; do
  if [ -L "$1" ]; then
    mkdir -p "$root\${1%/*}"
    cp -P "$1" "$root$1"
  elif [ -e "$1" ]; then
    show "$1" --rbind
    mount -o remount,bind,ro,nosuid,nodev "$root$1"
  fi
  shift
done
shift
for device in null zero random urandom; do show "/dev/$device" --bind; done
show "$folder" --bind
cd "$root"
pivot_root . old
umount -l /old
mount -o remount,bind,ro /
cd "$folder"
set +e
setpriv --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
exit $?`;

/** The folder that a program needs beside itself: that of LibreOffice has its programs in `program`. */
const homeOf = (program: string): string => {
  const folder = path.dirname(realpathSync(program));
  return path.basename(folder) === 'program' ? path.dirname(folder) : folder;
};

const isWithin = (folder: string, place: string) => `${folder}/`.startsWith(`${place}/`);

const probes = new Map<string, boolean>();

/** Whether it starts a program; only the first time is it tried. */
const works = (sandbox: Sandbox, name: string): boolean => {
  const known = probes.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(path.join(tmpdir(), 'portico-sandbox-'));
  const [command = '', ...args] = sandbox(folder);
  const { status } = spawnSync(command, [...args, 'true'], { env: {} });
  rmSync(folder, { recursive: true });
  probes.set(name, status === 0);
  return status === 0;
};

/**
 * For a program that is not ours: it reaches no network, sees no process but its own and no file but those of the system and of its folder,
 * and with it ends all that it started. null where the system does not allow that.
 */
export const nativeSandbox = (program: string): Sandbox | null => {
  if (process.platform !== 'linux') return null;
  // A namespace of users gives the right to make the others; root has it already.
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const home = homeOf(program);
  const places = SYSTEM.some((place) => isWithin(home, place)) ? SYSTEM : [...SYSTEM, home];
  const sandbox: Sandbox = (folder) => [
    'unshare',
    ...user,
    '--net',
    '--ipc',
    '--pid',
    '--mount',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    BOX,
    'sh',
    folder,
    ...places,
    '--',
  ];
  return works(sandbox, home) ? sandbox : null;
};
