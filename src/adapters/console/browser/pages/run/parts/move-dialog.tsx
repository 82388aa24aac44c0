import { type Division, type Sheet, sheetsText } from '../../../division/division.ts';
import { FormDialog, showDialog } from '../../../parts/dialogs.tsx';
import type { Moves } from './moves.ts';
import { pieceText } from './use-division.ts';

const NONE = 'none';

interface MoveDialogProps {
  readonly sheets: readonly Sheet[];
  readonly division: Division;
  readonly names: readonly string[];
  readonly moves: Moves;
}

/** Browsers do so in other fields. */
const submitByEnter = (event: KeyboardEvent) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  (event.currentTarget as HTMLSelectElement).form?.requestSubmit();
};

/** Asks where the pages go. */
const MoveDialog = ({ sheets, division, names, moves }: MoveDialogProps) => {
  const fileNames = new Set(sheets.filter(({ page }) => page > 0).map(({ fileName }) => fileName));
  const places = division
    .map((piece, place) => ({ piece, place }))
    .filter(({ piece }) => piece.pages.length > 0 && fileNames.has(piece.fileName));
  const move = (to: string) => {
    if (to === NONE) return moves.toNone(sheets);
    const kind = to.slice(0, 4);
    const rest = to.slice(4);
    if (kind === 'new ') moves.begin(rest, sheets);
    else moves.moveTo(Number(rest), sheets);
  };
  return (
    <FormDialog
      title={`Move ${sheetsText(sheets)}`}
      yes="Move"
      busy="Moving…"
      submit={async (entered) => String(entered.get('to'))}
      after={move}
    >
      <label class="field">
        To
        <select name="to" onKeyDown={submitByEnter}>
          {places.length > 0 && (
            <optgroup label="Parts">
              {places.map(({ piece, place }) => (
                <option value={`part${place}`}>{pieceText(piece, place)}</option>
              ))}
            </optgroup>
          )}
          <optgroup label="A new part">
            {names.map((name) => (
              <option value={`new ${name}`}>new: {name}</option>
            ))}
          </optgroup>
          <option value={NONE}>not in any part</option>
        </select>
      </label>
    </FormDialog>
  );
};

export const askWhere = (props: MoveDialogProps): void => showDialog(<MoveDialog {...props} />);
