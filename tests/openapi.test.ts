import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { breakingChanges } from '../tools/openapi-changes.mjs';

const root = path.resolve(import.meta.dirname, '..');

describe('the stored OpenAPI description', () => {
  it('is what the server serves', async () => {
    await promisify(execFile)(process.execPath, [path.join(root, 'tools/openapi.mjs'), '--check']);
  });

  const stored = readFileSync(path.join(root, 'docs/openapi.json'), 'utf8');

  // biome-ignore lint/suspicious/noExplicitAny: tests change the document in places that no type names
  type Document = any;
  const changed = (change: (document: Document) => void) => {
    const after: Document = JSON.parse(stored);
    change(after);
    return breakingChanges(JSON.parse(stored), after);
  };
  const run = (document: Document) => document.components.schemas.Run;
  const create = (document: Document) => document.paths['/api/v1/agents/{agent_id}/run'].post;
  const body = (document: Document) => create(document).requestBody.content['application/json'].schema;
  const listed = (document: Document) => document.paths['/api/v1/runs'].get.parameters;

  const breaks: Readonly<Record<string, readonly [change: (document: Document) => void, message: RegExp]>> = {
    'an operation that is gone': [
      (document) => delete document.paths['/api/v1/runs'].get,
      /^GET \/api\/v1\/runs is gone$/,
    ],
    'a field of an answer that is gone': [(document) => delete run(document).properties.trace_id, /trace_id is gone$/],
    'a field of an answer that may be missing': [
      (document) => run(document).required.pop(),
      /is no longer always there$/,
    ],
    'a field of an answer that has another type': [
      (document) => {
        run(document).properties.attempt.type = 'string';
      },
      /attempt can now be string$/,
    ],
    'a new value of a status': [
      (document) => document.components.schemas.RunStatus.enum.push('paused'),
      /status can now be paused$/,
    ],
    'a field of a body that is required now': [
      (document) => {
        body(document).required = ['files'];
      },
      /body\.files is required now$/,
    ],
    'a parameter that is gone': [(document) => listed(document).shift(), /query\.\w+ is gone$/],
    'a new parameter that is required': [
      (document) => listed(document).push({ name: 'region', in: 'query', required: true, schema: {} }),
      /query\.region is required now$/,
    ],
    'a limit that is tighter': [
      (document) => {
        listed(document).find(({ name }: { name: string }) => name === 'limit').schema.maximum = 50;
      },
      /query\.limit has a tighter maximum: 50$/,
    ],
    'an answer that has another status': [
      (document) => delete create(document).responses[200],
      /no longer answers 200$/,
    ],
  };
  for (const [what, [change, message]] of Object.entries(breaks)) {
    it(`is not changed by ${what} without a word`, () => {
      const found = changed(change);
      expect(found).to.have.length.above(0);
      for (const line of found) expect(line).to.match(message);
    });
  }

  it('may gain operations, optional parameters, fields of answers and error codes, and other texts', () => {
    const found = changed((document) => {
      document.paths['/api/v1/new'] = { get: { operationId: 'getNew', responses: {} } };
      run(document).properties.queue = { type: 'object' };
      run(document).required.push('queue');
      listed(document).push({ name: 'after', in: 'query', required: false, schema: { type: 'string' } });
      create(document).responses[402] = {};
      create(document).summary = 'Another text';
    });
    expect(found).to.deep.equal([]);
  });
});
