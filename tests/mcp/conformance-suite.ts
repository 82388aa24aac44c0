import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen } from '../support/listen.ts';

/** The official suite as its registry names it: the stable release, and the one that knows the newest revision of the protocol. */
const programs = {
  stable: '@modelcontextprotocol/conformance/dist/index.js',
  next: 'conformance-next/dist/index.js',
} as const;

export interface Verdict {
  /** 0: everything passed that is not in the baseline, and everything in the baseline still fails. */
  readonly code: number | null;
  readonly output: string;
}

const PATIENCE_MS = 150_000;

/** What is wrong by the suite's files of results, which it writes if it is called with `--output-dir .`. */
const reasonsIn = async (folder: string): Promise<readonly string[]> => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.match(/"errorMessage": .+/g) ?? []);
};

/** Runs the suite's own program, in an empty folder. `onOutput` gets the whole output so far whenever there is more. */
export const conformance = async (
  release: keyof typeof programs,
  args: readonly string[],
  { onOutput, signal }: { readonly onOutput?: (output: string) => void; readonly signal?: AbortSignal } = {},
): Promise<Verdict> => {
  const program = fileURLToPath(new URL(`../../node_modules/${programs[release]}`, import.meta.url));
  const cwd = await mkdtemp(`${tmpdir()}/portico-conformance-`);
  try {
    const env = { ...process.env, NO_COLOR: '1' };
    const options = { cwd, env, timeout: PATIENCE_MS, ...(signal && { signal }) };
    const child = spawn(process.execPath, [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      onOutput?.(output);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    return { code, output: [output, ...(await reasonsIn(cwd))].join('\n') };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
};

/** The suite sends no credentials: this adds one, and leaves the rest of each request as it came, its Host and Origin too. */
export const withKey = (server: () => { readonly baseUrl: string; readonly key: string }) =>
  listen((asked, answer) => {
    const { baseUrl, key } = server();
    const { hostname, port } = new URL(baseUrl);
    const { method = 'GET', url: path = '/' } = asked;
    const passed = request({ hostname, port, path, method, headers: { ...asked.headers, 'x-api-key': key } }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.rawHeaders);
      got.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
