import { expect } from 'chai';
import { connectionService } from '../../src/application/connections/connections.ts';
import type { Connector, Connectors } from '../../src/application/ports/connectors.ts';
import type { ConnectionRepository } from '../../src/application/ports/storage.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { refusal } from '../contracts/systems-of-record.ts';
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
  const service = connectionService({ connections, connectors, audit });
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
