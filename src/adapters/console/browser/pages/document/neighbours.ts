import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { to, useAddress } from '../../address.ts';
import { documentFilter, documentList, MOST_WAITING } from '../../parts/document-list.ts';
import { documentOf } from '../../parts/document-requests.ts';
import { cache } from '../../queries.ts';
import { filesAhead } from './files.ts';

/** The documents before and after this one, as the list has them from which it was opened; the next one is loaded ahead. */
export const useNeighbours = (id: string) => {
  const { query, go } = useAddress();
  const isInbox = query.from === 'inbox';
  const list = documentList(documentFilter(query), query.from ? MOST_WAITING : undefined);
  const { data } = useQuery({
    ...list,
    // The list from which the document was opened has it: it is not asked again.
    staleTime: ({ state }) =>
      state.data?.documents.some((document) => document.id === id) ? Number.POSITIVE_INFINITY : 0,
  });
  const listed = data?.documents.map((document) => document.id) ?? [];
  const ids = isInbox ? listed.toReversed() : listed;
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  useEffect(() => {
    if (after === null) return;
    const once = { staleTime: Number.POSITIVE_INFINITY };
    void cache.prefetchQuery({ ...documentOf(after), ...once });
    void cache.prefetchQuery({ ...filesAhead(after), ...once });
  }, [after]);
  const open = (other: string | null) => {
    if (other !== null) go(to(`/documents/${other}`, query));
  };
  return { before, after, open };
};
