import { isDeepStrictEqual } from 'node:util';
import type { Portico, Schemas } from '../../client/portico.ts';
import type { Screen } from './screen.ts';
import { numberOf } from './show.ts';

/** What the scanner made of a day's post: one invoice lies between the pages of another. */
export const bundle = {
  agent: 'Post room',
  file: 'post-of-the-day.pdf',
  /** Name, pages and number of each part; page 6 is a blank sheet. */
  parts: [
    ['invoice', [1], 'SM-6612'],
    ['order', [2], 'PO-7790'],
    ['invoice', [3, 5], 'KP-2291'],
    ['invoice', [4], '80417'],
    ['invoice', [7], 'BH/1188'],
    ['order', [8], 'PO-7791'],
  ],
} as const;

interface BundleDemo {
  readonly client: Portico;
  readonly show: Screen;
  readonly agentId: string;
  /** Uploads the file; an entry of `files` of a new run. */
  upload(): Promise<readonly Schemas['RunFile'][]>;
}

const pagesText = (pages: readonly number[]) => `${pages.length === 1 ? 'page' : 'pages'} ${pages.join(', ')}`;

/** Has the bundle divided and its parts read; what went otherwise than it should, a sentence each. */
export const divideBundle = async ({ client, show, agentId, upload }: BundleDemo): Promise<readonly string[]> => {
  show.step('A bundle that the scanner made');
  const files = await upload();
  const path = { agent_id: agentId };
  show.call(`POST /api/v1/agents/${agentId}/run`, 'one file, of which the parts are read');
  const { id } = await client.post('/api/v1/agents/{agent_id}/run', { params: { path }, body: { files } });
  show.call(`GET  /api/v1/runs/${id}`, 'its parts, and the pages that are in none');
  const { parts, unassigned } = await client.waitForRun(id);
  show.line();
  const rows: (readonly [string, readonly number[], unknown])[] = [];
  for (const { name, pages, document_id: document, evidence } of parts) {
    const read = document && (await client.get('/api/v1/documents/{id}', { params: { path: { id: document } } }));
    const number = numberOf((read || null)?.document_data ?? null);
    rows.push([name, pages, number]);
    show.good(`${name}, ${pagesText(pages)}`, String(number ?? 'not read'));
    for (const { page, quote } of evidence.slice(0, 1)) show.aside(`begins on page ${page}: “${quote}”`);
  }
  for (const { pages } of unassigned) show.aside(`${pagesText(pages)} ${pages.length === 1 ? 'is' : 'are'} in no part`);
  if (isDeepStrictEqual(rows, bundle.parts)) return [];
  return [`${bundle.file} was divided into ${JSON.stringify(rows)}.`];
};
