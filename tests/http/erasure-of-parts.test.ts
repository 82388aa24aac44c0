import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { SourceWorker } from '../../src/composition/modules/sources.ts';
import { email } from '../fixtures/text/files.ts';
import { sendToApi } from '../support/api.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { aFolder } from '../support/server.ts';
import { type ShownRun, untilRead } from './divided-runs.ts';
import { keptLog, nowhere, wordsOf } from './erased-words.ts';
import { openReadingWorld, type ReadingWorld } from './files-read.ts';

const reader = (name: string) => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: [string, "null"] }, total: { type: [number, "null"] } } }
    required_values: []
    review: when_flagged
    tools: [documents]`;

const workspace = (folder: string) => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:${reader('Reader')}${reader('Order reader')}
  - name: Post room
    workflow_type: document_routing
    model: offline
    instructions: Divide what comes in.
    parts:
      - { name: invoice, agent: Reader, description: Invoices of suppliers }
      - { name: order, agent: Order reader, description: Orders }
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
sources:
  - { name: inbox, agent: Reader, type: folder, path: "${folder}", after: keep, every: 1h }
`;

let words = 0;
/** One that occurs nowhere else. */
const aWord = () => `Einzelwort${Date.now()}${words++}`;

describe('erasure of a part of what came together', () => {
  let folder: string;
  let world: ReadingWorld;
  let has: ReturnType<typeof wordsOf>;
  const logged = keptLog();

  before(async () => {
    folder = path.join(await realpath(await aFolder()), 'inbox');
    await mkdir(folder);
    world = await openReadingWorld(workspace(folder), { log: logged.log, env: { SOURCE_FOLDERS: folder } });
    has = wordsOf(world, logged.lines);
    world.composition.container.get(SourceWorker).start();
  });
  after(async () => {
    await world?.composition.container.get(SourceWorker).stop(0);
    await world?.stop();
    await rm(path.dirname(folder), { recursive: true });
  });

  const shown = async (id: string) => {
    const answer = await sendToApi(world.baseUrl, world.ada, `/runs/${id}`);
    return { run: ((await answer.json()) as { data: ShownRun }).data, etag: answer.headers.get('etag') ?? '' };
  };
  const ended = (id: string) => untilRead(() => shown(id));
  const divided = async (files: readonly object[]) =>
    (await ended((await world.run(files, { agent: 'Post room' })).id)).run;
  const read = async (id: string | null | undefined) =>
    (await world.call<Record<string, unknown>>(`/documents/${id}`)).body.data;
  const keysOf = (files: readonly object[]) => files.map((file) => (file as { file_key: string }).file_key);
  /** How many bytes the file store has of them, and of what was made of them. */
  const stored = async (files: readonly object[]) => {
    const blobs = world.composition.container.get(BlobStore);
    const sizes = await Promise.all(keysOf(files).map((key) => blobs.weigh(key)));
    return sizes.reduce((sum, { own, beside }) => ({ own: sum.own + own, beside: sum.beside + beside }));
  };
  const nothing = { own: 0, beside: 0 };

  /** Two invoices whose pages are mixed, a blank page, an order. */
  const mixed = async ([first, second, order]: readonly [string, string, string]) =>
    bundleOf(
      [
        await simplePaper('Invoice', first, { pages: 2, total: '10.00' }),
        await simplePaper('Invoice', second, { pages: 2, supplier: 'Marlow Cheese Ltd', total: '20.00' }),
        await simplePaper('Order', order, { total: '30.00' }),
      ],
      [
        { of: 0, page: 1 },
        { of: 1, page: 1 },
        { of: 0, page: 2 },
        { of: 1, page: 2 },
        { of: null, page: 1 },
        { of: 2, page: 1 },
      ],
    );
  const three = () => [aWord(), aWord(), aWord()] as const;
  const bundle = async (numbers: readonly [string, string, string]) => {
    const files = await world.upload({ 'bundle.pdf': await mixed(numbers) }, 'Post room');
    const run = await divided(files);
    expect(run.parts.map(({ pages, status }) => [pages, status])).to.deep.equal([
      [[1, 3], 'ready'],
      [[2, 4], 'ready'],
      [[6], 'ready'],
    ]);
    const [first, second, order] = run.parts.map(({ document_id: id }) => id ?? '') as [string, string, string];
    return { files, run, first, second, order };
  };
  /** What people have of a document that stays; what they had of its file is gone. */
  const kept = async (id: string) => {
    const { files: _, ...document } = await read(id);
    const { body } = await world.call<object>(`/threads/${document.conversation_id}`);
    const { events } = (await world.call<{ events: readonly { document_id: string }[] }>('/events?limit=1000')).body
      .data;
    return { document, thread: body.data, events: events.filter(({ document_id: of }) => of === id) };
  };

  it('leaves the other parts whole, and nothing of the file, which has their pages too', async () => {
    const numbers = three();
    const { files, run, first, second, order } = await bundle(numbers);
    for (const what of ['pages/1', 'pages/1/words'])
      expect((await sendToApi(world.baseUrl, world.ada, `/documents/${first}/files/0/${what}`)).status).to.equal(200);
    const talk = (await world.run([], { message: 'Hello', agent: 'Clerk' })).conversations[0]?.id ?? '';
    await has.say(talk, `In ${keysOf(files)[0]} is ${numbers[0]}.`);
    const before = [await kept(second), await kept(order)];
    expect(await has.inDatabase(numbers[0])).to.include.members(['documents', 'messages', 'run_parts']);
    expect(Object.values(await stored(files)).every((bytes) => bytes > 0)).to.equal(true);
    expect((await has.erase({ document_id: first })).status).to.equal(200);
    expect(await has.everywhere(numbers[0])).to.deep.equal(nowhere);
    expect(await stored(files)).to.deep.equal(nothing);
    expect([await kept(second), await kept(order)]).to.deep.equal(before);
    const { run: left } = await shown(run.id);
    expect(left.parts.map(({ name, pages, document_id: id }) => [name, pages, id])).to.deep.equal([
      ['erased', [1, 3], null],
      ['invoice', [2, 4], second],
      ['order', [6], order],
    ]);
    expect(left.parts.slice(1)).to.deep.equal(run.parts.slice(1));
    expect((await world.call<{ messages: readonly object[] }>(`/threads/${talk}`)).body.data.messages).to.have.length(
      2,
    );
    for (const id of [second, order]) expect((await has.erase({ document_id: id })).status).to.equal(200);
    expect(await has.status(`/runs/${run.id}`), 'once nothing of it is left').to.equal(404);
    for (const number of numbers) expect(await has.everywhere(number)).to.deep.equal(nowhere);
  });

  it('forgets what was attached to a mail under its name, and leaves what else was', async () => {
    const [subject, one, two] = three();
    const postcard = await simplePaper('Postcard', 'none', { supplier: 'Greetings from the seaside' });
    const withPostcard = await bundleOf(
      [await simplePaper('Invoice', one, { total: '9.00' }), postcard],
      [
        { of: 0, page: 1 },
        { of: null, page: 1, words: 'Trennblatt' },
        { of: 1, page: 1 },
      ],
    );
    const attached = [
      { name: `${one}.pdf`, type: 'application/pdf', data: withPostcard },
      { name: `${two}.pdf`, type: 'application/pdf', data: await simplePaper('Invoice', two, { total: '8.00' }) },
    ];
    const files = await world.upload({ [`${subject}.eml`]: email('Order number: 12', attached) }, 'Post room');
    const run = await divided(files);
    const of = (name: string) =>
      run.parts.filter(({ file_name: file }) => file.includes(name)).map(({ document_id: id }) => id ?? '');
    const [staying = ''] = of(two);
    const before = await kept(staying);
    expect(JSON.stringify(before), 'pages that nobody reads').to.include(one);
    for (const id of of(one)) expect((await has.erase({ document_id: id })).status).to.equal(200);
    expect(await has.everywhere(one)).to.deep.equal(nowhere);
    const after = await kept(staying);
    expect(after.document.document_data).to.deep.equal(before.document.document_data);
    expect(after.document.evidence).to.deep.equal(before.document.evidence);
    expect(after.document.name).to.equal(`${subject}.eml › ${two}.pdf, page 1`);
    expect(after.thread).to.deep.equal(before.thread);
    const left = (await shown(run.id)).run.parts;
    expect(left.map(({ file_name: file }) => file)).to.deep.equal([`${subject}.eml`, `${subject}.eml › ${two}.pdf`]);
    for (const { document_id: id } of left) expect((await has.erase({ document_id: id })).status).to.equal(200);
    for (const word of [subject, two]) expect(await has.everywhere(word)).to.deep.equal(nowhere);
  });

  it('takes what was read of the same pages in other parts, in other runs and under other names along', async () => {
    const numbers = three();
    const { files, run, first, order } = await bundle(numbers);
    const renamed = files.map((file) => ({ ...file, file_name: 'other.pdf' }));
    const other = await divided(renamed);
    const { etag } = await shown(run.id);
    const parts = [
      { name: 'invoice', file_name: 'bundle.pdf', pages: [1] },
      { name: 'invoice', file_name: 'bundle.pdf', pages: [2, 3, 4] },
      { name: 'order', file_name: 'bundle.pdf', pages: [6] },
    ];
    const changed = await world.call(`/runs/${run.id}/parts`, {
      method: 'PATCH',
      headers: { 'if-match': etag },
      body: { parts },
    });
    expect(changed.status).to.equal(200);
    const { run: again } = await ended(run.id);
    const [, both] = again.parts;
    const before = await kept(order);
    expect((await has.erase({ document_id: both?.document_id })).status).to.equal(200);
    expect(await has.everywhere(numbers[1])).to.deep.equal(nowhere);
    expect(await stored(files)).to.deep.equal(nothing);
    const gone = [both?.document_id, first, other.parts[0]?.document_id, other.parts[1]?.document_id];
    for (const id of gone) expect(await has.sql('select from documents where id = $1', [id])).to.deep.equal([]);
    expect(await kept(order)).to.deep.equal(before);
    expect(await has.status(`/documents/${other.parts[2]?.document_id}`)).to.equal(200);
    expect(await has.status(`/documents/${again.parts[0]?.document_id}`), 'the first page alone').to.equal(200);
    for (const { id } of [run, other]) expect((await has.erase({ run_id: id })).status).to.equal(200);
    for (const number of numbers) expect(await has.everywhere(number)).to.deep.equal(nowhere);
  });

  it('is refused while a document of another part is held, whose pages would go', async () => {
    const { files, first, second } = await bundle(three());
    await world.call(`/documents/${second}/hold`, { method: 'PUT', body: { reason: 'So.' } });
    const refused = await has.erase({ document_id: first });
    expect([refused.status, (refused.body as { code?: string }).code]).to.deep.equal([409, 'held']);
    expect((await stored(files)).own).to.be.above(0);
    await world.call(`/documents/${second}/hold`, { method: 'DELETE' });
    expect((await has.erase({ document_id: first })).status).to.equal(200);
  });

  it('takes the documents along that were read again of its files, each in a run of its own', async () => {
    const word = aWord();
    const first = await world.run(await world.upload({ [`${word}.txt`]: `Number: ${word}` }), {
      message: `Read ${word}.`,
    });
    const id = first.documents[0]?.id;
    const started = await world.call(`/documents/${id}/reread`, { body: {} });
    const second = await world.ended(started.body.data.id);
    expect((await has.erase({ document_id: second.documents[0]?.id })).status).to.equal(200);
    expect(await has.everywhere(word)).to.deep.equal(nowhere);
    for (const run of [first, second]) expect(await has.status(`/runs/${run.id}`)).to.equal(404);
  });

  it('leaves no word of what came from a source, which is not taken again and may stay there', async () => {
    const word = aWord();
    const checked = async () =>
      (await has.sql<{ at: Date }>('select last_checked_at as at from sources'))[0]?.at?.getTime();
    const look = async () => {
      const before = await checked();
      await world.call('/sources/inbox/check', { method: 'POST' });
      for (let tries = 0; (await checked()) === before; tries += 1) {
        if (tries > 300) throw new Error('it is not looked at');
        await sleep(100);
      }
    };
    const items = async () =>
      (
        await world.call<{ items: readonly { name: string; why_not: string | null; run_id: string | null }[] }>(
          '/sources/inbox/intake',
        )
      ).body.data.items;
    await writeFile(path.join(folder, `${word}.txt`), `Number: ${word}`);
    await sleep(2500);
    await look();
    const [taken] = await items();
    expect(taken?.name).to.equal(`${word}.txt`);
    const run = await world.ended(taken?.run_id ?? '');
    expect(await has.inDatabase(word)).to.include.members(['runs', 'source_items']);
    expect((await has.erase({ document_id: run.documents[0]?.id })).status).to.equal(200);
    expect(await has.everywhere(word)).to.deep.equal(nowhere);
    await look();
    expect(await has.everywhere(word), 'it is there still').to.deep.equal(nowhere);
    await writeFile(path.join(folder, `${word}-again.txt`), `Number: ${word}`);
    await sleep(2500);
    await look();
    await look();
    expect(await has.everywhere(word), 'it comes again').to.deep.equal(nowhere);
    expect((await items()).map(({ name, why_not: why, run_id: of }) => [name, why, of])).to.deep.equal([
      ['erased', 'already taken', null],
      ['erased', null, null],
    ]);
    expect(await has.sql('select from runs where source is not null')).to.deep.equal([]);
  });
});
