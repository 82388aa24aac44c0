import type { ComponentProps, RefObject } from 'preact';
import type { useImage } from './image.ts';

interface SheetProps extends Omit<ComponentProps<'div'>, 'ref' | 'class'> {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly shown: Pick<ReturnType<typeof useImage>, 'failure' | 'isLoading' | 'tryAgain'>;
  readonly page: number;
}

/** The place of a page: its children, and what is said there until its image is drawn, or where that fails. */
export const Sheet = ({ frame, shown, page, children, ...rest }: SheetProps) => {
  const { failure, isLoading, tryAgain } = shown;
  return (
    <div ref={frame} class={isLoading ? 'sheet loading' : 'sheet'} aria-busy={isLoading} {...rest}>
      {children}
      {isLoading && <p>Page {page} is being drawn…</p>}
      {failure && (
        <div class="missing" role="alert">
          <p>{failure}</p>
          <button type="button" class="plain" onClick={tryAgain}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
};
