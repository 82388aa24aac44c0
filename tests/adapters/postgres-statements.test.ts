import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { statements } from '../../src/adapters/postgres/database.ts';

const folder = path.resolve('src/adapters/postgres');

describe('the statements of the PostgreSQL adapter', () => {
  before(async () => {
    const modules = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
    await Promise.all(modules.map((name) => import(path.join(folder, name))));
  });

  // PostgreSQL 18 may use memory that it has freed (docs/decisions/the-event-log.md).
  it('none reads the log of events, which is partitioned, and locks or changes rows', () => {
    const readsLog = /\b(?:from|join|using)\s+events\b/i;
    const locksRows = /\b(?:update|delete|merge)\s|\bfor\s+(?:no\s+key\s+)?update\b|\bfor\s+(?:key\s+)?share\b/i;
    const readers = [...statements.values()].filter(({ text }) => readsLog.test(text));
    expect(readers.map(({ name }) => name)).to.include.members([
      'events_of_workspace',
      'webhook_deliveries_collect',
      'webhooks_find_expired',
    ]);
    expect(readers.filter(({ text }) => locksRows.test(text)).map(({ name }) => name)).to.deep.equal([]);
  });
});
