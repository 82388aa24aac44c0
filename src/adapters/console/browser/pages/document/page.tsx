import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import { isObject } from '../../../../../domain/json.ts';
import { to, useAddress } from '../../address.ts';
import { arranged, fieldsOf } from '../../form/form.ts';
import { countOf } from '../../form/form-entries.ts';
import { useIsAdmin, useMayWrite, useVersion } from '../../parts/agents.ts';
import { Button, Empty, Heading } from '../../parts/basics.tsx';
import { remember, useLatest } from '../../parts/decided.tsx';
import { documentOf, read, type Tagged, trash } from '../../parts/document-requests.ts';
import { allowed } from '../../parts/document-state.ts';
import { draftOf } from '../../parts/draft.ts';
import { useLive } from '../../parts/live.ts';
import { Action, act, notify } from '../../parts/notice.tsx';
import { cache, type Loaded, show } from '../../queries.ts';
import { useActions } from './actions.ts';
import { Contents } from './contents.tsx';
import { decisionsOf, undoing, useSeenDecisions } from './decisions.ts';
import { useDocumentKeys } from './document-keys.ts';
import { EInvoice } from './einvoice.tsx';
import { EraseButton } from './erase.tsx';
import { Facts } from './facts.tsx';
import { HoldButton } from './hold.tsx';
import { useNeighbours } from './neighbours.ts';
import { Remarks } from './reasons.tsx';
import { Rehearsed, useRehearsal } from './rehearsal.tsx';
import { Unsaved } from './unsaved.tsx';
import { focusValue } from './values.tsx';

const Nothing = ({ document: { status, error } }: { readonly document: Schemas['DocumentDetail'] }) =>
  status === 'extracting' ? (
    <Empty title="Being read">
      <p>The agent is reading it. The values appear here by themselves.</p>
    </Empty>
  ) : (
    <Empty title="No values">
      <p>{error ?? 'Nothing was read from it.'}</p>
    </Empty>
  );

/** The list from which the document was opened. */
const cameFrom = ({
  from,
  ...query
}: ReturnType<typeof useAddress>['query']): readonly [address: string, name: string] => {
  if (from === 'inbox') return [to('/inbox'), 'Inbox'];
  if (from === 'ready') return [to('/ready', { agent_id: query.agent_id, after: query.after }), 'Ready to post'];
  return [to('/documents', query), 'Documents'];
};

interface AdminActs {
  readonly of: Schemas['DocumentDetail'];
  readonly held: () => void;
  readonly erased: () => void;
}

const AdminActions = ({ of: document, held, erased }: AdminActs) => (
  <div class="actions">
    <HoldButton of={document} after={held} />
    {document.hold === null && <EraseButton of={document} after={erased} />}
  </div>
);

const Neighbours = ({ of: { before, after, open } }: { readonly of: ReturnType<typeof useNeighbours> }) => (
  <span class="pair">
    <Button class="plain" off={before === null} onClick={() => open(before)} aria-label="Previous document">
      ↑
    </Button>
    <Button class="plain" off={after === null} onClick={() => open(after)} aria-label="Next document">
      ↓
    </Button>
  </span>
);

/** The fields of a document as they are stored, and as its draft has them. */
const useFields = (document: Schemas['DocumentDetail'] | null, version: ReturnType<typeof useVersion>['data']) => {
  const values = document?.document_data;
  const draft = document && draftOf(document);
  const schema = version?.definition.document_schema ?? {};
  const rows = draft?.rows ?? {};
  // A table may have thousands of rows, and every key that is typed draws the page again.
  const stored = useMemo(() => (isObject(values) ? fieldsOf(values, schema) : []), [values, version]);
  const fields = useMemo(() => arranged(stored, rows), [stored, draft?.rows]);
  return { draft, schema, stored, fields };
};

/**
 * Follows what becomes of the document. Other values never take the place of those that the user looks at: a decision on these is refused,
 * and says so.
 */
