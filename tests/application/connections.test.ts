import { expect } from 'chai';
import { connectionService } from '../../src/application/connections/connections.ts';
import type { HeldAct } from '../../src/application/ports/audit.ts';
import type { Connector, Connectors } from '../../src/application/ports/connectors.ts';
import type { ConnectionRepository } from '../../src/application/ports/storage.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { busy } from '../../src/domain/errors.ts';
import { refusal } from '../contracts/connector/suite.ts';
import { quiet } from '../support/log.ts';
import { aConnection } from '../support/sqlserver-harness.ts';

const caller: Caller = {
  userId: 'u',
  workspaceId: 'w',
  email: 'ada@example.com',
  role: 'member',
  credential: { id: 'k', kind: 'api_key' },
  door: 'api_key',
  signedInAt: null,
  scopes: null,
  boundToAgent: null,
};

const { signal } = new AbortController();

describe('records of a type of connection that takes no writes', () => {
  const connection = aConnection('mssql://nowhere');
  const connections = { findVisible: async () => connection } as Partial<ConnectionRepository> as ConnectionRepository;
  const readOnly = {} as Partial<Connector> as Connector;
  const connectors = { open: () => readOnly } as Partial<Connectors> as Connectors;
  /** What is refused before it begins is no act. */
  const noAct = async () => {
    throw new Error('It was noted.');
  };
  const audit = { hold: noAct, settle: noAct, drop: noAct };
  const service = connectionService({ connections, connectors, audit, log: quiet });
  const row = { entity: 'dbo.t', values: { id: 1 } };

  it('are neither inserted, updated nor rehearsed', async () => {
    for (const work of [
      service.insert(caller, connection.id, row, signal),
      service.update(caller, connection.id, { ...row, keyColumn: 'id', keyValue: 1 }, signal),
      service.rehearse(caller, connection.id, row, signal),
    ])
      expect(await refusal(work)).to.include({ kind: 'invalid', code: 'connection_read_only' });
  });
});

describe('a row that is written while the database of Portico is too busy to note that', () => {
  it('is answered as written, so that nobody writes it again, and stands in the audit log as unknown', async () => {
    const connection = aConnection('mssql://nowhere');
    const rows: unknown[] = [];
    const writer = {
      insert: async (_entity: string, values: unknown) => rows.push(values),
      update: async () => 1,
    };
    const writable = { writer } as Partial<Connector> as Connector;
    const called: string[] = [];
    const service = connectionService({
      connections: { findVisible: async () => connection } as Partial<ConnectionRepository> as ConnectionRepository,
      connectors: { open: () => writable } as Partial<Connectors> as Connectors,
      audit: {
        hold: async () => 1 as unknown as HeldAct,
        settle: () => Promise.reject(busy('The database has too much to do')),
        drop: async () => void called.push('drop'),
      },
      log: { ...quiet, error: (_fields, message) => void called.push(message) },
    });
    const row = { entity: 'dbo.t', values: { id: 1 } };
    expect(await service.insert(caller, connection.id, row, signal)).to.equal(1);
    expect(rows).to.deep.equal([{ id: 1 }]);
    expect(called).to.deep.equal(['a write stands in the audit log as unknown']);
  });
});
