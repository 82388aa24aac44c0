import { type Outbound, OutboundFailure } from '../ports/outbound.ts';
import type { Log } from '../ports/runtime.ts';
import type { PageReader } from '../ports/search.ts';
import type { TextExtractor } from '../ports/text.ts';

const TERMS = { timeoutSeconds: 10, maxBytes: 5_000_000, redirects: 5 };
const ACCEPT = 'text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.8, */*;q=0.1';

/** What the address calls the page: it gives the format if the server does not. */
const nameOf = (url: string) => new URL(url).pathname.split('/').at(-1) || 'page';

/** Pages of the web: fetched from the internet alone, and read where no page can do harm. */
export const webPages = ({
  outbound,
  text,
  log,
}: {
  outbound: Outbound;
  text: TextExtractor;
  log: Log;
}): PageReader => ({
  async read(address, sharer, signal) {
    const unread = (reason: string) => {
      log.debug({ host: URL.parse(address)?.hostname, reason }, 'a page that was found is not used');
      return null;
    };
    try {
      const request = { method: 'GET', url: address, headers: { accept: ACCEPT }, body: null } as const;
      const { status, headers, body: data, url } = await outbound.send(request, TERMS, signal);
      if (status !== 200) return unread(`It answered ${status}.`);
      const file = {
        fileName: nameOf(url),
        contentType: headers['content-type'] ?? '',
        data,
        articleOnly: true,
        sharer,
      };
      const [part] = await text.extract(file, signal);
      if (!part || part.unreadable !== null) return unread(`It ${part?.unreadable ?? 'is empty'}.`);
      return { url, text: part.pages.map((page) => page.text).join('\n\n') };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundFailure) return unread(error.message);
      throw error;
    }
  },
});
