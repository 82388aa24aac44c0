import * as t from 'io-ts';
import type { Entity } from '../../../application/connections/connections.ts';
import type { Connection } from '../../../domain/connection.ts';
import { connectionTypes } from '../../../domain/connection.ts';
import { integer, oneOf, uuid } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, map, wire } from '../structures.ts';
import { exampleRun } from './run.ts';

export const connection = named(
  'Connection',
  wire({ id: uuid, type: about('`sqlserver` takes reads and writes, `postgresql` reads.', oneOf(...connectionTypes)), name: t.string }),
);

export const entity = named(
  'Entity',
  wire({
    identifier: about('`schema.table`: the `entity_id` of its records.', t.string),
    label: about('The name, in title-cased words.', t.string),
  }),
);

/** A row as the database has it: numbers with every digit, binary as base64, times in ISO 8601. */
export const record = named('Record', map(t.unknown));

export const rowsAffected = named('RowsAffected', wire({ rowsAffected: integer({ min: 0 }) }));

const at = new Date('2026-11-01T08:00:00.000Z');

export const exampleConnection: Connection = {
  id: '01989c0e-65f2-7a1b-8c3d-777777777777',
  workspaceId: exampleRun.workspaceId,
  name: 'erp',
  type: 'sqlserver',
  sealedUrl: '',
  visibleTo: null,
  createdAt: at,
  updatedAt: at,
};

export const exampleEntity: Entity = { identifier: 'sales.order_lines', label: 'Order Lines' };

export const exampleRecord = {
  id: 17,
  item: 'Kraft carrier bag',
  quantity: 12,
  unit_price: 38.95,
  ordered_at: '2026-10-28T09:15:00+00:00',
};
