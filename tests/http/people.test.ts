import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { OperatedPeople } from '../../src/composition/modules/access.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { callApi } from '../support/api.ts';
import { aPlace, serveHere } from '../support/here.ts';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly disabled: boolean;
}

describe('people, the workspace file and the operator', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let here: Awaited<ReturnType<typeof serveHere>>;
  let admin: string;
  before(async () => {
    place = await aPlace();
    here = await serveHere(place.settings);
    await apply({ ada: 'admin', bob: 'member' });
    admin = await here.key('ada@example.com');
  });
  after(async () => {
    await here.stop();
    await place.remove();
  });

  const apply = async (roles: Readonly<Record<string, string>>, { prune = false, dryRun = false } = {}) => {
    const users = Object.entries(roles).map(
      ([name, role]) => `{ email: ${name}@example.com, name: ${name}, role: ${role} }`,
    );
    const spec = readWorkspaceFile(`workspace: acme\nusers: [${users.join(', ')}]\n`, {});
    return here.container.get(WorkspaceService).apply(spec, { dryRun, prune });
  };
  const codeOf = async (work: Promise<unknown>) => {
    const error = await work.catch((thrown: unknown) => thrown);
    return error instanceof DomainError ? error.code : error;
  };
  const call = async <T>(path: string, body?: object, method?: string) =>
    (await callApi<{ data: T }>(here.url, admin, path, { body, ...(method && { method }) })).body.data;
  const people = async () => (await call<{ users: Person[] }>('/users')).users;
  const state = async () =>
    (await here.container.get(OperatedPeople).list()).map(
      ({ name, role, disabled }) => `${name} ${role}${disabled ? ' off' : ''}`,
    );
  const idOf = async (name: string) => (await people()).find(({ email }) => email === `${name}@example.com`)?.id ?? '';

  it('keeps, when it prunes, people whom no file names, and takes them over once one does', async () => {
    await call('/users', { email: 'Grace@example.com', name: 'Grace', role: 'viewer' });
    const kept = await apply({ ada: 'admin', bob: 'member' }, { prune: true });
    expect(kept.map(({ action, name }) => `${action} ${name}`)).to.not.include('remove grace@example.com');
    expect(await state()).to.deep.equal(['ada admin', 'bob member', 'Grace viewer']);
    await apply({ ada: 'admin', bob: 'member', grace: 'member' });
    expect(await state()).to.deep.equal(['ada admin', 'bob member', 'grace member']);
    await apply({ ada: 'admin', bob: 'member' }, { prune: true });
    expect(await state()).to.deep.equal(['ada admin', 'bob member']);
  });

  it('sets names and roles as the file says, and enables nobody', async () => {
    const id = await idOf('bob');
    await call(`/users/${id}`, { name: 'Robert', role: 'viewer', disabled: true }, 'PATCH');
    expect(await state()).to.deep.equal(['ada admin', 'Robert viewer off']);
    await apply({ ada: 'admin', bob: 'admin' });
    expect(await state()).to.deep.equal(['ada admin', 'bob admin off']);
  });

  it('leaves a workspace an administrator who is enabled, also in a dry run', async () => {
    const before = await state();
    for (const [roles, options] of [
      [{ ada: 'member', bob: 'admin' }, {}],
      [{ ada: 'member', bob: 'admin' }, { dryRun: true }],
      [{ bob: 'admin' }, { prune: true }],
    ] as const)
      expect(await codeOf(apply(roles, options))).to.equal('last_admin');
    expect(await state()).to.deep.equal(before);
    const operated = here.container.get(OperatedPeople);
    expect(await codeOf(operated.setDisabled('ada@example.com', true))).to.equal('last_admin');
    await operated.setDisabled('Bob@Example.com', false);
    await apply({ ada: 'member', bob: 'admin' });
    expect(await state()).to.deep.equal(['ada member', 'bob admin']);
    await apply({ ada: 'admin', bob: 'admin' });
  });

  it('lets the operator add people, to the workspace that there is or to the one that is meant', async () => {
    const operated = here.container.get(OperatedPeople);
    const eve = { email: 'eve@example.com', name: 'Eve', role: 'member' as const };
    expect(await operated.add(eve, null)).to.include({ email: 'eve@example.com', disabled: false });
    expect(await codeOf(operated.add(eve, 'acme'))).to.equal('email_taken');
    expect(await codeOf(operated.add({ ...eve, email: 'x@example.com' }, 'nosuch'))).to.equal('not_found');
    await here.apply('workspace: other\nusers: [{ email: max@example.com, name: Max, role: admin }]\n');
    expect(await codeOf(operated.add({ ...eve, email: 'x@example.com' }, null))).to.equal('invalid_request');
    expect((await operated.list()).map(({ email, workspace }) => `${email} ${workspace}`)).to.include.members([
      'eve@example.com acme',
      'max@example.com other',
    ]);
  });
});
