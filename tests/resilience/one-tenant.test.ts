import { expect } from 'chai';
import { refusedIn, type Tenant, twoTenants } from './tenants.ts';

describe('what one tenant asks for, with the default settings', function () {
  this.timeout(180_000);
  const stage = twoTenants();

  /** What a correction of a new document is answered. */
  const patched = async ({ call, newDocument }: Tenant, ...patches: readonly (readonly object[])[]) => {
    const id = await newDocument();
    const statuses: number[] = [];
    for (const patch of patches) {
      const etag = (await call(`/documents/${id}`)).headers.get('etag') ?? '';
      const { status, text } = await call(`/documents/${id}`, { method: 'PATCH', body: { patch }, headers: { 'if-match': etag } });
      statuses.push(status);
      if (status !== 200) return { statuses, text };
    }
    return { statuses, text: '' };
  };

  it('a patch that copies a large text again and again is refused before it grows', async () => {
    const copies = Array.from({ length: 300 }, (_, index) => ({ op: 'copy', from: '/extra', path: `/copy${index}` }));
    const { answers, outcome, isRunning } = await stage.beside((greedy) =>
      patched(greedy, [{ op: 'add', path: '/extra', value: { a: 'x'.repeat(900_000) } }, ...copies]),
    );
    expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
    expect(outcome.statuses).to.deep.equal([400]);
    expect(outcome.text).to.include('patch[4].path makes a document that is longer than 4 MiB as JSON text');
  });

  it('a patch makes no document of more values than are looked after, nor with names that fill the memory', async () => {
    const zeros = (count: number) => Array.from({ length: count }, () => 0);
    const under = { ['n'.repeat(400_000)]: zeros(100_000) };
    for (const [value, reason] of [
      [{ a: zeros(400_000) }, 'has more than 200,000 values'],
      [under, 'has names so long that the pointers to its values come to more than 32 MiB'],
    ] as const) {
      const { answers, outcome, isRunning } = await stage.beside((greedy) => patched(greedy, [{ op: 'add', path: '', value }]));
      expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
      expect(outcome.text).to.include(`body.patch makes a document that ${reason}`);
    }
  });
});
