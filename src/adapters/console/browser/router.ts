import { computed, signal } from '@preact/signals';
import { ROOT } from './settings.ts';

const here = () => ({ path: location.pathname.slice(ROOT.length) || '/', search: location.search });

const place = signal(here());

/** The path below the console, such as `/documents`. */
export const path = computed(() => place.value.path);
export const query = computed(() => new URLSearchParams(place.value.search));

const update = () => {
  place.value = here();
};

/** The whole address of a page of the console. Values that are empty are left out. */
export const to = (target: string, params: Readonly<Record<string, string | null | undefined>> = {}): string => {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `${ROOT}${target === '/' ? '' : target}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
};

export const navigate = (address: string, { replace = false } = {}): void => {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  update();
};

/** Changes parts of the query, and keeps the others. */
export const setQuery = (changes: Readonly<Record<string, string | null>>, options?: { readonly replace?: boolean }): void =>
  navigate(to(path.value, { ...Object.fromEntries(query.value), ...changes }), options);

const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;

/** Follows links within the console without loading it again. */
export const startRouter = (): void => {
  addEventListener('popstate', update);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || !isPlain(event) || link.target !== '' || link.hasAttribute('download')) return;
    const isHere = link.origin === location.origin && (link.pathname === ROOT || link.pathname.startsWith(`${ROOT}/`));
    if (!isHere || link.hash !== '') return;
    event.preventDefault();
    navigate(link.pathname + link.search);
    scrollTo(0, 0);
  });
};
