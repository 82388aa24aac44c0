import { useEffect } from 'preact/hooks';
import { useAddress } from '../../../address.ts';
import { askBeforeClosing } from '../../../closing.ts';
import { confirm } from '../../../parts/dialogs.tsx';

const linkOf = (event: MouseEvent): HTMLAnchorElement | null => {
  const isOther = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  return isOther ||
    link === null ||
    link.target === '_blank' ||
    link.download ||
    link.getAttribute('href')?.startsWith('#')
    ? null
    : link;
};

/** Asks before the page is left, while something on it is not saved. */
export const useLeaving = (isUnsaved: boolean): void => {
  const { go } = useAddress();
  useEffect(() => {
    if (!isUnsaved) return;
    const endAsking = askBeforeClosing(() => true);
    const following = (event: MouseEvent) => {
      const link = linkOf(event);
      if (link === null || link.origin !== location.origin) return;
      event.preventDefault();
      event.stopPropagation();
      confirm({
        title: 'Leave without saving?',
        text: 'The moves of pages are not saved. They wait here, in this tab of the browser, until you save or discard them.',
        yes: 'Leave',
        does: async () => go(link.href.slice(location.origin.length)),
      });
    };
    addEventListener('click', following, { capture: true });
    return () => {
      endAsking();
      removeEventListener('click', following, { capture: true });
    };
  }, [isUnsaved]);
};
