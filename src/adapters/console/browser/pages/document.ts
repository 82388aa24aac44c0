import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { api } from '../api.ts';
import { arranged, fieldsOf, valuesOf, valueText } from '../form/form.ts';
import { textOf } from '../form/form-changes.ts';
import { countOf, entered, noEntries } from '../form/form-entries.ts';
import { useKeys } from '../keys.ts';
import { prefetch, useLoaded } from '../loaded.ts';
import { useMayWrite, useVersion } from '../parts/agents.ts';
import { countText, Empty, Failure, Heading, Loading, Status, setting, Time } from '../parts/basics.ts';
import { confirm } from '../parts/dialogs.ts';
import { allowed, documentKey, lastDecision, loadDocument, useActions } from '../parts/document-actions.ts';
import { chosen, Fields, type FormProps, fieldAt, focusFlagged, onFieldKey } from '../parts/document-form.ts';
import { documentFilter, documentList, MOST_WAITING, reasonText } from '../parts/document-list.ts';
import { type Draft, draftOf, edit, type Place } from '../parts/draft.ts';
import { Quotes } from '../parts/evidence.ts';
import { History } from '../parts/history.ts';
import { useLive } from '../parts/live.ts';
import { notify } from '../parts/notice.ts';
import { PageImages, pageImage } from '../parts/page-images.ts';
import { Rehearsed, useRehearsal } from '../parts/rehearsal.ts';
import { navigate, query, to } from '../router.ts';

type Detail = Schemas['Document'];

/** The next document is loaded ahead: opening it takes no second request. */
const FRESH_MS = 30_000;
/** Their addresses can be used for longer. */
const FRESH_FILES_MS = 600_000;

const filesKey = (id: string) => `files ${id}`;

const loadFiles = (id: string) => (signal: AbortSignal) => api.get('/api/v1/documents/{id}/files', { params: { path: { id } }, signal });

/** Its first page as well: the server draws it, and the browser keeps it. */
const loadFilesAhead = (id: string) => async (signal: AbortSignal) => {
  const found = await loadFiles(id)(signal);
  const file = found.files.find(({ pages }) => pages.length > 0);
  if (file) await (await pageImage({ id, index: file.index, page: 1 }, signal)).response.blob();
  return found;
};

