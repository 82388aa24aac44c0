import { type Command, Option } from 'commander';
import { type ApprovalStatus, approvalMachine } from '../../../domain/approval.ts';
import {
  type Context,
  idCommand,
  idOf,
  inContext,
  type Json,
  type PageOptions,
  paged,
  resultCommand,
  withClient,
} from '../command.ts';
import { printable, shownTime } from '../printable.ts';

interface ListOptions extends PageOptions {
  readonly agent?: string;
  readonly run?: string;
  readonly status?: ApprovalStatus;
}

const list = (context: Context, { agent, run, json, ...page }: ListOptions) =>
  withClient(context, async ({ client, read, agentIdOf, terminal }) => {
    const query = { agent_id: await agentIdOf(client, agent), run_id: run, ...page };
    const value = await read('approvals', client.get('/api/v1/approvals', { params: { query } }));
    if (json) return terminal.json(value);
    const rows = value.approvals.map(({ id, status, tool, agent_name, requested_at, expires_at }) => [
      id,
      status,
      tool,
      agent_name,
      shownTime(requested_at),
      shownTime(expires_at),
    ]);
    const header = ['ID', 'STATUS', 'TOOL', 'AGENT', 'REQUESTED (UTC)', 'UNTIL (UTC)'];
    terminal.table(header, rows, 'There are no calls that need approval.');
    if (value.next !== null) terminal.note(`older ones: --after ${printable(value.next)}`);
  });

const show = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, views, terminal }) => {
    const value = await read('approval', client.get('/api/v1/approvals/{id}', { params: { path: { id } } }));
    if (json) return terminal.json(value);
    views.showApproval(terminal, value);
    if (value.status === 'pending') terminal.note('A person decides on it, on the page Approvals of the console.');
  });

/** Decisions have no command: only a person who has signed in may make them. */
export const approvalCommands = (program: Command, context: Context) => {
  const approvals = program.command('approvals').description('calls of tools that a person decides on');
  paged(
    resultCommand(approvals, 'list', 'list calls, newest first', [
      'portico approvals list --status pending',
      'portico approvals list --agent Payer --json',
    ]),
  )
    .option('--agent <agent>', 'only those of this agent (name or id)')
    .option('--run <id>', 'only those of this run', idOf)
    .addOption(new Option('--status <status>', 'only those with this status').choices(approvalMachine.states))
    .action(inContext(context, list));
  idCommand(
    approvals,
    'show',
    'show a call, what it would be called with, and what came of it',
    "the approval's id",
  ).action(inContext(context, show));
};