const useFollowing = ({ data, refetch }: Loaded<Tagged>, id: string) => {
  const document = data?.document;
  const look = async () => {
    const now = await read(id);
    const seen = cache.getQueryData<Tagged>(documentOf(id).queryKey)?.document;
    // Another answer may have overtaken this one.
    if (seen?.revision === now.document.revision && seen.updated_at <= now.document.updated_at)
      await show(documentOf(id), now);
  };
  const isMoving = ['extracting', 'processing'].includes(document?.status ?? '') || document?.posting.next_attempt_at;
  // Where it cannot be read, the page shows what it has.
  useLive(document ? ['document.*'] : [], () => void (isMoving ? refetch() : look().catch(() => {})), id);
};

/** Says that changes are not saved once the user has left the document for another page. */
const useUnsavedNotice = (document: Schemas['DocumentDetail'] | null) =>
  useEffect(
    () => () => {
      if (document === null || location.pathname === to(`/documents/${document.id}`)) return;
      if (countOf(draftOf(document)) > 0)
        notify(`What you changed in ${document.name} is not saved. It waits there, in this tab of the browser.`);
    },
    [document],
  );

export const Document = ({ id }: { readonly id: string }) => {
  const loaded = useQuery(documentOf(id));
  const { data, refetch } = loaded;
  const document = data?.document ?? null;
  const { data: version, isPending: isVersionAwaited } = useVersion(
    document?.agent_id ?? null,
    document?.agent_version ?? 1,
  );
  const writes = useMayWrite();
  const isAdmin = useIsAdmin();
  const values = document?.document_data;
  const { draft, schema, stored, fields } = useFields(document, version);
  const neighbours = useNeighbours(id);
  const { query, go } = useAddress();
  const back = cameFrom(query);
  const [list] = back;
  const next = () => {
    // A user who has gone elsewhere while the server took its time stays there.
    if (location.pathname !== to(`/documents/${id}`)) return;
    if (neighbours.after === null) go(list);
    else neighbours.open(neighbours.after);
  };
  const actions = useActions(loaded, fields);
  const isUnsaved = draft !== null && countOf(draft) > 0;
  // It rehearses what is saved, and is no decision: who asks for it is told that it saves.
  const rehearsal = useRehearsal(document, isUnsaved ? actions.save : actions.settle);
  const hasSystem = Boolean(version?.definition.system_of_record);
  const after = () => void ((query.review || query.from) && next());
  useUnsavedNotice(document);
  useFollowing(loaded, id);
  const form = document && draft && { document, fields, draft, schema, edits: writes && allowed(document).edit };
  const { isSeen, decides, decisions } = useSeenDecisions(
    document,
    // All of them at once: one that comes later would make a person look again, and what they press is lost.
    form && writes && !isVersionAwaited ? decisionsOf(form, hasSystem, actions, after) : [],
  );
  useDocumentKeys(writes ? form : null, decisions, undoing(document, actions, useLatest()), neighbours);
  const discard = async () => {
    if (document === null || (await act({ does: () => trash(id) })) === null) return;
    remember([document], { did: 'moved to the trash' });
    next();
  };
  // A button that is disabled would lose the focus.
  const isWaiting = actions.working || !isSeen;
  if (document === null || form === null) return <Heading title="Document" back={back} of={loaded} thing="document" />;
  const rehearses = writes && hasSystem && isObject(values) && document.status !== 'processed';
  return (
    <>
      <Heading key={id} title={document.name} back={back} of={loaded}>
        <Neighbours of={neighbours} />
        {writes && document.hold === null && (
          <button
            type="button"
            class="bad"
            aria-disabled={isWaiting || undefined}
            onClick={(event: Event) => void (!actions.working && decides(event) && discard())}
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
          // A button that had the focus does not become another one under it.
          <button key={name} type="button" class={look} aria-disabled={isWaiting || undefined} onClick={act}>
            {name}
          </button>
        ))}
      </Heading>
      {document.error && isObject(values) && <p class="failure">{document.error}</p>}
      <Remarks form={{ ...form, fields: stored }} choose={focusValue} />
      <Facts document={document} isPosted={hasSystem} />
      <EInvoice document={document} />
      {rehearsal.found && <Rehearsed of={rehearsal.found} />}
      {isObject(values) ? <Contents key={id} form={form} /> : <Nothing document={document} />}
      {isAdmin && <AdminActions of={document} held={refetch} erased={next} />}
      <Unsaved document={document} count={countOf(form.draft)} actions={actions} />
    </>
  );
};
