import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const check = (tool: string) =>
  promisify(execFile)(process.execPath, [path.resolve(import.meta.dirname, '../tools', tool), '--check']);

describe('the README and the list of settings', () => {
  it('say of settings and operations what the program does', async () => {
    await check('readme.mjs');
  });
});

describe('the description of the workspace file', () => {
  it('says what the codecs take', async () => {
    await check('workspace.mjs');
  });
});

describe('the list of licences', () => {
  it('is up to date, and each of them is permissive', async () => {
    await check('licenses.mjs');
  });
});

describe('the list of bounds', () => {
  it('is what the code says', async () => {
    await check('guards.mjs');
  });
});
