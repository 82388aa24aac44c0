import * as t from 'io-ts';
import { type Connection, connectionTypes, systemTypes } from '../domain/connection.ts';
import { isNumber, type JsonNumber } from '../domain/json-number.ts';
import { exampleId } from './example.ts';
import { named } from './kit/codec.ts';
import { about, component, map, nullable } from './kit/structures.ts';
import { integer, oneOf, scalar, uuid } from './kit/values.ts';
import { exampleRun } from './run.ts';

type Cell = string | boolean | JsonNumber | null;

const isKey = (value: unknown): value is string | JsonNumber => typeof value === 'string' || isNumber(value);
const isCell = (value: unknown): value is Cell => value === null || typeof value === 'boolean' || isKey(value);

/** The new value of a column. */
export const cell = scalar({
  expected: 'a string, a number, a boolean or null',
  read: (value) => (isCell(value) ? value : undefined),
  schema: { type: ['string', 'number', 'boolean', 'null'] },
});

/** The value that identifies a row. */
export const keyValue = scalar({
  expected: 'a string or a number',
  read: (value) => (isKey(value) ? value : undefined),
  schema: { type: ['string', 'number'] },
});

const typesAbout = connectionTypes
  .map(
    (type) =>
      `\`${type}\`: ${systemTypes[type].label}, with ${systemTypes[type].writes ? 'reads and writes' : 'reads only'}.`,
  )
  .join(' ');

export const connection = component('Connection', {
  id: uuid,
  type: about(typesAbout, oneOf(...connectionTypes)),
  name: t.string,
});

export const entity = component('Entity', {
  identifier: about('`schema.table`: the `entity_id` of its records.', t.string),
  label: about('The name in title case.', t.string),
});

/** A row as the database has it: numbers with every digit, binary as base64, times in ISO 8601. */
export const record = named('ConnectionRecord', map(t.unknown));

export const rowsAffected = component('RowsAffected', { rowsAffected: integer({ min: 0 }) });

export const rehearsedWrite = component('RehearsedWrite', {
  rowsAffected: about('As the write itself would answer.', integer({ min: 0 })),
  rejected: about('What it would be refused with; null if it would be done.', nullable(t.string)),
});

const at = new Date('2026-11-01T08:00:00.000Z');

export const exampleConnection: Connection = {
  id: exampleId(7),
  workspaceId: exampleRun.workspaceId,
  name: 'erp',
  type: 'sqlserver',
  sealedUrl: '',
  visibleTo: null,
  createdAt: at,
  updatedAt: at,
};

export const exampleEntity = { identifier: 'sales.order_lines', label: 'Order Lines' };

export const exampleRecord = {
  id: 17,
  item: 'Kraft carrier bag',
  quantity: 12,
  unit_price: 38.95,
  ordered_at: '2026-10-28T09:15:00+00:00',
};
