import { hash } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { ChainPoint } from '../../../domain/audit-chain.ts';
import { type ChainFault, type Verification, verifyChain } from '../../../domain/audit-verification.ts';
import {
  type Context,
  examples,
  inContext,
  type Json,
  resultCommand,
  wholeNumber,
  withClient,
  withOperator,
} from '../command.ts';
import { exitCode, UsageFailure } from '../failures.ts';
import { printable, shownTime } from '../printable.ts';

interface ListOptions extends Json {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly after?: number;
  readonly limit: number;
  readonly newest?: true;
}

const list = (context: Context, { json, newest, ...filter }: ListOptions) =>
  withClient(context, async ({ client, read, terminal }) => {
    const query = { ...filter, ...(newest && { order: 'newest' }) };
    const value = await read('audit', client.get('/api/v1/audit', { params: { query: query as object } }));
    if (json) return terminal.json(value);
    const rows = value.entries.map(({ sequence, at, actor, via, action, subject }) => [
      String(sequence),
      shownTime(at),
      actor.name ?? actor.id ?? actor.type,
      via.kind,
      action,
      `${subject.type} ${value.names[subject.id] ?? subject.name ?? ''}`.trim(),
      subject.id,
    ]);
    const header = ['SEQUENCE', 'AT (UTC)', 'WHO', 'VIA', 'ACTION', 'SUBJECT', 'ID'];
    terminal.table(header, rows, 'There are no such entries.');
    if (value.next !== null) terminal.note(`${newest ? 'earlier' : 'later'} ones: --after ${value.next}`);
  });

const exportAll = (context: Context) =>
  withClient(context, async ({ client, signal }) => {
    const { stdout } = context.dependencies;
    if (stdout.isTTY)
      throw new UsageFailure('An export is for a file or a program: portico audit export > audit.ndjson');
    const { response } = await client.exchange('get', '/api/v1/audit/export', {});
    const { writeExport } = await import('../exported.ts');
    await writeExport(response, stdout, signal);
  });

const checkpointOf = (text: string): ChainPoint => {
  const [, sequence, digest = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence !== undefined) return { sequence: Number(sequence), hash: digest };
  throw new InvalidArgumentError(
    'It must be a sequence and a hash, as verify and the event audit.checkpoint have them: 1000:9f86….',
  );
};

const words: Readonly<Record<ChainFault['what'], string>> = {
  changed: 'was changed',
  left_out: 'was left out',
  put_in: 'was put in',
  moved: 'is not in its place',
};

interface Verified extends Verification {
  /** Of the workspace, or the file. */
  readonly name: string;
}

const report = ({ terminal, ends }: Context, verified: readonly Verified[], json: boolean | undefined) => {
  if (verified.some(({ fault }) => fault !== null)) ends(exitCode.failed);
  if (json) return terminal.json({ chains: verified });
  for (const { name, entries, end, fault } of verified) {
    const told = printable(name);
    if (fault) terminal.out(`${told}: entry ${fault.sequence} ${words[fault.what]}.`);
    else terminal.out(`${told}: ${entries} entries, and nothing is wrong. The last is ${end.sequence}:${end.hash}`);
  }
};

const verifyFile = async (context: Context, file: string, checkpoint: ChainPoint | null, json?: boolean) => {
  const { entriesIn } = await import('../audit-file.ts');
  const expected = { head: null, checkpoint };
  const verification = await verifyChain(
    () => entriesIn(file),
    expected,
    (text) => hash('sha256', text),
  );
  report(context, [{ name: file, ...verification }], json);
};

const verify = (
  context: Context,
  file: string | undefined,
  { checkpoint, json }: Json & { readonly checkpoint?: ChainPoint },
) => {
  if (file !== undefined) return verifyFile(context, file, checkpoint ?? null, json);
  if (checkpoint !== undefined)
    throw new UsageFailure('--checkpoint is for a file: on the server, the newest one of the log of events counts');
  return withOperator(context, async ({ audit }) => {
    const verified = await audit.verifyAll();
    report(
      context,
      verified.map(({ workspace, ...verification }) => ({ name: workspace, ...verification })),
      json,
    );
  });
};

export const auditCommands = (program: Command, context: Context) => {
  const audit = program
    .command('audit')
    .description('who did what (list and export: with the key of an administrator)');
  resultCommand(audit, 'list', 'list who did what, the oldest first', [
    'portico audit list --newest --limit 20',
    'portico audit list --action "document.*" --from 2026-11-01T00:00:00Z',
    'portico audit list --actor ada@example.com --json',
  ])
    .option('--actor <email>', 'only what this user did')
    .option('--action <action>', 'only this, such as key.created or document.*')
    .option('--subject <id>', 'only what was done to this')
    .option('--from <time>', 'only from this time on')
    .option('--to <time>', 'only until this time')
    .option('--limit <n>', 'how many, 1 to 1000', wholeNumber(1, 1000), 100)
    .option('--newest', 'the newest first')
    .option('--after <sequence>', 'only those that follow this one', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .action(inContext(context, list));
  const exported = audit.command('export').description('write all of it, a line of JSON for each entry');
  exported.action(inContext(context, exportAll));
  examples(exported, ['portico audit export > audit.ndjson']);
  resultCommand(
    audit,
    'verify',
    'name the first entry that was changed, left out, put in or moved: of every workspace, by the database, or of an export',
    [
      'portico audit verify',
      'portico audit verify audit.ndjson',
      'portico audit verify audit.ndjson --checkpoint 1000:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ],
  )
    .argument('[file]', 'an export; no server is needed for it')
    .option('--checkpoint <sequence:hash>', 'what somebody else has kept: it shows where a tail was cut', checkpointOf)
    .action(inContext(context, verify));
};
