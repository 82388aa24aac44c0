import { expect } from 'chai';
import { composed } from '../support/composed.ts';
import { filled, type Harness } from '../support/http.ts';

/** With the default settings: 256 GiB and 2000 open URLs for a workspace, 100 MiB for a file. */
describe('what a member may take of the file store of a workspace', () => {
  let server: Harness;
  let [admin, member] = ['', ''];
  before(async () => {
    server = await composed();
    [admin, member] = [await server.key(), await server.key({ role: 'member' })];
  });
  after(() => server.stop());

  const post = async (key: string, path: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${server.baseUrl}/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { code?: string; detail?: string } };
  };
  const aHundredUrls = async (key: string, of: object = {}) => {
    const { params } = await server.request('createUploadUrls');
    const files = Array.from({ length: 100 }, (_, index) => ({
      file_name: `${index}.txt`,
      content_type: 'text/plain',
      ...of,
    }));
    return post(key, filled('/agents/{agent_id}/upload-urls', params), { files });
  };
  const aSnapshot = async (sizeBytes: number) =>
    post(admin, '/sandbox-snapshots', { ...((await server.request('createSnapshot')).body as object), sizeBytes });

  it('is half of what is left, in URLs and in bytes, so that the others go on', async () => {
    for (let count = 0; count < 10; count++) expect((await aHundredUrls(member)).status).to.equal(200);
    const { status, body } = await aHundredUrls(member);
    expect([status, body.code]).to.deep.equal([400, 'upload_quota_exceeded']);
    expect(body.detail).to.match(
      /^100 more upload URLs, with the 1000 of yours that are open, are more than the 1000 that you may have/,
    );
    expect(body.detail).to.match(
      /has 0 bytes in files of runs, .* and 1000 open URLs for 97\.6 GiB\. Start runs with what is uploaded, /,
    );
    for (let count = 0; count < 4; count++) expect((await aHundredUrls(admin)).status).to.equal(200);
  });

  it('has snapshots in it', async () => {
    const fiveGiB = 5 * 1024 ** 3;
    // 256 GiB without the 97.6 GiB of the member: half of it is 79.1 GiB, and 39 GiB of that are open for files.
    for (let count = 0; count < 8; count++) expect((await aSnapshot(fiveGiB)).status).to.equal(200);
    const { status, body } = await aSnapshot(fiveGiB);
    expect([status, body.code]).to.deep.equal([400, 'upload_quota_exceeded']);
    expect(body.detail).to.match(
      /^Uploads of 5 GiB, with the 79 GiB of yours that are open .* are more than the 79\.1 GiB that you may have/,
    );
    expect((await aSnapshot(1000)).status).to.equal(200);
  });

  it('is no file over the largest size, whatever is said', async () => {
    const { status, body } = await aHundredUrls(admin, { size_bytes: 104_857_601 });
    expect([status, body.code]).to.deep.equal([400, 'invalid_request']);
    expect(body.detail).to.match(/^body\.files\[0\]\.size_bytes must be at most 104857600/);
  });
});
