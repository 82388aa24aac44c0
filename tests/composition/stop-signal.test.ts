import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

const module = path.resolve(import.meta.dirname, '../../src/composition/stop-signal.ts');

/** A program of these lines, with the function at hand; resolves once it is ready. */
const run = async (lines: string) => {
  const code = `import { onStopSignal } from ${JSON.stringify(module)}; ${lines}; setInterval(() => {}, 1000); console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, ended };
};

/** A program that was just asked to stop, listens no longer, and ends with 3 after this time. */
const stopping = async (milliseconds: number) => {
  const program = await run(`
    const leave = onStopSignal(() => {
      leave();
      setTimeout(() => process.exit(3), ${milliseconds});
      console.log('stopping');
    })
  `);
  program.child.kill('SIGINT');
  await once(program.child.stdout, 'data');
  return program;
};

describe('signals to stop', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`are one request where ${signal} follows at once`, async () => {
      const { child, ended } = await stopping(300);
      child.kill(signal);
      expect(await ended).to.deep.equal([3, null]);
    });

    it(`end the process where ${signal} follows later`, async () => {
      const { child, ended } = await stopping(60_000);
      await sleep(1100);
      child.kill(signal);
      expect(await ended).to.deep.equal([130, null]);
    });
  }

  it('do what they do by default where nobody listens any more and none had come', async () => {
    const { child, ended } = await run('onStopSignal(() => {})()');
    child.kill('SIGINT');
    expect(await ended).to.deep.equal([null, 'SIGINT']);
  });
});
