import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { MOST_COUNTED } from '../../../application/ports/work.ts';
import { type DocumentStatus, documentMachine } from '../../../domain/document.ts';
import { isPointer } from '../../../domain/json.ts';
import { type ReviewStatus, reviewMachine } from '../../../domain/review.ts';
import {
  type Context,
  examples,
  idCommand,
  idOf,
  inContext,
  type Json,
  type PageOptions,
  paged,
  resultCommand,
  wholeNumber,
  withClient,
  withOperator,
} from '../command.ts';
import type { RereadOptions } from '../create-run.ts';
import { exitCode, UsageFailure } from '../failures.ts';
import { printable } from '../printable.ts';
import { type DocumentCommand, reviewCommands } from './reviews.ts';

/** Longer than a server tries to deliver. */
const PROCESS_TIMEOUT_SECONDS = 180;

const pointerOf = (text: string): string => {
  if (text !== '' && isPointer(text)) return text;
  throw new InvalidArgumentError('It must be a JSON Pointer such as /lines.');
};

interface FilterOptions {
  readonly agent?: string;
  readonly run?: string;
  readonly status?: Exclude<DocumentStatus, 'trashed'>;
  readonly review?: ReviewStatus;
  readonly readyToPost?: true;
  readonly search?: string;
  readonly where?: string;
}

interface ExportOptions extends FilterOptions {
  readonly format: 'ndjson' | 'csv';
  readonly rows?: string;
}

/** The parameters of the API for what the filter options ask for. */
const filterOf = ({ run, status, review, readyToPost, search, where }: FilterOptions, agentId: string | undefined) => ({
  agent_id: agentId,
  run_id: run,
  status,
  review,
  ready_to_post: readyToPost,
  q: search,
  where,
});

interface ListOptions extends FilterOptions, PageOptions {
  readonly orderBy?: string;
  readonly orderDirection?: 'asc' | 'desc';
}

const list = (context: Context, options: ListOptions) => {
  if (options.orderBy?.startsWith('/') && options.agent === undefined)
    throw new UsageFailure('--order-by needs --agent: the columns are those of an agent');
  return withClient(context, async ({ client, read, views, agentIdOf, terminal }) => {
    const { agent, json, limit, after, orderBy, orderDirection, readyToPost } = options;
    const query = {
      ...filterOf(options, await agentIdOf(client, agent)),
      order_by: orderBy,
      order_direction: orderDirection,
      limit,
      after,
    };
    const value = await read('documents', client.get('/api/v1/documents', { params: { query } }));
    if (json) return terminal.json(value);
    const { documents, next } = value;
    if (documents.length > 0)
      terminal.table(['ID', 'STATUS', 'REVIEW', 'CREATED (UTC)', 'NAME', 'ERROR'], views.documentRows(documents));
    else terminal.out(next === null ? 'There are no documents.' : 'None of the newest documents matches.');
    if (next !== null) terminal.note(`${orderBy === undefined ? 'older' : 'further'} ones: --after ${printable(next)}`);
    if (readyToPost) {
      const { ready_to_post: count } = await read('work', client.get('/api/v1/work'));
      terminal.note(`ready to post, of all agents: ${count === MOST_COUNTED ? `${count} or more` : count}`);
    }
  });
};

const exportAll = (context: Context, options: ExportOptions) => {
  if (options.format === 'csv' && options.agent === undefined && options.run === undefined)
    throw new UsageFailure('--format csv needs --agent or --run: the schema of the agent gives the columns');
  return withClient(context, async ({ client, agentIdOf, signal }) => {
    const { stdout } = context.dependencies;
    if (stdout.isTTY)
      throw new UsageFailure('An export is for a file or a program: portico documents export > documents.ndjson');
    const { agent, format, rows } = options;
    const query = { ...filterOf(options, await agentIdOf(client, agent)), format, rows };
    const { response } = await client.exchange('get', '/api/v1/documents/export', { params: { query } });
    const { writeExport } = await import('../exported.ts');
    await writeExport(response, stdout, signal);
  });
};

interface ShowOptions extends Json {
  readonly page?: number;
  readonly file?: number;
  readonly out?: string;
}

interface PageImage extends Json {
  readonly page: number;
  readonly file?: number;
  readonly out: string;
}

const savePage = (context: Context, id: string, { file = 1, page, out, json }: PageImage) =>
  withClient(context, async ({ client }) => {
    const path = { id, index: file - 1, page };
    const { response } = await client.exchange('get', '/api/v1/documents/{id}/files/{index}/pages/{page}', {
      params: { path },
    });
    if (response.body !== null) await pipeline(Readable.fromWeb(response.body), createWriteStream(out));
    if (json) context.terminal.json({ id, file, page, out });
    else context.terminal.note(`page ${page} is in ${printable(out)}`);
  });

