import type { Command } from 'commander';
import type { Schemas } from '../../../client/portico.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { type Context, inContext, type Json, withClient } from '../command.ts';
import { inEditor } from '../editor.ts';
import { CliFailure } from '../failures.ts';

type NewPart = Pick<Schemas['RunPart'], 'name' | 'file_name' | 'pages'>;

/** A line for each, for there may be thousands. */
const asText = (parts: readonly NewPart[]) => `[\n${parts.map((part) => `  ${JSON.stringify(part)}`).join(',\n')}\n]\n`;

const edit = (context: Context, id: string, { json }: Json) =>
  withClient(context, async ({ client, read, checked, views, terminal }) => {
    const params = { path: { id } };
    const { response, text } = await client.exchange('get', '/api/v1/runs/{id}', { params });
    const run = checked('runDetail', (parseJson(text) as { data: Schemas['RunDetail'] }).data);
    if (run.workflow_type !== 'document_routing') throw new CliFailure('the agent of the run does not divide files');
    const parts = run.parts.map(({ name, file_name, pages }) => ({ name, file_name, pages }));
    views.showUnassigned(terminal.note, run);
    const { value, remove, keep } = await inEditor(context, 'parts.json', asText(parts));
    if (JSON.stringify(value) === JSON.stringify(parts)) {
      await remove();
      terminal.note('Nothing was changed.');
      return json ? terminal.json(run) : undefined;
    }
    const header = { 'if-match': response.headers.get('etag') ?? '' };
    const body = { parts: value as unknown as NewPart[] };
    const sent = client.patch('/api/v1/runs/{id}/parts', { params: { ...params, header }, body }).catch(keep);
    const changed = await read('runDetail', sent);
    await remove();
    if (json) return terminal.json(changed);
    views.showParts(terminal, changed);
  });

/** `one`: makes a command on a run. */
export const runPartsCommand = (one: (name: string, about: string) => Command, context: Context) =>
  one('parts', 'change what the files of a run were divided into, in your editor ($VISUAL, $EDITOR)').action(
    inContext(context, edit),
  );
