import { useRef } from 'preact/hooks';
import { closeDialog, Dialog, showDialog } from '../../../parts/dialogs.tsx';
import { useImage } from '../../../parts/image.ts';
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
  const { image, failure, isLoading, tryAgain } = useImage(frame, `${id} ${index} ${page} ${WIDTH}`, (signal) =>
    runPage({ id, index, page }, WIDTH, signal),
  );
  const title = `Page ${page} of ${fileName}`;
  return (
    <Dialog title={title}>
      <div
        ref={frame}
        class={isLoading ? 'sheet loading' : 'sheet'}
        aria-busy={isLoading}
        style={{ aspectRatio: ratio }}
      >
        {image && <img src={image} alt={title} />}
        {isLoading && <p>The page is being drawn…</p>}
        {failure && (
          <div class="missing" role="alert">
            <p>{failure}</p>
            <button type="button" class="plain" onClick={tryAgain}>
              Try again
            </button>
          </div>
        )}
      </div>
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
      </div>
    </Dialog>
  );
};

export const showLarge = (page: LargeProps): void => showDialog(<Large {...page} />);
