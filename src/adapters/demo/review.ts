import { type Portico, PorticoError } from '../../client/portico.ts';
import { type Batch, type Outcome, otherAccount, sentAgain, wrongSum } from './samples.ts';
import type { Screen } from './screen.ts';
import type { ReadDocument, Result } from './show.ts';

/** A document, and the tag of what was read of it, for `If-Match`. */
interface Tagged {
  readonly document: ReadDocument;
  readonly tag: string;
}

type Exchanged = Awaited<ReturnType<Portico['exchange']>>;

const tagged = ({ response, text }: Exchanged): Tagged => ({
  document: (JSON.parse(text) as { readonly data: ReadDocument }).data,
  tag: response.headers.get('etag') ?? '',
});

const path = '/api/v1/documents/{id}';

/** Shows a review: makes the calls that a program makes for the person who reviews, and prints what each of them answers. */
const reviewStory = (client: Portico, show: Screen) => {
  const read = async (id: string): Promise<Tagged> => {
    show.line();
    show.call(`GET  ${path}`, 'with its review, and the ETag of it');
    const version = tagged(await client.exchange('get', path, { params: { path: { id } } }));
    const { name, review } = version.document;
    show.bad(name, `review: ${review.status}`);
    for (const { message } of review.reasons) show.aside(message);
    for (const { pointer, xml, page_value: shown, page } of version.document.einvoice?.differences ?? [])
      show.aside(`${pointer}: “${xml}” in the XML, ${shown === null ? 'nothing' : `“${shown}” on page ${page}`}`);
    return version;
  };

  /** Whether the server refuses to process the document. */
  const isHeld = async (id: string, code: string): Promise<boolean> => {
    show.call(`POST ${path}`, 'to process it all the same');
    try {
      await client.post(path, { params: { path: { id } } });
      return false;
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== code) throw error;
      show.bad(`${error.status} ${error.code}`, error.detail);
      return true;
    }
  };

  /** Whether the system of record would take the document. */
  const isTaken = async (id: string): Promise<boolean> => {
    show.call(`POST ${path}/rehearsal`, 'what the ledger would say, without writing');
    const { would, reason } = await client.post('/api/v1/documents/{id}/rehearsal', { params: { path: { id } } });
    const tell = would === 'reject' ? show.bad : show.good;
    tell(`would: ${would}`, reason ?? '');
    return would !== 'reject';
  };

  const correct = async ({ document: { id, document_data: before }, tag }: Tagged, value: number): Promise<Tagged> => {
    show.call(`PATCH ${path}`, 'what it should be: a JSON Patch, with If-Match');
    const body = { patch: [{ op: 'replace' as const, path: '/total', value }] };
    const corrected = tagged(
      await client.exchange('patch', path, { params: { path: { id }, header: { 'if-match': tag } }, body }),
    );
    const { revision, checks } = corrected.document;
    const failed = checks.filter(({ status }) => status === 'failed').length;
    show.good(
      `revision ${revision}`,
      `/total: ${before?.total} → ${value}; ${failed === 0 ? 'every check passed' : `${failed} checks failed`}`,
    );
    return corrected;
  };

  const decide = async (
    { document: { id }, tag }: Tagged,
    decision: 'approve' | 'reject',
    note: string,
  ): Promise<void> => {
    show.call(`POST ${path}/review`, `"decision": "${decision}", with If-Match`);
    const params = { path: { id }, header: { 'if-match': tag } };
    const { review, revision } = await client.post('/api/v1/documents/{id}/review', {
      params,
      body: { decision, note },
    });
    show.good(`revision ${revision}`, `${review.status} by ${review.reviewer?.name}: ${note}`);
  };

  const post = async (id: string): Promise<ReadDocument> => {
    show.call(`POST ${path}`, 'writes the revision that was approved');
    const processed = await client.post(path, { params: { path: { id } } });
    if (processed.status === 'processed') show.good(processed.name, processed.status);
    else show.bad(processed.name, `${processed.status}: ${processed.error}`);
    return processed;
  };

  return { read, isHeld, isTaken, correct, decide, post };
};

/** Documents of earlier demos: the first invoice would be a duplicate of them. */
const trashEarlier = async (client: Portico, show: Screen, agentId: string): Promise<void> => {
  const { documents } = await client.get('/api/v1/documents', { params: { query: { agent_id: agentId, limit: 100 } } });
  for (const { id } of documents) await client.delete(path, { params: { path: { id } } });
  if (documents.length > 0)
    show.aside(`${documents.length} documents of an earlier demo were moved to the trash first.`);
};

interface ReviewDemo {
  readonly client: Portico;
  readonly show: Screen;
  readonly agentId: string;
  /** Has the files of the batch read; the ids of the documents. */
  send(batch: Batch): Promise<readonly (string | undefined)[]>;
}

type Story = ReturnType<typeof reviewStory>;

/** The first sample of a batch, with what became of it; without a document it could not be read. */
const resultOf = ({ samples: [sample] }: Batch, outcome: Outcome, document: ReadDocument | null): readonly Result[] =>
  sample ? [{ sample, outcome, document }] : [];

/** Net amount and tax, in cents that are whole. */
const totalOf = ({ document_data: data }: ReadDocument) =>
  Math.round((Number(data?.net_amount) + Number(data?.tax)) * 100) / 100;

const enterCorrected = async ({ read, isHeld, correct, decide, post }: Story, id: string) => {
  const version = await read(id);
  const isFlagged = version.document.review.reasons.some(({ code }) => code === 'check_failed');
  const held = await isHeld(id, 'review_required');
  await decide(await correct(version, totalOf(version.document)), 'approve', 'The supplier confirms the total.');
  const document = await post(id);
  return resultOf(wrongSum, isFlagged && held && document.status === 'processed' ? 'processed' : 'refused', document);
};

const rejectCopy = async ({ read, isHeld, isTaken, decide }: Story, id: string, original: string | undefined) => {
  const version = await read(id);
  const isDuplicate = version.document.duplicates.some(
    ({ document_id: other, reason }) => other === original && reason === 'key',
  );
  const taken = await isTaken(id);
  await decide(version, 'reject', 'It is in the ledger, under the same number.');
  const held = await isHeld(id, 'review_rejected');
  return resultOf(sentAgain, isDuplicate && held && !taken ? 'held' : 'refused', version.document);
};

const rejectForged = async ({ read, isHeld, decide }: Story, id: string) => {
  const version = await read(id);
  const differs = version.document.einvoice?.differences.some(({ pointer }) => pointer === '/iban') ?? false;
  await decide(version, 'reject', 'The supplier knows nothing of the account in the XML.');
  const held = await isHeld(id, 'review_rejected');
  return resultOf(otherAccount, differs && held ? 'held' : 'refused', version.document);
};

/** Holds back, corrects, approves and enters one invoice, and rejects the two that are sent after it. */
export const reviewInvoices = async ({ client, show, agentId, send }: ReviewDemo): Promise<readonly Result[]> => {
  const story = reviewStory(client, show);
  await trashEarlier(client, show, agentId);
  const [id] = await send(wrongSum);
  const entered = id === undefined ? resultOf(wrongSum, 'unreadable', null) : await enterCorrected(story, id);
  const [copy] = await send(sentAgain);
  const rejected = copy === undefined ? resultOf(sentAgain, 'unreadable', null) : await rejectCopy(story, copy, id);
  const [forged] = await send(otherAccount);
  const differing =
    forged === undefined ? resultOf(otherAccount, 'unreadable', null) : await rejectForged(story, forged);
  return [...entered, ...rejected, ...differing];
};
