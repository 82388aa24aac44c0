import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What the stand-ins of converters do with a document that has one of these words in it. */
export const PROGRAM = `#!/bin/sh
# Takes the arguments of soffice --convert-to pdf --outdir FOLDER FILE.
while [ $# -gt 1 ]; do
  case $1 in
    --outdir) out=$2 ;;
    -env:UserInstallation=file://*) profile=\${1#-env:UserInstallation=file://} ;;
  esac
  shift
done
has() { grep -q "$1" "$file"; }
file=$1
mkdir -p "$out"
has NOSY && cat "$profile/user/registrymodifications.xcu" > "$0.profile" && env > "$0.environment"
has SLOW && sleep 600
has CHILDREN && { marker=$(grep -o '[0-9]\\{9\\}' "$file"); setsid sleep "$marker" & sleep "\${marker}1"; }
# A careless program, which loads what a document links to.
has REMOTE && bash -c "exec 3<>/dev/tcp/127.0.0.1/$(grep -o '[0-9]\\{5\\}' "$file")"
# One that a document has taken over: it shows a file, and writes one.
has PEEK && { cat "$(sed 's/.*PEEK //; s/ .*//' "$file")" > "$out/document.pdf"; exit 0; }
has POKE && echo found > "$(sed 's/.*POKE //; s/ .*//' "$file")"
has CRASH && kill -SEGV $$
has HALF && { head -c 300 "$0.pdf" > "$out/document.pdf"; kill -KILL $$; }
has GROW && { all=$(head -c 3000000000 /dev/zero | tr '\\0' x); sleep 600; }
has LARGE && { head -c 9000000000 /dev/zero > "$out/document.pdf"; exit 0; }
has FLOOD && while :; do head -c 10000000 /dev/zero > "$out/$((count += 1))"; done
has LINK && { ln -s /etc/passwd "$out/document.pdf"; exit 0; }
has PLAIN && { echo 'no PDF' > "$out/document.pdf"; exit 0; }
# What it cannot load is no failure for soffice: it says so, and makes nothing.
has rtf1 && cp "$0.pdf" "$out/document.pdf"
exit 0
`;

/** A program that behaves on the command line as soffice does, and makes this PDF of every document. */
export const sofficeStandIn = async (pdf: Uint8Array) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stand-in-'));
  const program = path.join(folder, 'soffice');
  await writeFile(program, PROGRAM);
  await chmod(program, 0o755);
  await writeFile(`${program}.pdf`, pdf);
  return { program, folder, close: () => rm(folder, { recursive: true }) };
};
