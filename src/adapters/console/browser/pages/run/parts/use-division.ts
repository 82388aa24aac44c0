import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { PorticoError } from '../../../../../../client/portico.ts';
import { signatureOf } from '../../../../../../domain/routing/partition.ts';
import { messageOf, withToken } from '../../../api.ts';
import {
  changesOf,
  type Division,
  divisionOf,
  type Files,
  isSame,
  type Piece,
  pagesText,
} from '../../../division/division.ts';
import { keepDraft, keptDraft, nowOf, onto, stepBack, withStep } from '../../../division/division-draft.ts';
import { notify } from '../../../parts/notice.tsx';
import { show } from '../../../queries.ts';
import { type Detail, readRun, runOf, sendParts, type TaggedRun } from '../run-requests.ts';

export type RunPart = Detail['parts'][number];

const filesOf = ({ parts, unassigned }: Detail): Files => {
  const files = new Map<string, number[]>();
  for (const { file_name: name, pages } of [...parts, ...unassigned]) {
    const known = files.get(name) ?? [];
    for (const page of pages) known.push(page);
    files.set(name, known);
  }
  return new Map([...files].map(([name, pages]) => [name, pages.sort((a, b) => a - b)]));
};

/** `part 2, invoice, pages 3–4 of bundle.pdf`. */
export const pieceText = (piece: Piece, place: number): string => {
  const pages = pagesText(piece.pages);
  return `part ${place + 1}, ${piece.name}, ${pages ? `${pages} of ` : ''}${piece.fileName}`;
};

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const isCode = (error: unknown, code: string) => error instanceof PorticoError && error.code === code;

const KEPT =
  'Somebody else has changed the parts of this run. They are shown as they are now, with your changes: look again, and save.';
const LOST =
  'Somebody else has changed the same parts of this run. They are shown as they are now; your changes do not fit them any more, and are taken back.';

/** The parts of a run as a person has them, and what they have changed and not saved. */
export const useDivision = (seen: TaggedRun) => {
  const { run } = seen;
  const files = useMemo(() => filesOf(run), [run]);
  const base = useMemo(() => divisionOf(files, run.parts), [files]);
  const draft = useSignal(keptDraft(run.id));
  const working = useSignal(false);
  const said = useSignal('');

  const set = (next: typeof draft.value) => {
    draft.value = next;
    keepDraft(run.id, next);
  };

  useEffect(() => {
    if (draft.value === null) return;
    const { draft: next, fits } = onto(files, draft.value, base);
    if (next === draft.value) return;
    set(next);
    notify(fits ? KEPT : LOST, true);
  }, [base]);

  const now = draft.value !== null && isSame(draft.value.base, base) ? nowOf(draft.value) : base;
  const parts = useMemo(
    () => new Map(run.parts.map((part) => [signatureOf({ ...part, fileName: part.file_name }), part] as const)),
    [run],
  );
  const partOf = (piece: Piece): RunPart | undefined => parts.get(signatureOf(piece));
  const documents = useMemo(() => new Map(run.documents.map((document) => [document.id, document])), [run]);
  const documentOf = (part: RunPart | undefined) => (part?.document_id ? documents.get(part.document_id) : undefined);
  const isPosted = (piece: Piece) => ['processing', 'processed'].includes(documentOf(partOf(piece))?.status ?? '');

  const change = (next: Division, what: string): boolean => {
    const posted = changesOf(base, next).gone.find(isPosted);
    if (posted !== undefined) {
      notify(`${capital(pieceText(posted, base.indexOf(posted)))}, stays as it is: its document is posted.`, true);
      return false;
    }
    if (isSame(next, now)) return false;
    set(withStep(draft.value ?? { base, steps: [] }, next));
    said.value = what;
    return true;
  };

  /** What is refused, with what to do about it. */
  const why = (error: unknown, tried: Division, current: TaggedRun): string => {
    if (!isCode(error, 'part_processed')) return messageOf(error);
    const statuses = new Map(current.run.documents.map(({ id, status }) => [id, status]));
    const signatures = new Set(tried.map(signatureOf));
    const places = new Map(base.map((piece, place) => [signatureOf(piece), place]));
    const posted = current.run.parts
      .map((part) => ({ ...part, fileName: part.file_name }))
      .filter((part) => !signatures.has(signatureOf(part)))
      .filter(({ document_id: id }) => ['processing', 'processed'].includes(statuses.get(id ?? '') ?? ''));
    const named = posted.map((part) => capital(pieceText(part, places.get(signatureOf(part)) ?? -1))).join('; ');
    return `${named || 'One of the parts that you changed'}: the document is posted, or is being posted, so that the part stays as it is. Undo what you changed of it, and save again.`;
  };

  const settle = async (saved: TaggedRun) => {
    await show(runOf(run.id), saved);
    set(null);
    const read = saved.run.parts.filter(({ status }) => status === 'reading').length;
    notify(
      read === 0 ? 'The parts are saved.' : `The parts are saved. ${read === 1 ? 'One is' : `${read} are`} being read.`,
    );
  };

  const send = async (from: TaggedRun, wanted: Division): Promise<TaggedRun | null> => {
    try {
      return await withToken(() => sendParts(run.id, from.etag, wanted));
    } catch (error) {
      const current = await withToken(() => readRun(run.id));
      const theirs = divisionOf(files, current.run.parts);
      if (isCode(error, 'revision_changed')) {
        // The answer to a first attempt was lost, or what changed is not about the parts.
        if (isSame(theirs, wanted)) return current;
        if (isSame(theirs, base) && from === seen) return send(current, wanted);
      } else notify(why(error, wanted, current), true);
      await show(runOf(run.id), current);
      return null;
    }
  };

  const save = async () => {
    if (working.value) return;
    working.value = true;
    try {
      const saved = await send(seen, now);
      if (saved !== null) await settle(saved);
    } catch (error) {
      notify(messageOf(error), true);
    } finally {
      working.value = false;
    }
  };

  return {
    files,
    base,
    now,
    partOf,
    documentOf,
    isPosted,
    change,
    save,
    say: (text: string) => {
      said.value = text;
    },
    undo: () => {
      if (draft.value === null) return;
      set(stepBack(draft.value));
      said.value = 'The last move is taken back.';
    },
    discard: () => {
      set(null);
      said.value = 'All moves are taken back.';
    },
    isChanged: draft.value !== null,
    working: working.value,
    said: said.value,
  };
};

export type Divided = ReturnType<typeof useDivision>;
