import type { Command } from 'commander';
import { type Context, EXAMPLE_ID, examples, idArgument, type Json, withClient, withJson, withOperator } from '../command.ts';
import { exitCode } from '../failures.ts';
import { printable } from '../printable.ts';

/** Longer than a server tries to deliver. */
const PROCESS_TIMEOUT_SECONDS = 180;

const show = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, wire, views }) => {
    const { value, raw } = await wire.read(wire.document, client.get('/api/v1/documents/{id}', { params: { path: { id } } }));
    if (json) return context.terminal.json(raw);
    views.showDocument(context.terminal, value);
  });

const deliver = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, wire }) => {
    const { terminal } = context;
    const options = { params: { path: { id } }, timeoutSeconds: PROCESS_TIMEOUT_SECONDS };
    const { value, raw } = await wire.read(wire.document, client.post('/api/v1/documents/{id}', options));
    if (value.status !== 'processed') context.ends(exitCode.failed);
    if (json) return terminal.json(raw);
    const name = printable(value.name);
    if (value.status === 'processed') {
      const where = value.external_reference === null ? 'its system of record' : printable(value.external_reference);
      return terminal.out(`${name} is processed: written to ${where}.`);
    }
    const why = printable(value.error ?? 'no reason was given');
    terminal.out(
      value.status === 'error'
        ? `${name} was rejected by its system of record: ${why}`
        : `${name} is ${printable(value.status)}, not processed: ${why}`,
    );
  });

const restore = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { name, status } = await operator.documents.restore(id);
    if (json) return context.terminal.json({ id, name, status });
    context.terminal.out(`${printable(name)} is back from the trash: it is ${status} again.`);
  });

export const documentCommands = (program: Command, context: Context) => {
  const documents = program.command('documents').description('documents that runs produced');
  const one = (name: string, about: string, action: (context: Context, id: string, options: Json) => Promise<void>) =>
    examples(
      withJson(documents.command(name).description(about).addArgument(idArgument("the document's id"))),
      `portico documents ${name} ${EXAMPLE_ID}`,
    ).action((id: string, options: Json) => action(context, id, options));
  one('show', 'show a document: its data, and where each value was read', show);
  one('process', 'write a document to its system of record', deliver);
  one('restore', 'bring a document back from the trash (for the operator)', restore);
};
