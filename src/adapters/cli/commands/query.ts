import type { Command } from 'commander';
import { type Context, type Json, resultCommand, withClient } from '../command.ts';

const shown = (value: unknown): string => {
  if (value === null) return '-';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

export const queryCommand = (program: Command, context: Context) => {
  const { terminal } = context;
  const lines = ['portico query sales "select item, sum(quantity) from order_lines group by item"'];
  resultCommand(program, 'query <database> <sql>', 'run one read-only statement on a database', lines).action(
    (database: string, sql: string, { json }: Json) =>
      withClient(context, async ({ client, read }) => {
        const body = { database_id: database, query: sql };
        // Longer than any server lets a query take: its error explains more than a time-out here.
        const value = await read('rows', client.post('/api/v1/query', { body, timeoutSeconds: 3660 }));
        if (json) return terminal.json(value);
        const names = value.columns.map(({ name }) => name);
        terminal.table(
          names,
          value.records.map((record) => names.map((name) => shown(record[name]))),
        );
        terminal.note(
          `${value.row_count} ${value.row_count === 1 ? 'row' : 'rows'}${value.truncated ? ', and more that are left out' : ''}`,
        );
      }),
  );
};
