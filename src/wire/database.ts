import * as t from 'io-ts';
import { connectionTypes } from '../domain/connection.ts';
import { about, component, list, nullable } from './kit/structures.ts';
import { boolean, integer, oneOf } from './kit/values.ts';

export const database = component('Database', { id: t.string, name: t.string, type: oneOf(...connectionTypes) });

const tableFields = {
  id: about(
    '`<database id>.<schema>.<table>`; within each part a byte outside `A-Za-z0-9_-` is written `~XX`.',
    t.string,
  ),
  name: t.string,
  schema: t.string,
  type: oneOf('table', 'view'),
};

export const table = component('Table', tableFields);

const columnFields = { name: t.string, dataType: about('The type’s name in the database.', t.string) };

export const column = component('Column', columnFields);

const columnDetail = component('ColumnDetail', {
  ...columnFields,
  nullable: boolean,
  primaryKey: boolean,
  position: integer({ min: 1 }),
  default: about('The default’s expression.', nullable(t.string)),
});

export const tableDetail = component('TableDetail', { ...tableFields, columns: list(columnDetail) });

export const exampleDatabase = { id: 'sales', name: 'Sales', type: 'postgresql' as const };

export const exampleTable = {
  id: 'sales.public.order_lines',
  name: 'order_lines',
  schema: 'public',
  type: 'table' as const,
};

export const exampleColumns = [
  { name: 'id', dataType: 'bigint', nullable: false, primaryKey: true, position: 1, default: null },
  { name: 'unit_price', dataType: 'numeric(12,2)', nullable: false, primaryKey: false, position: 2, default: '0' },
];