const show = async (context: Context, id: string, { json, page, file, out }: ShowOptions) => {
  if (page !== undefined && out !== undefined) return savePage(context, id, { file, page, out, json });
  if (page !== undefined || out !== undefined || file !== undefined)
    throw new UsageFailure('An image of a page needs --page and --out: --page 1 --out page.png');
  return withClient(context, async ({ client, read, views }) => {
    const value = await read('document', client.get('/api/v1/documents/{id}', { params: { path: { id } } }));
    if (json) return context.terminal.json(value);
    views.showDocument(context.terminal, value);
  });
};

const rehearse = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, terminal }) => {
    const options = { params: { path: { id } }, timeoutSeconds: PROCESS_TIMEOUT_SECONDS };
    const value = await read('rehearsal', client.post('/api/v1/documents/{id}/rehearsal', options));
    const { would, reason, row } = value;
    if (would === 'reject') context.ends(exitCode.failed);
    if (json) return terminal.json(value);
    if (would === 'insert') terminal.out('Its system of record would take this row:');
    else if (would === 'already_there')
      terminal.out('The row is in its system of record already, and would stay as it is:');
    else terminal.out(`Its system of record would reject this row: ${printable(reason ?? 'no reason was given')}`);
    for (const [column, cell] of Object.entries(row))
      terminal.out(`  ${printable(column)}: ${printable(JSON.stringify(cell))}`);
    terminal.note('Nothing was written.');
  });

const deliver = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, terminal }) => {
    const options = { params: { path: { id } }, timeoutSeconds: PROCESS_TIMEOUT_SECONDS };
    const value = await read('document', client.post('/api/v1/documents/{id}', options));
    if (value.status !== 'processed') context.ends(exitCode.failed);
    if (json) return terminal.json(value);
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

const reread = async (context: Context, id: string, options: RereadOptions) => {
  const { reread: start } = await import('../create-run.ts');
  await start(context, id, options);
};

const restore = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { name, status } = await operator.documents.restoreAny(id);
    if (json) return context.terminal.json({ id, name, status });
    context.terminal.out(`${printable(name)} is back from the trash: it is ${status} again.`);
  });

export const documentCommands = (program: Command, context: Context) => {
  const documents = program.command('documents').description('documents that runs produced');
  const filtered = (command: Command) =>
    command
      .option('--agent <agent>', 'only documents of this agent (name or id)')
      .option('--run <id>', 'only documents of this run', idOf)
      .addOption(
        new Option('--status <status>', 'only documents with this status').choices(
          documentMachine.states.filter((each) => each !== 'trashed'),
        ),
      )
      .addOption(
        new Option('--review <state>', 'only documents whose review is in this state').choices(reviewMachine.states),
      )
      .option('--ready-to-post', 'only documents that can be posted; a list says how many there are')
      .option(
        '--search <words>',
        'only documents that have these words, or words that begin so, in their name or values',
      )
      .option('--where <json>', 'only documents whose data is so, by JSON Pointer');
  const searches = [
    'portico documents list --status error',
    'portico documents list --ready-to-post',
    `portico documents list --where '{"/total": {"gt": 1000}}'`,
    'portico documents list --agent "Invoice reader" --order-by /total --order-direction desc',
  ];
  paged(filtered(resultCommand(documents, 'list', 'list and search documents, newest first', searches)))
    .option('--order-by <pointer>', 'by this value, one of the list_columns of the --agent')
    .addOption(new Option('--order-direction <direction>', 'smallest or largest first').choices(['asc', 'desc']))
    .action(inContext(context, list));
  const exported = filtered(
    documents.command('export').description('write documents and their data, for a file or a program'),
  )
    .addOption(
      new Option('--format <format>', 'lines of JSON, or a table (csv needs --agent or --run)')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .option('--rows <pointer>', 'a line for each row of this list in the data', pointerOf)
    .action(inContext(context, exportAll));
  examples(exported, [
    'portico documents export --status processed > documents.ndjson',
    'portico documents export --agent "Invoice reader" --format csv --rows /lines > lines.csv',
  ]);
  const one: DocumentCommand = (name, about, endings) =>
    idCommand(documents, name, about, "the document's id", endings);
  one('show', 'show a document: its data, and where each value was read', ['', ' --page 2 --out page.png'])
    .option('--page <n>', 'write the image of this page of its file', wholeNumber(1, 100_000))
    .option('--file <n>', 'which of its files, if it has several (default: 1)', wholeNumber(1, 100))
    .option('--out <file>', 'where to write the image (PNG)')
    .action(inContext(context, show));
  reviewCommands(one, context);
  one('process', 'write a document to its system of record', ['', ' --rehearse'])
    .option('--rehearse', 'say what that system would answer, and write nothing')
    .action((id: string, options: Json & { rehearse?: boolean }) =>
      (options.rehearse ? rehearse : deliver)(context, id, options),
    );
  one('reread', 'read the files of a document again, by the same or another agent', [
    '',
    ' --agent "Receipt reader" --watch',
  ])
    .option('--agent <agent>', 'by this agent (name or id)')
    .option('--idempotency-key <key>', 'start at most one run under this key')
    .option('--watch', 'wait for the end and print the documents')
    .action(inContext(context, reread));
  one('restore', 'bring a document back from the trash (for the operator)').action(inContext(context, restore));
};
