import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compileCache } from '../tools/compile-cache.mjs';

const root = path.resolve(import.meta.dirname, '..');
const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };

const bench = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['bench/main.ts', ...args], { cwd: root, env, maxBuffer: 10_000_000 });

const partsOf = async (): Promise<readonly string[]> => {
  const refused = await bench('nonsense').catch((error: { readonly code: number; readonly stderr: string }) => error);
  return /The parts are: (.+)\./.exec(refused.stderr)?.[1]?.split(', ') ?? [];
};

describe('the benchmark', () => {
  it('runs each of its parts on a small scale, and each prints figures', async function () {
    this.timeout(600_000);
    const parts = await partsOf();
    expect(parts).to.include.members(['requests', 'scale', 'reading']);
    const { stdout } = await bench('--small');
    const printed = new Map(
      [...stdout.matchAll(/^== (\S+) ==$([\s\S]*?)(?=^== |$(?![\s\S]))/gm)].map(([, name, text]) => [name, text]),
    );
    expect([...printed.keys()]).to.deep.equal(parts);
    for (const [name, text = ''] of printed) {
      expect(text, name).to.match(/\d+ ms|\d+\.\d\d/);
      expect(text, name).not.to.match(/NaN|undefined|Infinity/);
    }
  });
});
