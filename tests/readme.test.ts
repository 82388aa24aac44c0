import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

describe('the README', () => {
  it('says of settings and operations what the program does', async () => {
    await promisify(execFile)(process.execPath, [path.resolve(import.meta.dirname, '../tools/readme.mjs'), '--check']);
  });
});
