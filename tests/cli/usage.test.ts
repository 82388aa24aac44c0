import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { cli, lines } from './run-cli.ts';

const commands = [
  'serve',
  'migrate',
  'init',
  'apply',
  'workspace schema',
  'users list',
  'keys create',
  'keys list',
  'keys revoke',
  'keys rotate',
  'agents list',
  'agents versions',
  'agents show',
  'agents diff',
  'agents publish',
  'runs create',
  'runs list',
  'runs show',
  'threads show',
  'threads send',
  'runs watch',
  'runs cancel',
  'runs dismiss',
  'documents list',
  'documents export',
  'documents show',
  'documents approve',
  'documents reject',
  'documents edit',
  'documents revisions',
  'documents process',
  'documents reread',
  'documents restore',
  'doctor',
  'demo',
];

describe('the command line', () => {
  it('has help for every command, with an example', async () => {
    for (const command of commands) {
      const { code, out, err } = await cli([...command.split(' '), '--help']);
      expect({ code, err }, command).to.deep.equal({ code: 0, err: '' });
      expect(out, command)
        .to.include(`Usage: portico ${command}`)
        .and.match(/Examples:\n {2}\S/);
    }
  });

  it('takes --json wherever there is a result to print', async () => {
    // An export is for a program as it is, and the demo for a person.
    const without = ['serve', 'documents export', 'demo'];
    expect((await cli(['demo', '--json'])).code).to.equal(2);
    for (const command of commands.filter((each) => !without.includes(each))) {
      expect((await cli([...command.split(' '), '--help'])).out, command).to.include('--json');
    }
  });

  it('ends with 2 where it is used wrongly, and suggests what was meant', async () => {
    const wrong: Readonly<Record<string, string>> = {
      rnus: 'Did you mean runs?',
      'runs lst': 'Did you mean list?',
      'migrate --jsno': 'Did you mean --json?',
      'agents list extra': 'too many arguments',
      'serve --role boss': 'Allowed choices are all, api, worker',
      'runs show': "missing required argument 'id'\nUsage: portico runs show [options] <id>\n",
      'documents get x': 'Did you mean show?',
      'documents ls': 'Did you mean list?',
      ...Object.fromEntries(
        ['webhooks', 'users', 'sources', 'database', 'holds'].map((group) => [
          `${group} get`,
          `unknown command 'get'\n(portico ${group} --help lists the commands)\n`,
        ]),
      ),
      'documents frobnicate': "unknown command 'frobnicate'\n(portico documents --help lists the commands)\n",
      'keys revoke x': 'It must be an id',
    };
    for (const [argv, expected] of Object.entries(wrong)) {
      const { code, out, err } = await cli(argv.split(' '));
      expect({ code, out }, argv).to.deep.equal({ code: 2, out: '' });
      expect(err, argv)
        .to.match(/^portico: /)
        .and.include(expected);
    }
    for (const argv of [[], ['runs'], ['documents']]) expect(await cli(argv)).to.include({ code: 2, out: '' });
  });

  it('spells out control characters of what was typed', async () => {
    expect((await cli(['\u001b[31mrun'])).err).to.not.include('\u001b');
  });

  it('prints its version', async () =>
    expect(await cli(['--version'])).to.deep.equal({ code: 0, out: '1.2.3\n', err: '' }));

  it('hands serve its role and demo its options, and ends as they do', async () => {
    const asked: object[] = [];
    const answer = (code: number) => async (options: object) => {
      asked.push(options);
      return code;
    };
    expect(await cli(['serve', '--role', 'worker'], { serve: answer(0) })).to.include({ code: 0 });
    expect(await cli(['serve'], { serve: answer(1) })).to.include({ code: 1 });
    expect(await cli(['demo'], { demo: answer(1) })).to.include({ code: 1 });
    expect(await cli(['demo', '--apply'], { demo: answer(0) })).to.include({ code: 0 });
    expect(asked).to.deep.equal([{ role: 'worker' }, { role: 'all' }, { apply: false }, { apply: true }]);
  });

  it('prints the tables of the documentation', async () => {
    const settings = [
      { env: 'PORT', fallback: '3000', about: 'The port.' },
      { env: 'DATABASE_URL', fallback: null, about: 'Unset: embedded | ours.' },
    ];
    expect(lines((await cli(['settings'], { settings })).out)).to.deep.equal([
      '| Variable | Default | What it sets |',
      '| - | - | - |',
      '| `PORT` | `3000` | The port. |',
      '| `DATABASE_URL` |  | Unset: embedded \\| ours. |',
    ]);
    const operations = async () => [
      { method: 'get', path: '/api/v1/agents', summary: 'List agents', access: 'agents:read' },
    ];
    expect(lines((await cli(['operations'], { operations })).out)[2]).to.equal(
      '| `GET /api/v1/agents` | List agents | agents:read |',
    );
  });

  it('loads nothing heavy before a command asks for it', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, specifier = ''] of text.matchAll(/^import (?!type\b)[^;]*?from '([^']+)';$/gms)) {
        if (specifier.startsWith('.')) visit(path.resolve(path.dirname(file), specifier));
        else packages.add(specifier);
      }
    };
    visit(path.resolve(import.meta.dirname, '../../src/adapters/cli/cli.ts'));
    expect(seen.size).to.be.above(10);
    expect([...packages].filter((name) => !name.startsWith('node:'))).to.deep.equal(['commander']);
  });
});
