import { changesOf } from '../../../division/division.ts';
import { countText, documentsText } from '../../../parts/basics.tsx';
import type { Moves } from './moves.ts';
import type { Divided } from './use-division.ts';
import type { PageSelection } from './use-selection.ts';

interface BarProps {
  readonly divided: Divided;
  readonly selection: PageSelection;
  readonly moves: Moves;
  readonly isRead: (name: string) => boolean;
  readonly askWhere: () => void;
  readonly isOver: boolean;
}

const partsText = (count: number) => (count === 1 ? 'one part' : `${countText(count)} parts`);

/** What saving does. */
const consequence = ({ base, now, partOf }: Divided, isRead: BarProps['isRead']): string => {
  const { gone, fresh } = changesOf(base, now);
  const read = fresh.filter(({ name }) => isRead(name)).length;
  const trashed = gone.filter((piece) => partOf(piece)?.document_id).length;
  return [
    read > 0 && `${partsText(read)} will be read`,
    fresh.length > read && `${partsText(fresh.length - read)} will be read by nobody`,
    trashed > 0 && `${documentsText(trashed)} will go to the trash`,
    `${partsText(now.length - fresh.length)} will stay as ${now.length - fresh.length === 1 ? 'it is' : 'they are'}`,
  ]
    .filter(Boolean)
    .join(', ');
};

/** What is selected and what may be done with it, and what is not saved. */
export const Bar = ({ divided, selection, moves, isRead, askWhere, isOver }: BarProps) => {
  const count = selection.names.length;
  if (count === 0 && !divided.isChanged) return null;
  return (
    <div class="unsaved bar" role="region" aria-label="Changes">
      {count > 0 && (
        <div class="bar-row">
          <span>{count === 1 ? 'One page' : `${countText(count)} pages`} selected</span>
          <button type="button" class="plain" onClick={() => moves.moveBeside(-1)}>
            To the part before
          </button>
          <button type="button" class="plain" onClick={() => moves.moveBeside(1)}>
            To the part after
          </button>
          <button type="button" class="plain" onClick={askWhere}>
            Move to…
          </button>
          <button
            type="button"
            class={`plain ${isOver ? 'over' : ''}`}
            data-drop="new"
            onClick={() => moves.begin(moves.usualName(moves.about()), moves.about())}
          >
            New part
          </button>
          <button type="button" class="plain" onClick={() => moves.toNone(moves.about())}>
            Out of all parts
          </button>
          <button type="button" class="text" onClick={selection.clear}>
            Select none
          </button>
        </div>
      )}
      {divided.isChanged && (
        <div class="bar-row">
          <span>
            <strong>Not saved:</strong> {consequence(divided, isRead)}.
          </span>
          <button type="button" class="plain" onClick={divided.undo}>
            Undo
          </button>
          <button type="button" class="plain" onClick={divided.discard}>
            Discard
          </button>
          <button type="button" aria-disabled={divided.working || undefined} onClick={() => void divided.save()}>
            {divided.working ? 'Saving…' : 'Save'}
          </button>
        </div>
      )}
    </div>
  );
};
