import { useRef } from 'preact/hooks';
import { closeDialog, Dialog, showDialog } from '../../../parts/dialogs.tsx';
import { useImage } from '../../../parts/image.ts';
import { Sheet } from '../../../parts/sheet.tsx';
import { runPage } from '../run-requests.ts';

const WIDTH = 1200;

interface LargeProps {
  readonly runId: string;
  readonly index: number;
  readonly page: number;
  readonly fileName: string;
  readonly ratio: number;
}

const Large = ({ runId: id, index, page, fileName, ratio }: LargeProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useImage(frame, `${id} ${index} ${page} ${WIDTH}`, (signal) =>
    runPage({ id, index, page }, WIDTH, signal),
  );
  const title = `Page ${page} of ${fileName}`;
  return (
    <Dialog title={title}>
      <Sheet frame={frame} shown={shown} page={page} style={{ aspectRatio: ratio }}>
        {shown.image && <img src={shown.image} alt={title} />}
      </Sheet>
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
      </div>
    </Dialog>
  );
};

export const showLarge = (page: LargeProps): void => showDialog(<Large {...page} />);
