import { useLocation } from 'preact-iso/router';
import { ROOT } from './settings.ts';

type Query = Readonly<Record<string, string | null | undefined>>;

/** Values that are empty are left out. */
const withQuery = (path: string, query: Query): string => {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

/** The whole address of a page of the console, such as `/documents`. */
export const to = (page: string, query: Query = {}): string => withQuery(page === '/' ? ROOT : ROOT + page, query);

/** Where the user is, and the ways from there. */
export const useAddress = () => {
  const { path, query, route } = useLocation();
  return {
    /** The path below the console, such as `/documents`. */
    page: path.slice(ROOT.length) || '/',
    query: query as Readonly<Record<string, string | undefined>>,
    go: (address: string) => route(address),
    /** Changes parts of the query that the address has by then, and keeps the others. */
    setQuery(changes: Query, replace = false): void {
      const now = Object.fromEntries(new URLSearchParams(location.search));
      route(withQuery(location.pathname, { ...now, ...changes }), replace);
    },
  };
};