/** The documents before and after this one, as the list has them from which it was opened; the next one is loaded ahead. */
const useNeighbours = (id: string) => {
  const isInbox = query.value.get('from') === 'inbox';
  const { data } = useLoaded(...documentList(documentFilter(query.value), isInbox ? MOST_WAITING : undefined));
  const listed = data?.documents.map((document) => document.id) ?? [];
  const ids = isInbox ? listed.toReversed() : listed;
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  if (after !== null) {
    prefetch(documentKey(after), loadDocument(after));
    prefetch(filesKey(after), loadFilesAhead(after));
  }
  const open = (other: string | null) => {
    if (other === null) return;
    navigate(to(`/documents/${other}`, Object.fromEntries(query.value)));
    scrollTo(0, 0);
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

const Review = ({ document }: { readonly document: Detail }) => {
  const { status, reviewer, decided_at: at } = document.review;
  const isOpen = reviewer !== null && allowed(document).edit;
  return html`<${Status} of=${status} /> ${reviewer && html`<span class="soft">by ${reviewer.name}, <${Time} at=${at} />${isOpen && '; a change opens it again'}</span>`}`;
};

const Facts = ({ document }: { readonly document: Detail }) => html`<dl class="facts">
  <div><dt>Status</dt><dd><${Status} of=${document.status} /></dd></div>
  ${document.review.status !== 'not_required' && html`<div><dt>Review</dt><dd><${Review} document=${document} /></dd></div>`}
  <div><dt>From</dt><dd><a href=${to(`/runs/${document.run_id}`)}>run</a> of <${Time} at=${document.created_at} /></dd></div>
  <div><dt>Read by</dt><dd>${document.model}, version ${document.agent_version}</dd></div>
  ${document.coverage && html`<${Coverage} of=${document.coverage} />`}
  ${document.external_reference && html`<div class="long"><dt>Entered as</dt><dd class="mono">${document.external_reference}</dd></div>`}
</dl>`;

const Remarks = ({ document }: { readonly document: Detail }) => {
  const checks = document.checks.filter(({ status }) => status !== 'not_applicable');
  // Failed checks and duplicates stand in lines of their own, with more about them.
  const apart = ['check_failed', ...(document.duplicates.length > 0 ? ['duplicate'] : [])];
  const general = document.review.reasons.filter(({ pointer, code }) => pointer === null && !apart.includes(code));
  if (checks.length + document.duplicates.length + general.length === 0) return null;
  return html`<section class="panel"><h2>Remarks</h2><ul class="remarks">
    ${general.map((reason) => html`<li class="warn">${reasonText(reason)}</li>`)}
    ${checks.map(({ name, status, message }) => html`<li class=${status === 'failed' ? 'bad' : 'good'}>${name}${message && `: ${message}`}</li>`)}
    ${document.duplicates.map(({ document_id: id, reason }) => html`<li class="warn">${reason === 'file' ? 'The same file was read before' : 'Another document has the same key'}: <a href=${to(`/documents/${id}`)}>see it</a></li>`)}
  </ul></section>`;
};

/** Where the values stand, those among them that the user has found and not saved. */
const placesOf = ({ evidence }: Detail, { values }: Draft): Readonly<Record<string, Place>> => ({
  ...evidence,
  ...Object.fromEntries(Object.entries(values).flatMap(([pointer, { place }]) => (place ? [[pointer, place]] : []))),
});

const Contents = ({ form }: { readonly form: FormProps }) => {
  const { document, fields, draft, edits } = form;
  const hovered = useSignal<string | null>(null);
  const { id } = document;
  useEffect(() => setting(chosen, null), []);
  const { data } = useLoaded(filesKey(id), loadFiles(id), { freshMs: FRESH_FILES_MS });
  const values = useMemo(() => valuesOf(fields), [fields]);
  const labels = useMemo(() => new Map(values.map(({ pointer, label }) => [pointer, label])), [values]);
  const fill = (pointer: string, words: string, place: Place) => {
    const field = values.find((each) => each.pointer === pointer);
    if (!field) return;
    const text = textOf(field, words);
    if (text === valueText(field.value)) notify(`${field.label} has that already.`);
    edit(document, (entries) => entered(entries, field, text, place));
  };
  const choose = (pointer: string | null) => {
    chosen.value = pointer ?? chosen.value;
  };
  const hover = (event: Event | null) => {
    hovered.value = event && fieldAt(event);
  };
  const common = { labels, chosen: hovered.value ?? chosen.value, choose };
  const on = {
    ...{ onMouseOver: hover, onMouseLeave: () => hover(null), onKeyDown: (event: KeyboardEvent) => onFieldKey(event, form) },
    ...{ onFocusIn: (event: Event) => choose(fieldAt(event)), onClick: (event: Event) => choose(fieldAt(event)) },
  };
  const drawn = data?.files.filter(({ pages }) => pages.length > 0) ?? [];
  const hasPlaces = data === null || drawn.length > 0 || Object.keys(document.evidence).length > 0;
  return html`<div class="proof">
    ${
      hasPlaces &&
      html`<section class="panel source" aria-label="Where they stand" tabindex="0">
      ${drawn.length > 0 ? html`<${PageImages} ...${common} evidence=${placesOf(document, draft)} documentId=${id} files=${drawn} fill=${fill} />` : html`<h2>Where they stand</h2><${Quotes} ...${common} evidence=${document.evidence} />`}
    </section>`
    }
    <section class="panel" aria-label="Values" ...${on}><h2>Values</h2>
      ${edits && drawn.length > 0 && html`<p class="soft tip">To fill a value from the page, choose it, then click on the word or draw a box.</p>`}
      <${Fields} fields=${fields} form=${form} /></section>
  </div>
  ${document.revision > 0 && html`<${History} document=${document} labels=${labels} />`}`;
};

const Nothing = ({ document: { status, error } }: { readonly document: Detail }) =>
  status === 'extracting'
    ? html`<${Empty} title="Being read"><p>The agent is reading it. The values appear here by themselves.</p><//>`
    : html`<${Empty} title="No values"><p>${error ?? 'Nothing was read from it.'}</p><//>`;

const Unsaved = ({ document, count, actions }: Pick<DecisionProps, 'document' | 'actions'> & { readonly count: number }) =>
  count > 0 &&
  html`<div class="unsaved" role="region" aria-label="Changes"><span>${count === 1 ? 'One change' : `${count} changes`} not saved</span>
    <button type="button" class="plain" onClick=${() => void actions.undo()}>Undo</button>
    <button type="button" class="plain" onClick=${() => edit(document, () => ({ ...noEntries, revision: document.revision }))}>Discard</button>
    <button type="button" disabled=${actions.working} onClick=${() => void actions.save()}>Save</button></div>`;

/** The buttons of the review, or of processing where no review is asked for. */
const Decisions = ({ document, hasSystem, actions, after }: DecisionProps) => {
  const { decide, process } = allowed(document);
  const { working } = actions;
  if (decide)
    return html`<button type="button" class="bad" disabled=${working} onClick=${() => after(actions.reject())}>Reject</button>
      <button type="button" class="plain" disabled=${working} onClick=${() => after(actions.approve())}>Approve</button>
      ${hasSystem && html`<button type="button" disabled=${working} onClick=${() => after(actions.approveAndProcess())}>Approve and process</button>`}`;
  if (!process || !hasSystem) return null;
  return html`<button type="button" disabled=${working} onClick=${() => void actions.process()}>${document.status === 'error' ? 'Process again' : 'Process'}</button>`;
};

interface DecisionProps {
  readonly document: Detail;
  /** Whether its agent has a system of record to process it into. */
  readonly hasSystem: boolean;
  readonly actions: ReturnType<typeof useActions>;
  /** Goes on when something is decided. */
  readonly after: (decided: Promise<boolean>) => void;
}

/** Takes back what was done last, or says why that cannot be. */
const undoing = (id: string, actions: DecisionProps['actions']) => async () => {
  if (await actions.undo()) return;
  const { value: decision } = lastDecision;
  lastDecision.value = null;
  if (decision === null) return notify('There is nothing to take back.');
  if (decision.id !== id) navigate(to(`/documents/${decision.id}`, Object.fromEntries(query.value)));
  const how = decision.status === 'processed' ? 'It is in the system of record.' : 'To open the review again, change a value.';
  notify(`${decision.name} is ${decision.status}, which cannot be taken back. ${how}`, true);
};

const inValue = [
  { key: 'Enter', does: 'In a value: it is right, on to the next that needs a look', act: null },
  { key: 'Tab', does: 'In a value, while a review is asked for: the next that needs a look', act: null },
  { key: 'Esc', does: 'In a value: leave it', act: null },
];

const useDocumentKeys = (
  id: string,
  /** null: the user may change nothing. */
  form: FormProps | null,
  { hasSystem, actions, after }: Omit<DecisionProps, 'document'>,
  neighbours: ReturnType<typeof useNeighbours>,
) => {
  const may = form === null ? { edit: false, decide: false } : allowed(form.document);
  const undo = undoing(id, actions);
  const edits = () => {
    if (!form || !focusFlagged(form, null, true)) window.document.querySelector<HTMLElement>('input.value')?.focus();
  };
  useKeys([
    { key: 'j', does: 'Next document', act: () => neighbours.open(neighbours.after) },
    { key: 'k', does: 'Previous document', act: () => neighbours.open(neighbours.before) },
    ...(may.edit ? [{ key: 'e', does: 'Edit: the next value that needs a look, else the first', act: edits }, ...inValue] : []),
    ...(may.decide ? [{ key: 'a', does: 'Approve', act: () => after(actions.approve()) }] : []),
    ...(may.decide && hasSystem ? [{ key: 'Shift+A', does: 'Approve and process', act: () => after(actions.approveAndProcess()) }] : []),
    ...(may.decide ? [{ key: 'r', does: 'Reject', act: () => after(actions.reject()) }] : []),
    ...(form ? [{ key: 'u', does: 'Undo what was done last', act: () => void undo() }] : []),
  ]);
};

export const Document = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(documentKey(id), loadDocument(id), { freshMs: FRESH_MS });
  const { data, error, reload } = loaded;
  const document = data?.document ?? null;
  const { data: version } = useVersion(document?.agent_id ?? null, document?.agent_version ?? 1);
  const writes = useMayWrite();
  const [values, draft] = [document?.document_data, document && draftOf(document)];
  const [schema, rows] = [version?.definition.document_schema ?? {}, draft?.rows ?? {}];
  // A table may have thousands of rows, and every key that is typed draws the page again.
  const fields = useMemo(() => (isObject(values) ? arranged(fieldsOf(values, schema), rows) : []), [values, version, draft?.rows]);
  const neighbours = useNeighbours(id);
  const isInbox = query.value.get('from') === 'inbox';
  const list = isInbox ? to('/inbox') : to('/documents', Object.fromEntries(query.value));
  const next = () => (neighbours.after === null ? navigate(list) : neighbours.open(neighbours.after));
  const actions = useActions(loaded, fields);
  const rehearsal = useRehearsal(document, actions.settle);
  const hasSystem = Boolean(version?.definition.system_of_record);
  const after = (decided: Promise<boolean>) => void decided.then((isDone) => isDone && query.value.get('review') && next());
  const decisions = { hasSystem, actions, after };
  useLive(document?.status === 'extracting' || document?.status === 'processing' ? ['document.*'] : [], reload);
  const form = document && draft && { document, fields, draft, edits: writes && allowed(document).edit };
  useDocumentKeys(id, writes ? form : null, decisions, neighbours);
  const trash = () =>
    confirm({
      ...{ title: 'Move the document to the trash?', text: 'It leaves all lists. The operator of the server can bring it back.' },
      ...{ yes: 'Move to the trash', act: () => void actions.remove().then((isDone) => isDone && next()) },
    });
  const back = html`<a class="back" href=${list}>${isInbox ? 'Inbox' : 'Documents'}</a>`;
  if (document === null || form === null)
    return html`<${Heading} title="Document" back=${back} /><${Loading} of=${loaded} thing="document" />`;
  const rehearses = writes && hasSystem && isObject(values) && document.status !== 'processed';
  return html`<${Heading} key=${id} title=${document.name} back=${back}>
      <span class="pair"><button type="button" class="plain" disabled=${neighbours.before === null} onClick=${() => neighbours.open(neighbours.before)} aria-label="Previous document">↑</button>
      <button type="button" class="plain" disabled=${neighbours.after === null} onClick=${() => neighbours.open(neighbours.after)} aria-label="Next document">↓</button></span>
      ${writes && html`<button type="button" class="bad" disabled=${actions.working} onClick=${trash}>Trash</button>`}
      ${rehearses && html`<button type="button" class="plain" disabled=${actions.working || rehearsal.working} onClick=${rehearsal.rehearse}>Rehearse</button>`}
      ${writes && html`<${Decisions} document=${document} ...${decisions} />`}
    <//>
    ${error !== null && html`<${Failure} error=${error} retry=${reload} />`}
    ${document.error && isObject(values) && html`<p class="failure">${document.error}</p>`}
    <${Facts} document=${document} /><${Remarks} document=${document} />
    ${rehearsal.found && html`<${Rehearsed} of=${rehearsal.found} />`}
    ${isObject(values) ? html`<${Contents} key=${id} form=${form} />` : html`<${Nothing} document=${document} />`}
    <${Unsaved} document=${document} count=${countOf(form.draft)} actions=${actions} />`;
};
