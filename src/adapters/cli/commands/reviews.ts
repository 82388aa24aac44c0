import type { Command } from 'commander';
import type { Schemas } from '../../../client/portico.ts';
import { type Door, doors } from '../../../domain/access.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { editsBetween } from '../../../domain/json-patch.ts';
import {
  type Context,
  inContext,
  type Json,
  type Online,
  type PageOptions,
  paged,
  wholeNumber,
  withClient,
} from '../command.ts';
import { inEditor } from '../editor.ts';
import { CliFailure } from '../failures.ts';
import { printable, shownTime } from '../printable.ts';

interface DecideOptions extends Json {
  readonly note?: string;
  readonly revision?: number;
}

/** The document, every digit of it, and the tag that says which one was read. */
const readDocument = async ({ client, checked }: Pick<Online, 'client' | 'checked'>, id: string) => {
  const { response, text } = await client.exchange('get', '/api/v1/documents/{id}', { params: { path: { id } } });
  const { data } = parseJson(text) as { data: Schemas['DocumentDetail'] };
  return {
    document: checked('document', data),
    ifMatch: response.headers.get('etag') ?? '',
  };
};

const decisions = ['approve', 'reject', 'reopen'] as const;

const decide = (
  context: Context,
  id: string,
  decision: (typeof decisions)[number],
  { note, revision, json }: DecideOptions,
) =>
  withClient(context, async ({ client, read, checked }) => {
    const { document, ifMatch } = await readDocument({ client, checked }, id);
    if (revision !== undefined && document.revision !== revision) {
      throw new CliFailure(`revision ${revision} is not the one that it has: that is ${document.revision}`);
    }
    const params = { path: { id }, header: { 'if-match': ifMatch } };
    const sent = client.post('/api/v1/documents/{id}/review', { params, body: { decision, note: note ?? null } });
    const value = await read('document', sent);
    if (json) return context.terminal.json(value);
    context.terminal.out(
      `Revision ${value.revision} of ${printable(value.name)} is ${printable(value.review.status)}.`,
    );
  });

/** As the user writes it: every digit stays, because a number is printed as it was read. */
const asText = (data: unknown) => `${JSON.stringify(data, null, 2)}\n`;

const edit = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, checked, terminal }) => {
    const { document, ifMatch } = await readDocument({ client, checked }, id);
    const { value: data, remove, keep } = await inEditor(context, 'document.json', asText(document.document_data));
    const patch = editsBetween(document.document_data as JsonValue, data);
    if (patch.length === 0) {
      await remove();
      terminal.note('Nothing was changed.');
      return json ? terminal.json(document) : undefined;
    }
    const params = { path: { id }, header: { 'if-match': ifMatch } };
    const sent = client.patch('/api/v1/documents/{id}', { params, body: { patch: [...patch] } }).catch(keep);
    const value = await read('document', sent);
    await remove();
    if (json) return terminal.json(value);
    terminal.out(`${printable(value.name)} is corrected: revision ${value.revision}.`);
  });

const doorOf = ({ via }: { readonly via?: string | null }): string => {
  if (!via) return '';
  return ` ${Object.hasOwn(doors, via) ? doors[via as Door] : printable(via)}`;
};

const listRevisions = (context: Context, id: string, { json, ...query }: PageOptions) =>
  withClient(context, async ({ client, read, terminal }) => {
    const revisions = client.get('/api/v1/documents/{id}/revisions', { params: { path: { id }, query } });
    const value = await read('revisions', revisions);
    if (json) return terminal.json(value);
    for (const { revision, created_at, by, changes } of value.revisions) {
      terminal.out(
        `${terminal.paint('bold', `revision ${revision}`)}  ${shownTime(created_at)}  ${printable(by.name)}${doorOf(by)}`,
      );
      for (const { pointer, from, to } of changes) {
        terminal.out(
          `  ${printable(pointer || 'the whole')}: ${printable(JSON.stringify(from))} → ${printable(JSON.stringify(to))}`,
        );
      }
    }
    if (value.next !== null) terminal.note(`older ones: --after ${printable(value.next)}`);
  });

/** Makes a command on a document, whose examples end so. */
export type DocumentCommand = (name: string, about: string, endings?: readonly string[]) => Command;

export const reviewCommands = (one: DocumentCommand, context: Context) => {
  const about = {
    approve: 'approve the data of a document',
    reject: 'reject the data of a document',
    reopen: 'take an approval or a rejection of a document back',
  };
  for (const decision of decisions) {
    one(decision, about[decision], [' --revision 2 --note "Checked against the order"'])
      .option('--note <text>', 'why')
      .option('--revision <n>', 'only if this is the revision that it has', wholeNumber(1, 2 ** 31 - 1))
      .action((id: string, options: DecideOptions) => decide(context, id, decision, options));
  }
  one('edit', 'correct the data of a document in your editor ($VISUAL, $EDITOR)').action(inContext(context, edit));
  paged(one('revisions', 'list who changed what of the data of a document, newest first')).action(
    inContext(context, listRevisions),
  );
};
