import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { to, useAddress } from '../address.ts';
import { api } from '../api.ts';
import { arranged, fieldsOf, valuesOf, valueText } from '../form/form.ts';
import { textOf } from '../form/form-changes.ts';
import { countOf, entered, noEntries } from '../form/form-entries.ts';
import { useKeys } from '../keys.ts';
import { useMayWrite, useVersion } from '../parts/agents.ts';
import { Empty, Heading, setting } from '../parts/basics.tsx';
import { remember, useLatest } from '../parts/decided.tsx';
import { askWhy, confirm } from '../parts/dialogs.tsx';
import { allowed, useActions } from '../parts/document-actions.ts';
import { Facts, Remarks } from '../parts/document-facts.tsx';
import {
  chosen,
  Fields,
  type FormProps,
  fieldAt,
  focusFlagged,
  focusValue,
  onFieldKey,
} from '../parts/document-form.tsx';
import { History } from '../parts/document-history.tsx';
import { documentFilter, documentList, MOST_WAITING, openReasons } from '../parts/document-list.ts';
import { documentOf, trash } from '../parts/document-requests.ts';
import { type Draft, draftOf, edit, type Place } from '../parts/draft.ts';
import { useLive } from '../parts/live.ts';
import { Action, act, notify } from '../parts/notice.tsx';
import { filesOf, Source } from '../parts/source.tsx';
import { useSeen } from '../presses.ts';
import { cache } from '../queries.ts';

type Detail = Schemas['DocumentDetail'];
type Actions = ReturnType<typeof useActions>;

/** The documents before and after this one, as the list has them from which it was opened; the next one is loaded ahead. */
const useNeighbours = (id: string) => {
  const { query, go } = useAddress();
  const isInbox = query.from === 'inbox';
  const { data } = useQuery(documentList(documentFilter(query), isInbox ? MOST_WAITING : undefined));
  const listed = data?.documents.map((document) => document.id) ?? [];
  const ids = isInbox ? listed.toReversed() : listed;
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  useEffect(() => {
    if (after === null) return;
    const once = { staleTime: Number.POSITIVE_INFINITY };
    void cache.prefetchQuery({ ...documentOf(after), ...once });
    void cache.prefetchQuery({ ...filesOf(after, true), ...once });
  }, [after]);
  const open = (other: string | null) => {
    if (other !== null) go(to(`/documents/${other}`, query));
  };
  return { before, after, open };
};

const outcomes = {
  insert: { tone: 'good', text: 'The row would be written.' },
  already_there: { tone: 'warn', text: 'The row of this document is there already, and would stay as it is.' },
  reject: { tone: 'bad', text: 'The system of record would refuse the row' },
} as const;

/** What processing would do. It is shown for the revision that was rehearsed, and no other. */
const useRehearsal = (document: Detail | null, settle: Actions['settle']) => {
  const now = useRef('');
  now.current = `${document?.id} ${document?.revision}`;
  const shown = useSignal<{ readonly of: string; readonly found: Schemas['Rehearsal'] } | null>(null);
  const rehearse = async () => {
    if (document === null || (await settle()) === null) return;
    const found = await api.post('/api/v1/documents/{id}/rehearsal', { params: { path: { id: document.id } } });
    shown.value = { of: now.current, found };
  };
  return { rehearse, found: shown.value?.of === now.current ? shown.value.found : null };
};

