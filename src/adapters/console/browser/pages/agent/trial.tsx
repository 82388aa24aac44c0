import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import { api, messageOf, withToken } from '../../api.ts';
import { shownText } from '../../form/amounts.ts';
import { fieldsOf, placeText, valuesOf } from '../../form/form.ts';
import { useDefinition } from '../../parts/agents.ts';
import { endedRun } from '../../parts/ended-run.ts';
import { FileDrop } from '../../parts/file-drop.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { startRun } from '../../parts/send-files.tsx';

type Document = Schemas['DocumentDetail'];

/** Sends the file to the agent, and moves what becomes of it to the trash as soon as it is read; where the page is left before, the server does that. */
const tryFile = async (agentId: string, file: File, signal: AbortSignal): Promise<Document> => {
  const id = await startRun({ agentId, files: [file], together: false, message: '', isTrial: true });
  const run = await endedRun(id, signal);
  const [made] = run.documents;
  if (made === undefined) throw new Error(run.items[0]?.error ?? run.error ?? 'The run made no document.');
  const params = { path: { id: made.id } };
  const document = await withToken(() => api.get('/api/v1/documents/{id}', { params, signal }));
  await withToken(() => api.delete('/api/v1/documents/{id}', { params }));
  if (document.status === 'error') throw new Error(document.error ?? 'The file could not be read.');
  return document;
};

const Read = ({
  document,
  schema,
}: {
  readonly document: Document;
  readonly schema: Readonly<Record<string, unknown>>;
}) => {
  const { document_data: data, evidence, review } = document;
  const values = valuesOf(fieldsOf((data ?? {}) as Readonly<Record<string, unknown>>, schema));
  return (
    <>
      <h3>{document.name}</h3>
      <PlainTable
        head={['Field', 'Value', 'Stands in']}
        rows={values.map((field) => [
          placeText(field.pointer, schema),
          shownText(field),
          <span class="soft">{evidence[field.pointer]?.quote}</span>,
        ])}
      />
      {review.reasons.length > 0 && (
        <>
          <h3>It would need a look, because</h3>
          <ul>
            {review.reasons.map(({ code, pointer, message }) => (
              <li key={`${code} ${pointer}`}>
                {pointer && `${placeText(pointer, schema)}: `}
                {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
};

/** A place to drop a file, to see what the agent reads of it. */
export const Trial = ({ agent }: { readonly agent: Schemas['Agent'] }) => {
  const definition = useDefinition(agent.id);
  const busy = useSignal<string | null>(null);
  const failure = useSignal('');
  const result = useSignal<Document | null>(null);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  if (agent.workflow_type !== 'document_extraction' || definition === undefined) return null;
  if (definition.process === 'automatic')
    return (
      <section class="panel trial">
        <h2>Try a file</h2>
        <p class="soft">
          No file can be tried on this agent: what it reads is posted to its system of record without a click.
        </p>
      </section>
    );
  const start = async ([file]: readonly File[]) => {
    if (file === undefined || busy.value !== null) return;
    busy.value = file.name;
    failure.value = '';
    result.value = null;
    try {
      result.value = await tryFile(agent.id, file, ended.current.signal);
    } catch (error) {
      failure.value = messageOf(error);
    } finally {
      busy.value = null;
    }
  };
  return (
    <section class="panel trial" aria-busy={busy.value !== null}>
      <h2>Try a file</h2>
      <FileDrop disabled={busy.value !== null} add={(files) => void start(files)}>
        <strong>Choose a file</strong> or drop it here: what is read of it is shown, and goes to the trash at once
      </FileDrop>
      {busy.value !== null && (
        <p class="soft" role="status">
          The agent reads {busy.value}.
        </p>
      )}
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      {result.value && <Read document={result.value} schema={definition.document_schema ?? {}} />}
    </section>
  );
};
