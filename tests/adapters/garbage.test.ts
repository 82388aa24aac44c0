import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { aPlace } from '../support/here.ts';

const program = path.resolve(import.meta.dirname, '../support/collected-program.ts');

// What a long-lived object refers to survives young collections, and costs a full one: sets and functions written into objects do so.
describe('finished requests are collected by young collections', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let collected: Readonly<Record<string, number>>;

  before(async () => {
    place = await aPlace();
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program], {
      env: { ...process.env, ...place.settings },
    });
    collected = JSON.parse(stdout);
  });
  after(() => place?.remove());

  for (const what of ['one run', 'the list of runs', 'the creation of a run', 'a query', 'a tool call'])
    it(what, () => expect(collected[what]).to.be.above(0.9));
});
