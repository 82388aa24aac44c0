import { OWN, TABLES } from './catalogue.ts';
import { quoteName } from './column-sql.ts';
import { reasonOf, rejectionOf } from './errors.ts';
import { ExaminationFailure, type Found, ok, skipped, warn } from './found.ts';
import type { Row, Run } from './session.ts';

interface Listed extends Row {
  readonly schema_name: string;
  readonly table_name: string;
  readonly readable: number | null;
  readonly writable: number | null;
}

/** What a login may do in the database that it is in. */
export interface Permissions {
  readonly tables: readonly Listed[];
  readonly creates: boolean;
  readonly administers: boolean;
}

const may = (permission: string) => `has_perms_by_name(quotename(s.name) + N'.' + quotename(o.name), N'OBJECT', N'${permission}')`;

const tables = `
select s.name as schema_name, o.name as table_name, ${may('SELECT')} as readable,
       case when ${may('INSERT')} = 1 or ${may('UPDATE')} = 1 or ${may('DELETE')} = 1 then 1 else 0 end as writable
from ${TABLES}
where ${OWN}
order by o.is_view, s.name, o.name`;

const powers = `
select has_perms_by_name(db_name(), N'DATABASE', N'CREATE TABLE') as creates, is_srvrolemember(N'sysadmin') as administers`;

export const permissions = async (query: Run): Promise<Permissions> => {
  const listed = await query<Listed>({ text: tables, parameters: [] });
  const [power] = await query<Row>({ text: powers, parameters: [] });
  return { tables: listed, creates: power?.creates === 1, administers: power?.administers === 1 };
};

const tablesText = (count: number) => `${count} ${count === 1 ? 'table' : 'tables'}`;

export const mayRead = ({ tables: listed }: Permissions): Found => {
  const count = listed.filter(({ readable }) => readable === 1).length;
  if (count === 0) throw new ExaminationFailure('The login may read no table.');
  return ok(`The login may read ${tablesText(count)}.`);
};

export const sample = async ({ tables: listed }: Permissions, query: Run): Promise<Found> => {
  const table = listed.find(({ readable }) => readable === 1);
  if (!table) return skipped('There is no table to read.');
  const name = `${table.schema_name}.${table.table_name}`;
  const text = `select top (1) 1 as found from ${quoteName(table.schema_name)}.${quoteName(table.table_name)}`;
  await query({ text, parameters: [] }).catch((error: unknown) => {
    const rejection = rejectionOf(error);
    throw rejection ? new ExaminationFailure(`${name} cannot be read: ${reasonOf(rejection)}`) : error;
  });
  return ok(`${name} was read.`);
};

export const mayWrite = ({ tables: listed, creates, administers }: Permissions): Found => {
  const writable = listed.filter((table) => table.writable === 1).length;
  const reasons = [
    ...(administers ? ['is a member of sysadmin'] : []),
    ...(writable > 0 ? [`may write ${tablesText(writable)}`] : []),
    ...(creates ? ['may create tables'] : []),
  ];
  return reasons.length === 0
    ? ok('The login may write nothing.')
    : warn(`The login ${reasons.join(', ')}: where nothing is to be written, one that may only read is safer.`);
};
