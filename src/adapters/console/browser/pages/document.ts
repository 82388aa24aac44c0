import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { api, isNotFound } from '../api.ts';
import { useKeys } from '../keys.ts';
import { type Loaded, prefetch, useLoaded } from '../loaded.ts';
import { countText, Empty, Failure, Heading, Skeleton, Status, Time } from '../parts/basics.ts';
import { confirm } from '../parts/confirm.ts';
import { allowed, documentKey, loadDocument, useActions } from '../parts/document-actions.ts';
import { Fields } from '../parts/document-form.ts';
import { documentFilter, documentList } from '../parts/document-list.ts';
import { draftOf, setDraft } from '../parts/draft.ts';
import { Quotes } from '../parts/evidence.ts';
import { type Field, fieldsOf, valuesOf } from '../parts/fields.ts';
import { History } from '../parts/history.ts';
import { useLive } from '../parts/live.ts';
import { PageImages } from '../parts/page-images.ts';
import { navigate, query, to } from '../router.ts';

type Detail = Schemas['Document'];

/** The next document is loaded ahead: opening it takes no second request. */
const FRESH_MS = 30_000;

/** The documents before and after this one, as the list has them from which it was opened; the next one is loaded ahead. */
const useNeighbours = (id: string) => {
  const { data } = useLoaded(...documentList(documentFilter(query.value)));
  const ids = data?.documents.map((document) => document.id) ?? [];
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  if (after !== null) prefetch(documentKey(after), loadDocument(after));
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

interface ContentsProps {
  readonly document: Detail;
  readonly fields: readonly Field[];
  readonly edits: boolean;
}

const Contents = ({ document, fields, edits }: ContentsProps) => {
  const chosen = useSignal<string | null>(null);
  const { id } = document;
  const { data } = useLoaded(`files ${id}`, (signal) => api.get('/api/v1/documents/{id}/files', { params: { path: { id } }, signal }), {
    freshMs: FRESH_MS,
  });
  const labels = new Map(valuesOf(fields).map(({ pointer, label }) => [pointer, label]));
  const choose = (pointer: string | null) => {
    chosen.value = pointer;
  };
  const common = { evidence: document.evidence, labels, chosen: chosen.value, choose };
  const drawn = data?.files.filter(({ pages }) => pages.length > 0) ?? [];
  return html`<div class="proof">
    <section class="panel source" aria-label="Where they stand" tabindex="0">
      ${drawn.length > 0 ? html`<${PageImages} ...${common} documentId=${id} files=${drawn} />` : html`<h2>Where they stand</h2><${Quotes} ...${common} />`}
    </section>
    <section class="panel" aria-label="Values"><h2>Values</h2><${Fields} fields=${fields} form=${{ document, edits, chosen: chosen.value, choose }} /></section>
  </div>
  ${document.revision > 0 && html`<${History} document=${document} labels=${labels} />`}`;
};

const Nothing = ({ document: { status, error } }: { readonly document: Detail }) =>
  status === 'extracting'
    ? html`<${Empty} title="Being read"><p>The agent is reading it. The values appear here by themselves.</p><//>`
    : html`<${Empty} title="No values"><p>${error ?? 'Nothing was read from it.'}</p><//>`;

const Unsaved = ({ id, actions }: { readonly id: string; readonly actions: ReturnType<typeof useActions> }) => {
  const count = Object.keys(draftOf(id)).length;
  if (count === 0) return null;
  return html`<div class="unsaved" role="region" aria-label="Changes"><span>${count === 1 ? 'One change' : `${count} changes`} not saved</span>
    <button type="button" class="plain" onClick=${() => setDraft(id, {})}>Discard</button>
    <button type="button" disabled=${actions.working} onClick=${() => void actions.save()}>Save</button></div>`;
};

/** The buttons of the review, or of processing where no review is asked for. */
const Decisions = ({ document, actions, then }: DecisionProps) => {
  const { decide, process } = allowed(document);
  const { working } = actions;
  const after = (done: Promise<boolean>) => void done.then((isDone) => isDone && then());
  if (decide)
    return html`<button type="button" class="bad" disabled=${working} onClick=${() => after(actions.reject())}>Reject</button>
      <button type="button" class="plain" disabled=${working} onClick=${() => after(actions.approve())}>Approve</button>
      <button type="button" disabled=${working} onClick=${() => after(actions.approveAndProcess())}>Approve and process</button>`;
  if (!process) return null;
  return html`<button type="button" disabled=${working} onClick=${() => void actions.process()}>${document.status === 'error' ? 'Process again' : 'Process'}</button>`;
};

interface DecisionProps {
  readonly document: Detail;
  readonly actions: ReturnType<typeof useActions>;
  /** What follows a decision. */
  readonly then: () => void;
}

const focusFlagged = (): void => {
  const flagged = [...window.document.querySelectorAll<HTMLElement>('.flagged .value')];
  const at = flagged.indexOf(window.document.activeElement as HTMLElement);
  flagged[(at + 1) % flagged.length]?.focus();
};

const useDocumentKeys = (
  document: Detail | null,
  { actions, then }: Omit<DecisionProps, 'document'>,
  neighbours: ReturnType<typeof useNeighbours>,
) => {
  const after = (done: Promise<boolean>) => void done.then((isDone) => isDone && then());
  const may = document === null ? { edit: false, decide: false, process: false } : allowed(document);
  useKeys([
    { key: 'j', does: 'Next document', act: () => neighbours.open(neighbours.after) },
    { key: 'k', does: 'Previous document', act: () => neighbours.open(neighbours.before) },
    ...(may.edit ? [{ key: 'e', does: 'Edit: the next value that needs a look, else the first', act: editFirst }] : []),
    ...(may.decide
      ? [
          { key: 'a', does: 'Approve', act: () => after(actions.approve()) },
          { key: 'Shift+A', does: 'Approve and process', act: () => after(actions.approveAndProcess()) },
          { key: 'r', does: 'Reject', act: () => after(actions.reject()) },
        ]
      : []),
  ]);
};

const editFirst = (): void => {
  if (window.document.querySelector('.flagged .value')) focusFlagged();
  else window.document.querySelector<HTMLElement>('input.value')?.focus();
};

const Missing = ({ error, reload }: Pick<Loaded<unknown>, 'error' | 'reload'>) => {
  if (error === null) return html`<${Skeleton} />`;
  if (!isNotFound(error)) return html`<${Failure} error=${error} retry=${reload} />`;
  return html`<${Empty} title="There is no such document"><p>It may be in the trash, or you may not see its agent.</p><//>`;
};

export const Document = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(documentKey(id), loadDocument(id), { freshMs: FRESH_MS });
  const { data, error, reload } = loaded;
  const document = data?.document ?? null;
  const schema = useSchema(document);
  const { data: who } = useLoaded('whoami', (signal) => api.get('/api/v1/whoami', { signal }), { freshMs: FRESH_MS });
  const values = document?.document_data;
  const fields = isObject(values) ? fieldsOf(values, schema) : [];
  const neighbours = useNeighbours(id);
  const list = to('/documents', Object.fromEntries(query.value));
  const next = () => (neighbours.after === null ? navigate(list) : neighbours.open(neighbours.after));
  const actions = useActions(loaded, valuesOf(fields));
  const then = () => query.value.get('review') && next();
  useLive(document?.status === 'extracting' || document?.status === 'processing' ? ['document.*'] : [], reload);
  useDocumentKeys(document, { actions, then }, neighbours);
  const trash = () =>
    confirm({
      ...{ title: 'Move the document to the trash?', text: 'It leaves all lists. The operator of the server can bring it back.' },
      ...{ yes: 'Move to the trash', act: () => void actions.remove().then((isDone) => isDone && next()) },
    });
  const back = html`<a class="back" href=${list}>Documents</a>`;
  if (document === null) return html`<${Heading} title="Document" back=${back} /><${Missing} error=${error} reload=${reload} />`;
  const writes = who !== null && who.user.role !== 'viewer';
  return html`<${Heading} title=${document.name} back=${back}>
      <span class="pair"><button type="button" class="plain" disabled=${neighbours.before === null} onClick=${() => neighbours.open(neighbours.before)} aria-label="Previous document">↑</button>
      <button type="button" class="plain" disabled=${neighbours.after === null} onClick=${() => neighbours.open(neighbours.after)} aria-label="Next document">↓</button></span>
      ${writes && html`<button type="button" class="bad" disabled=${actions.working} onClick=${trash}>Trash</button><${Decisions} document=${document} actions=${actions} then=${then} />`}
    <//>
    ${error !== null && html`<${Failure} error=${error} retry=${reload} />`}
    ${document.error && isObject(values) && html`<p class="failure">${document.error}</p>`}
    <${Facts} document=${document} /><${Remarks} document=${document} />
    ${isObject(values) ? html`<${Contents} key=${id} document=${document} fields=${fields} edits=${writes && allowed(document).edit} />` : html`<${Nothing} document=${document} />`}
    <${Unsaved} id=${id} actions=${actions} />`;
};
