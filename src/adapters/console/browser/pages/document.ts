import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { api, isNotFound, messageOf, withToken } from '../api.ts';
import { useKeys } from '../keys.ts';
import { type Loaded, prefetch, useLoaded } from '../loaded.ts';
import { countText, Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.ts';
import { confirm } from '../parts/confirm.ts';
import { Fields } from '../parts/document-form.ts';
import { documentFilter, documentList } from '../parts/document-list.ts';
import { Quotes } from '../parts/evidence.ts';
import { fieldsOf, valuesOf } from '../parts/fields.ts';
import { useLive } from '../parts/live.ts';
import { notify } from '../parts/notice.ts';
import { navigate, query, to } from '../router.ts';

type Detail = Schemas['Document'];

const load = (id: string) => (signal: AbortSignal) => api.get('/api/v1/documents/{id}', { params: { path: { id } }, signal });
/** The next document is loaded ahead: opening it takes no second request. */
const FRESH_MS = 30_000;
const keyOf = (id: string) => `document ${id}`;

/** The documents before and after this one, as the list has them from which it was opened; the next one is loaded ahead. */
const useNeighbours = (id: string) => {
  const { data } = useLoaded(...documentList(documentFilter(query.value)));
  const ids = data?.documents.map((document) => document.id) ?? [];
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  if (after !== null) prefetch(keyOf(after), load(after));
  const open = (other: string | null) => {
    if (other !== null) navigate(to(`/documents/${other}`, Object.fromEntries(query.value)));
  };
  return { before, after, open };
};

const Coverage = ({ of }: { readonly of: NonNullable<Detail['coverage']> }) => {
  const parts = [
    of.pages_total > 0 ? `${countText(of.pages_read)} of ${countText(of.pages_total)} pages` : '',
    of.characters_total > 0 ? `${countText(of.characters_read)} of ${countText(of.characters_total)} characters` : '',
  ].filter((part) => part !== '');
  return html`<div><dt>Read</dt><dd>${parts.join(', ') || 'the file as a whole'} ${!of.complete && html`<span class="flag">not all of it</span>`}</dd></div>`;
};

const Facts = ({ document }: { readonly document: Detail }) => html`<dl class="facts">
  <div><dt>Status</dt><dd><${Status} of=${document.status} /></dd></div>
  ${document.review.status !== 'not_required' && html`<div><dt>Review</dt><dd><${Status} of=${document.review.status} /></dd></div>`}
  <div><dt>From</dt><dd><a href=${to(`/runs/${document.run_id}`)}>run</a> of <${Time} at=${document.created_at} /></dd></div>
  <div><dt>Read by</dt><dd>${document.model}, version ${document.agent_version}</dd></div>
  ${document.coverage && html`<${Coverage} of=${document.coverage} />`}
  ${document.external_reference && html`<div class="long"><dt>Entered as</dt><dd class="mono">${document.external_reference}</dd></div>`}
</dl>`;

const Remarks = ({ document }: { readonly document: Detail }) => {
  const checks = document.checks.filter(({ status }) => status !== 'not_applicable');
  const general = document.review.reasons.filter(({ pointer }) => pointer === null);
  if (checks.length + document.duplicates.length + general.length === 0) return null;
  return html`<section class="panel"><h2>Remarks</h2><ul class="remarks">
    ${general.map(({ message }) => html`<li class="warn">${message}</li>`)}
    ${checks.map(({ name, status, message }) => html`<li class=${status === 'failed' ? 'bad' : 'good'}>${name}${message && `: ${message}`}</li>`)}
    ${document.duplicates.map(({ document_id: id, reason }) => html`<li class="warn">${reason === 'file' ? 'The same file was read before' : 'Another document has the same key'}: <a href=${to(`/documents/${id}`)}>see it</a></li>`)}
  </ul></section>`;
};

/** What may be done with the document now, each with a request of its own. */
const useActions = ({ data: document, replace }: Loaded<Detail>, leave: () => void) => {
  const working = useSignal(false);
  const act = async (action: (id: string) => Promise<string | null>) => {
    if (document === null || working.value) return;
    working.value = true;
    try {
      const done = await withToken(() => action(document.id));
      if (done !== null) notify(done);
    } catch (error) {
      notify(messageOf(error), true);
    } finally {
      working.value = false;
    }
  };
  const post = () =>
    act(async (id) => {
      const done = await api.post('/api/v1/documents/{id}', { params: { path: { id } } });
      replace(done);
      if (done.status !== 'error') return 'The document is entered in the system of record.';
      notify(`The system of record refused it: ${done.error}`, true);
      return null;
    });
  const remove = () =>
    act(async (id) => {
      await api.delete('/api/v1/documents/{id}', { params: { path: { id } } });
      leave();
      return 'The document is in the trash.';
    });
  return { working: working.value, post, remove };
};

const mayPost = ({ status, document_data: data, review }: Detail) =>
  (status === 'ready' || status === 'error') && data !== null && review.status !== 'pending' && review.status !== 'rejected';

/** The form of the agent's version that read the document. */
const useSchema = (document: Detail | null): Readonly<Record<string, unknown>> => {
  const key = document && `version ${document.agent_id} ${document.agent_version}`;
  const { data } = useLoaded(key, (signal) =>
    api.get('/api/v1/agents/{agent_id}/versions/{version}', {
      params: { path: { agent_id: document?.agent_id ?? '', version: document?.agent_version ?? 1 } },
      signal,
    }),
  );
  return data?.definition.document_schema ?? {};
};

const Contents = ({ document }: { readonly document: Detail }) => {
  const chosen = useSignal<string | null>(null);
  const schema = useSchema(document);
  const data = document.document_data;
  if (!isObject(data)) {
    const text =
      document.status === 'extracting' ? 'The agent is reading it. The values appear here by themselves.' : 'Nothing was read from it.';
    return html`<${Empty} title=${document.status === 'extracting' ? 'Being read' : 'No values'}><p>${document.error ?? text}</p><//>`;
  }
  const fields = fieldsOf(data, schema);
  const labels = new Map(valuesOf(fields).map(({ pointer, label }) => [pointer, label]));
  const choose = (pointer: string | null) => {
    chosen.value = pointer;
  };
  return html`<div class="proof">
    <section class="panel" aria-label="Values"><h2>Values</h2><${Fields} fields=${fields} form=${{ document, chosen: chosen.value, choose }} /></section>
    <section class="panel source" aria-label="Where they stand"><h2>Where they stand</h2><${Quotes} evidence=${document.evidence} labels=${labels} chosen=${chosen.value} choose=${choose} /></section>
  </div>`;
};

export const Document = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(keyOf(id), load(id), { freshMs: FRESH_MS });
  const { data: document, error, reload } = loaded;
  const { before, after, open } = useNeighbours(id);
  const list = to('/documents', Object.fromEntries(query.value));
  const { working, post, remove } = useActions(loaded, () => (after === null ? navigate(list) : open(after)));
  useLive(document?.status === 'extracting' || document?.status === 'processing' ? ['document.*'] : [], reload);
  const trash = () =>
    confirm({
      ...{ title: 'Move the document to the trash?', text: 'It leaves all lists. The operator of the server can bring it back.' },
      ...{ yes: 'Move to the trash', act: () => void remove() },
    });
  useKeys([
    { key: 'j', does: 'Next document', act: () => open(after) },
    { key: 'k', does: 'Previous document', act: () => open(before) },
  ]);
  const back = html`<a class="back" href=${list}>Documents</a>`;
  if (document === null) {
    const missing = html`<${Empty} title="There is no such document"><p>It may be in the trash, or you may not see its agent.</p><//>`;
    const shown =
      error === null ? html`<${Skeleton} />` : isNotFound(error) ? missing : html`<${Failure} error=${error} retry=${reload} />`;
    return html`<${Heading} title="Document" back=${back} />${shown}`;
  }
  return html`<${Heading} title=${document.name} back=${back}>
      <span class="pair"><button type="button" class="plain" disabled=${before === null} onClick=${() => open(before)} aria-label="Previous document">↑</button>
      <button type="button" class="plain" disabled=${after === null} onClick=${() => open(after)} aria-label="Next document">↓</button></span>
      <button type="button" class="bad" disabled=${working} onClick=${trash}>Trash</button>
      ${mayPost(document) && html`<button type="button" disabled=${working} onClick=${() => void post()}>${document.status === 'error' ? 'Process again' : 'Process'}</button>`}
    <//>
    ${error !== null && html`<${Failure} error=${error} retry=${reload} />`}
    ${document.error && html`<p class="failure">${document.error}</p>`}
    <${Facts} document=${document} /><${Remarks} document=${document} />
    <${Contents} key=${id} document=${document} />`;
};
