import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { cli } from './run-cli.ts';

const stored = path.resolve(import.meta.dirname, '../../docs/workspace.schema.json');

describe('portico init', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'portico-init-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a file that is right as it is, and with its table', async () => {
    const file = path.join(folder, 'mine.yaml');
    const { code, out, err } = await cli(['init', file]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.include(`portico apply -f ${file}`);
    const text = await readFile(file, 'utf8');
    const plain = readWorkspaceFile(text, {});
    expect(plain.agents.map(({ systemOfRecord }) => systemOfRecord)).to.deep.equal([null]);
    const withTable = text.replaceAll(/^#\| /gm, '');
    expect(withTable).to.not.include('#| ');
    const spec = readWorkspaceFile(withTable, { MY_DATABASE_URL: 'postgresql://h/d' });
    expect(spec.agents[0]?.systemOfRecord?.connection).to.equal(spec.connections[0]?.name);
    const isValid = new Ajv2020().compile(JSON.parse(await readFile(stored, 'utf8')));
    for (const each of [text, withTable]) expect(isValid(parse(each)), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('writes the schema beside the file, and names it in the first line', async () => {
    const file = path.join(folder, 'w.yaml');
    const schema = path.join(folder, 'workspace.schema.json');
    await writeFile(schema, '{ "description": "of an older version" }');
    const { out } = await cli(['init', file]);
    expect(out).to.include(schema);
    const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(await readFile(file, 'utf8')) ?? [];
    expect(path.resolve(folder, named)).to.equal(schema);
    expect(JSON.parse(await readFile(schema, 'utf8'))).to.deep.equal(JSON.parse(await readFile(stored, 'utf8')));
  });

  it('leaves a file that is there as it is', async () => {
    const file = path.join(folder, 'mine.yaml');
    await writeFile(file, 'workspace: acme\n');
    const { code, out, err } = await cli(['init', file, '--json']);
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.equal(`portico: ${file} is there already: it stays as it is\n`);
    expect(await readFile(file, 'utf8')).to.equal('workspace: acme\n');
    expect(await readdir(folder)).to.deep.equal(['mine.yaml']);
  });

  it('says in one line where a file cannot be written', async () => {
    const file = path.join(folder, 'none', 'mine.yaml');
    expect(await cli(['init', file])).to.deep.equal({
      code: 1,
      out: '',
      err: `portico: ${file} cannot be written: there is no such folder\n`,
    });
  });

  it('says as JSON what it wrote', async () => {
    const file = path.join(folder, 'mine.yaml');
    const { code, out } = await cli(['init', file, '--json']);
    expect({ code, wrote: JSON.parse(out) }).to.deep.equal({
      code: 0,
      wrote: { file, schema: path.join(folder, 'workspace.schema.json') },
    });
  });
});

describe('portico workspace schema', () => {
  it('prints the schema that is stored with the documentation', async () => {
    const { code, out } = await cli(['workspace', 'schema']);
    expect(code).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal(JSON.parse(await readFile(stored, 'utf8')));
  });
});
