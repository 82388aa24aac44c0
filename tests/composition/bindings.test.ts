import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/composition/config.ts';
import { composeForOperator } from '../../src/composition/container.ts';
import { aPlace } from '../support/here.ts';
import { quiet } from '../support/log.ts';

const folder = path.resolve(import.meta.dirname, '../../src/composition/modules');

/** Every identifier that a module of the composition exports. */
const identifiers = async () => {
  const files = await readdir(folder);
  const modules = await Promise.all(files.map((file) => import(path.join(folder, file)) as Promise<object>));
  const exported = modules.flatMap((module) => Object.entries<unknown>({ ...module }));
  return exported.filter((entry): entry is [string, symbol] => typeof entry[1] === 'symbol');
};

// The compiler checks what is bound to an identifier, and cannot see whether something is.
describe('the bindings', () => {
  it('have one value for every identifier that a module exports', async () => {
    const place = await aPlace();
    const { container, close } = await composeForOperator(readConfig(place.settings), quiet);
    try {
      const all = await identifiers();
      expect(all).to.have.length.above(80);
      for (const [name, identifier] of all) {
        const value = container.get<unknown>(identifier);
        expect(value, name).to.not.equal(undefined);
        expect(container.get<unknown>(identifier), `${name}, asked for again`).to.equal(value);
      }
    } finally {
      await close();
      await place.remove();
    }
  });
});