const Rehearsed = ({ of: { would, reason, row } }: { readonly of: Schemas['Rehearsal'] }) => {
  const { tone, text } = outcomes[would];
  return (
    <section class="panel rehearsed" role="status" aria-label="Rehearsal">
      <h2>What processing would do</h2>
      <p class={`verdict ${tone}`}>
        {text}
        {reason && `: ${reason}`}
      </p>
      <dl class="row">
        {Object.entries(row).map(([column, value]) => (
          <div key={column}>
            <dt class="mono">{column}</dt>
            <dd>{valueText(value) || '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
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
  const { data } = useQuery(filesOf(id));
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
  const source = {
    document,
    labels,
    choose,
    fill,
    places: placesOf(document, draft),
    chosen: hovered.value ?? chosen.value,
  };
  const on = {
    onMouseOver: hover,
    onMouseLeave: () => hover(null),
    onKeyDown: (event: KeyboardEvent) => onFieldKey(event, form),
    onFocusIn: (event: Event) => choose(fieldAt(event)),
    onClick: (event: Event) => choose(fieldAt(event)),
  };
  const drawn = data?.files.filter(({ pages }) => pages.length > 0) ?? [];
  const hasPlaces = data === undefined || drawn.length > 0 || Object.keys(document.evidence).length > 0;
  return (
    <>
      <div class="proof">
        {hasPlaces && <Source {...source} files={drawn} />}
        <section class="panel" aria-label="Values" {...on}>
          <h2>Values</h2>
          {edits && drawn.length > 0 && (
            <p class="soft tip">To fill a value from the page, choose it, then click on the word or draw a box.</p>
          )}
          <Fields fields={fields} form={form} />
        </section>
      </div>
      {document.revision > 0 && <History document={document} labels={labels} />}
    </>
  );
};

const Nothing = ({ document: { status, error } }: { readonly document: Detail }) =>
  status === 'extracting' ? (
    <Empty title="Being read">
      <p>The agent is reading it. The values appear here by themselves.</p>
    </Empty>
  ) : (
    <Empty title="No values">
      <p>{error ?? 'Nothing was read from it.'}</p>
    </Empty>
  );

const Unsaved = ({
  document,
  count,
  actions,
}: {
  readonly document: Detail;
  readonly count: number;
  readonly actions: Actions;
}) =>
  count > 0 && (
    <div class="unsaved" role="region" aria-label="Changes">
      <span>{count === 1 ? 'One change' : `${count} changes`} not saved</span>
      <button type="button" class="plain" onClick={actions.stepBack}>
        Undo
      </button>
      <button
        type="button"
        class="plain"
        onClick={() => edit(document, () => ({ ...noEntries, revision: document.revision }))}
      >
        Discard
      </button>
      <button type="button" disabled={actions.working} onClick={() => void actions.save()}>
        Save
      </button>
    </div>
  );

interface Decision {
  readonly name: string;
  readonly key?: string;
  readonly look?: string;
  readonly act: (event: Event) => void;
}

/** Approves what is saved by then. Where a check failed, or a reason is open that the user has not confirmed, it says which and asks. */
const approving = async ({ document, draft }: FormProps, actions: Actions, posts: boolean, after: () => void) => {
  const now = await actions.settle();
  if (now === null) return;
  const does = async () => (await actions.approve(now, posts)) && after();
  const points = openReasons(now.document, draft.confirmed);
  if (points.length === 0) return void (await does());
  confirm({
    title: `Approve ${document.name}?`,
    text: 'This speaks against it:',
    points,
    yes: posts ? 'Approve and process' : 'Approve',
    does,
  });
};

/** What the user may decide now: each is a button, and those of a review are keys too. `after` goes on when something is decided. */
const decisionsOf = (form: FormProps, hasSystem: boolean, actions: Actions, after: () => void) => {
  const { document } = form;
  const { decide, process, reopen } = allowed(document);
  const reject = () =>
    askWhy(`Reject ${document.name}?`, 'Reject', async (why) => (await actions.reject(why)) && after());
  const all: readonly (Decision & { readonly isOpen: boolean })[] = [
    { name: 'Reject', key: 'r', look: 'bad', isOpen: decide, act: reject },
    {
      name: 'Approve',
      key: 'a',
      look: 'plain',
      isOpen: decide,
      act: () => void approving(form, actions, false, after),
    },
    {
      name: 'Approve and process',
      key: 'Shift+A',
      isOpen: decide && hasSystem,
      act: () => void approving(form, actions, true, after),
    },
    { name: 'Reopen', look: 'plain', isOpen: reopen, act: () => void actions.reopen() },
    {
      name: document.status === 'error' ? 'Process again' : 'Process',
      isOpen: process && hasSystem,
      act: () => void actions.process(),
    },
  ];
  return all.filter(({ isOpen }) => isOpen);
};

/** The same, each only once the user has seen which document it is about, and what can be decided of it. */
const useSeenDecisions = (document: Detail | null, decisions: readonly Decision[]) => {
  const { isSeen, decides } = useSeen([document?.id, document?.revision, ...decisions.map(({ name }) => name)].join());
  return {
    isSeen,
    decides,
    decisions: decisions.map(({ act, ...other }) => ({
      ...other,
      act: (event: Event) => decides(event) && act(event),
    })),
  };
};

/** Takes back what was done last: an edit, a decision, or a change that was saved. */
const undoing =
  (document: Detail | null, actions: Actions, latest: ReturnType<typeof useLatest>) => async (event: Event) => {
    if (actions.stepBack()) return;
    if (latest.entry !== null) return latest.takeBack(event);
    if (await actions.undo()) return;
    const isPosted = document?.status === 'processed';
    notify(
      isPosted
        ? `${document.name} is in the system of record, which cannot be taken back here.`
        : 'There is nothing to take back.',
    );
  };

const inValue = [
  { key: 'Enter', does: 'In a value: it is right, on to the next that needs a look', act: null },
  { key: 'Tab', does: 'In a value, while a review is asked for: the next that needs a look', act: null },
  { key: 'Esc', does: 'In a value: leave it', act: null },
];

/** `form`: null if the user may change nothing. */
const useDocumentKeys = (
  form: FormProps | null,
  decisions: readonly Decision[],
  undo: (event: Event) => Promise<void>,
  { before, after, open }: ReturnType<typeof useNeighbours>,
) => {
  const edits = () => {
    if (!form || !focusFlagged(form, null, true)) window.document.querySelector<HTMLElement>('input.value')?.focus();
  };
  useKeys([
    { key: 'j', does: 'Next document', act: () => open(after) },
    { key: 'k', does: 'Previous document', act: () => open(before) },
    ...(form?.edits
      ? [{ key: 'e', does: 'Edit: the next value that needs a look, else the first', act: edits }, ...inValue]
      : []),
    ...decisions.flatMap(({ key, name: does, act }) => (key ? [{ key, does, act }] : [])),
    ...(form ? [{ key: 'u', does: 'Undo what was done last', act: (event: Event) => void undo(event) }] : []),
  ]);
};

export const Document = ({ id }: { readonly id: string }) => {
  const loaded = useQuery(documentOf(id));
  const { data, refetch } = loaded;
  const document = data?.document ?? null;
  const { data: version } = useVersion(document?.agent_id ?? null, document?.agent_version ?? 1);
  const writes = useMayWrite();
  const [values, draft] = [document?.document_data, document && draftOf(document)];
  const [schema, rows] = [version?.definition.document_schema ?? {}, draft?.rows ?? {}];
  // A table may have thousands of rows, and every key that is typed draws the page again.
  const stored = useMemo(() => (isObject(values) ? fieldsOf(values, schema) : []), [values, version]);
  const fields = useMemo(() => arranged(stored, rows), [stored, draft?.rows]);
  const neighbours = useNeighbours(id);
  const { query, go } = useAddress();
  const isInbox = query.from === 'inbox';
  const list = isInbox ? to('/inbox') : to('/documents', query);
  const next = () => (neighbours.after === null ? go(list) : neighbours.open(neighbours.after));
  const actions = useActions(loaded, fields);
  const rehearsal = useRehearsal(document, actions.settle);
  const hasSystem = Boolean(version?.definition.system_of_record);
  const after = () => void (query.review && next());
  useLive(document?.status === 'extracting' || document?.status === 'processing' ? ['document.*'] : [], refetch);
  const form = document && draft && { document, fields, draft, edits: writes && allowed(document).edit };
  const { isSeen, decides, decisions } = useSeenDecisions(
    document,
    form && writes ? decisionsOf(form, hasSystem, actions, after) : [],
  );
  useDocumentKeys(writes ? form : null, decisions, undoing(document, actions, useLatest()), neighbours);
  const discard = async () => {
    if (document === null || (await act({ does: () => trash(id) })) === null) return;
    remember({ id, name: document.name, did: 'moved to the trash', decidedAt: null, posts: false });
    next();
  };
  const back = [list, isInbox ? 'Inbox' : 'Documents'] as const;
  if (document === null || form === null) return <Heading title="Document" back={back} of={loaded} thing="document" />;
  const rehearses = writes && hasSystem && isObject(values) && document.status !== 'processed';
  return (
    <>
      <Heading key={id} title={document.name} back={back} of={loaded}>
        <span class="pair">
          <button
            type="button"
            class="plain"
            disabled={neighbours.before === null}
            onClick={() => neighbours.open(neighbours.before)}
            aria-label="Previous document"
          >
            ↑
          </button>
          <button
            type="button"
            class="plain"
            disabled={neighbours.after === null}
            onClick={() => neighbours.open(neighbours.after)}
            aria-label="Next document"
          >
            ↓
          </button>
        </span>
        {writes && (
          <button
            type="button"
            class="bad"
            disabled={actions.working || !isSeen}
            onClick={(event: Event) => void (decides(event) && discard())}
          >
            Trash
          </button>
        )}
        {rehearses && (
          <Action class="plain" disabled={actions.working} does={rehearsal.rehearse}>
            Rehearse
          </Action>
        )}
        {decisions.map(({ name, look, act }) => (
          <button type="button" class={look} disabled={actions.working || !isSeen} onClick={act}>
            {name}
          </button>
        ))}
      </Heading>
      {document.error && isObject(values) && <p class="failure">{document.error}</p>}
      <Remarks form={{ ...form, fields: stored }} choose={focusValue} />
      <Facts document={document} />
      {rehearsal.found && <Rehearsed of={rehearsal.found} />}
      {isObject(values) ? <Contents key={id} form={form} /> : <Nothing document={document} />}
      <Unsaved document={document} count={countOf(form.draft)} actions={actions} />
    </>
  );
};
