import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { conversationMachine } from '../src/domain/conversation.ts';
import { documentMachine } from '../src/domain/document.ts';
import { runMachine } from '../src/domain/run.ts';
import { deliveryMachine } from '../src/domain/webhook.ts';

/** Paths from the root of the project → their text. */
type Tree = Readonly<Record<string, string>>;

const MAX_LINES = 400;
const GENERATED = 'src/client/openapi.ts';

/** Strings, template texts and comments: what to keep of them depends on what is looked for. */
const TOKENS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

const isComment = (token: string) => token.startsWith('/*') || token.startsWith('//');
const withoutComments = (text: string) => text.replace(TOKENS, (token) => (isComment(token) ? ' ' : token));
const withoutTexts = (text: string) =>
  text.replace(TOKENS, (token) =>
    isComment(token) ? ' ' : token.startsWith('`') ? token.replace(/[^`]/g, ' ') : "''",
  );

const FROM = /\b(?:import|export)\b(?:\s+type\b)?[\s\w$*,{}]*?\bfrom\s*(['"])([^'"]+)\1/g;
const BARE = /\bimport\s*(['"])([^'"]+)\1/g;
const CALLED = /\b(?:import|require)\s*\(\s*(?:(['"])([^'"]+)\1)?/g;

/** What a file imports, also by `import()`, `export … from`, `import type` and `import('…').Type`; null for a computed one. */
const importsOf = (text: string): readonly (string | null)[] => {
  const code = withoutComments(text);
  return [FROM, BARE, CALLED].flatMap((form) => [...code.matchAll(form)].map((match) => match[2] ?? null));
};

/** `domain`, `wire`, `application`, `client`, `composition`, or `adapters/<family>`. */
const layerOf = (file: string): string => {
  const [, layer = '', family = ''] = file.split('/');
  return layer === 'adapters' ? `${layer}/${family.replace(/\.tsx?$/, '')}` : layer;
};

/** The folders of the application from the ground up: a file imports from its own and from those below it. */
const floors = [
  ...[
    'ports',
    'shared',
    'agents',
    'connections',
    'databases',
    'storage',
    'files',
    'snapshots',
    'documents',
    'runs',
    'events',
    'search',
  ],
  ...['access', 'tools', 'turns', 'conversations', 'webhooks', 'worker', 'workspace', 'upkeep'],
];

const floorOf = (file: string): number => floors.indexOf(file.split('/')[2] ?? '');

const wrongFloor = (file: string, target: string): string | null =>
  layerOf(target) === 'application' && floorOf(target) > floorOf(file)
    ? `imports ${target}, which stands above it`
    : null;

const usersOfTheClient = ['adapters/cli', 'adapters/demo', 'adapters/console'];

/** What they make of a use case leaves the house as it is: a message to a webhook, an answer of a tool. */
const speakers = ['src/application/tools', 'src/application/webhooks'];

const mayImport = (from: string, to: string): boolean => {
  if (from === to || from === 'composition') return true;
  if (to === 'client') return usersOfTheClient.includes(from);
  if (to === 'wire') return from.startsWith('adapters/');
  return (to === 'domain' && from !== 'client') || (to === 'application' && from.startsWith('adapters/'));
};

/** They choose a package by the machine they run on: its name cannot be written down. */
const choosesByMachine = ['src/adapters/postgres/launcher.ts'];

/** What leaves the house is described by codecs of this package, and needs no other. */
const packageOfTheWire = 'io-ts';

/** The client goes into programs of others, browsers too: it takes little with it. */
const packagesOfTheClient = ['openapi-fetch', 'p-limit', 'eventsource-parser/stream'];

const wrongPackage = (layer: string, specifier: string): string | null => {
  if (layer === 'client')
    return packagesOfTheClient.includes(specifier)
      ? null
      : `imports ${specifier}: the client needs three packages alone`;
  if (layer === 'wire' && specifier !== packageOfTheWire) return `imports ${specifier}: the wire needs io-ts alone`;
  return layer === 'domain' || layer === 'application'
    ? `imports ${specifier}: the core uses no packages and no node: modules`
    : null;
};

/** Pages of the console are independent of each other, and its program of the server's half of the adapter. */
const wrongInConsole = (file: string, target: string): string | null => {
  const [browser, pages] = ['src/adapters/console/browser/', 'src/adapters/console/browser/pages/'];
  if (file.startsWith(pages) && target.startsWith(pages)) return `imports ${target}: no page imports another`;
  const isLeft = layerOf(target) === 'adapters/console' && file.startsWith(browser) !== target.startsWith(browser);
  return isLeft ? `imports ${target}: the server and the browser do not share modules of the console` : null;
};

const wrongImport = (file: string, specifier: string | null): string | null => {
  const layer = layerOf(file);
  if (specifier === null) return choosesByMachine.includes(file) ? null : 'imports something computed';
  if (!specifier.startsWith('.')) return wrongPackage(layer, specifier);
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (!target.startsWith('src/'))
    return layer === 'composition' || layer.startsWith('adapters/') ? outside(target) : `imports ${target}`;
  if (!/\.tsx?$/.test(target)) return `imports ${specifier}: a path ends in .ts or .tsx`;
  const wrong = wrongInConsole(file, target);
  if (wrong !== null) return wrong;
  const above = layer === 'application' ? wrongFloor(file, target) : null;
  if (above !== null) return above;
  if (layerOf(target) === 'wire' && speakers.includes(path.posix.dirname(file))) return null;
  return mayImport(layer, layerOf(target)) ? null : `imports ${target}: ${layer} may not know ${layerOf(target)}`;
};

/** Beyond src an adapter may read what is data, such as package.json, and no program. */
const outside = (target: string) => (target.endsWith('.json') ? null : `imports ${target}, which is outside src`);

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly in: (file: string) => boolean;
  /** Looked for in the whole text, comments too. */
  readonly raw?: true;
}

const everywhere = () => true;

const bans: readonly Ban[] = [
  {
    what: 'reads process.env',
    pattern: /\bprocess\s*(?:\??\.\s*env\b|\[)|\benv\b[^;'"]*\bfrom\s*''/,
    in: (file) => file !== 'src/composition/main.ts',
  },
  {
    what: 'casts or types as any',
    pattern: /(?:\bas|[:<|&]|=>)\s*any\b(?!\s*[:(=.?])|,\s*any\s*>|\bany\s*\[\]/,
    in: everywhere,
  },
  { what: 'silences the type checker', pattern: /@ts-(?:ignore|expect-error|nocheck)/, in: everywhere, raw: true },
  {
    what: 'needs what type stripping cannot strip',
    pattern: /^\s*(?:export\s+)?(?:const\s+)?enum\s+\w|^\s*(?:export\s+)?namespace\s+\w/m,
    in: everywhere,
  },
  {
    what: 'declares with using, which Node 22 cannot parse',
    pattern: /^\s*(?:await\s+)?using\s+\w+\s*=/m,
    in: everywhere,
  },
  {
    what: 'writes the rule of visibility, which stands in visibility.ts',
    pattern: /visible_to\s+is\s+null|any\s*\(\s*(?:\w+\.)?visible_to/i,
    in: (file) => file !== 'src/adapters/postgres/visibility.ts' && !file.includes('/migrations/'),
    raw: true,
  },
  {
    what: 'sets a time limit past deadline(), which takes any number of seconds',
    pattern: /\bAbortSignal\s*\.\s*timeout\b/,
    in: (file) => file !== 'src/application/shared/async.ts',
  },
  { what: 're-exports everything', pattern: /\bexport\s*\*/, in: everywhere },
  {
    what: 'asks for the time, chance or the machine',
    pattern:
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\b(?:process|console)\s*\.\s*\w|\bfetch\s*\(|\bset(?:Timeout|Interval)\s*\(/,
    in: (file) => layerOf(file) === 'domain',
  },
];

const isBarrel = (text: string): boolean => {
  const code = withoutComments(text).trim();
  const rest = code
    .replace(/\bexport\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\s*(['"])[^'"]+\1\s*;?/g, '')
    .trim();
  return code !== '' && rest === '';
};

const statuses = [runMachine, documentMachine, conversationMachine, deliveryMachine].flatMap<string>(
  ({ states }) => states,
);
/** All but the key of a JSON object that has the column's name. */
const STATUS_IN_TEXT = new RegExp(`'\\s?(${statuses.join('|')})'(?!, \\w+\\.\\1\\b)`);
const STATUS_COMPARED = /\bstatus\s*(?:=|<>|!=|\b(?:not\s+)?in\s*\(|\bis\s+(?:not\s+)?distinct\s+from\b)\s*'/i;

/** SQL takes each status from its machine (states.ts of the adapter); what a migration did stays as it was done, and a browser writes none. */
const writesStatus = (file: string, text: string): boolean => {
  if (file.includes('/migrations/') || layerOf(file) === 'adapters/console') return false;
  const code = withoutComments(text);
  const texts = (code.match(TOKENS) ?? []).map((token) => token.slice(1, -1).replace(/\$\{[^}]*\}/g, ''));
  return STATUS_COMPARED.test(code) || texts.some((sql) => STATUS_IN_TEXT.test(sql));
};

const offencesIn = (file: string, text: string): readonly string[] => {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const code = withoutTexts(text);
  return [
    ...importsOf(text).map((specifier) => wrongImport(file, specifier)),
    ...bans.map(({ what, pattern, in: applies, raw }) =>
      applies(file) && pattern.test(raw ? text : code) ? what : null,
    ),
    isBarrel(text) ? 'is a barrel' : null,
    writesStatus(file, text) ? 'writes a status into SQL by hand' : null,
    lines > MAX_LINES && file !== GENERATED ? `has ${lines} lines, more than ${MAX_LINES}` : null,
    /^src\/(domain|wire|application|client|composition)\/|^src\/adapters\/[\w-]+\//.test(file)
      ? null
      : 'belongs to no layer',
    layerOf(file) === 'application' && floorOf(file) < 0 ? 'belongs to no floor of the application' : null,
  ].filter((offence) => offence !== null);
};

/** Every breach of the rules in a tree, with what was looked at: a check that saw nothing is not a pass. */
const inspect = (tree: Tree) => {
  const files = Object.entries(tree);
  const offences = files.flatMap(([file, text]) => offencesIn(file, text).map((offence) => `${file} ${offence}`));
  const seen = new Map<string, { files: number; imports: number }>();
  for (const [file, text] of files) {
    const layer = layerOf(file).split('/')[0] ?? '';
    const { files: count, imports } = seen.get(layer) ?? { files: 0, imports: 0 };
    seen.set(layer, { files: count + 1, imports: imports + importsOf(text).length });
  }
  return { offences, seen };
};

const root = path.resolve(import.meta.dirname, '..');

const sources = (): Tree => {
  const entries = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [path.relative(root, file).replaceAll(path.sep, '/'), readFileSync(file, 'utf8')]),
  );
};

describe('the architecture', () => {
  const { offences, seen } = inspect(sources());

  it('is kept by every file', () => expect(offences).to.deep.equal([]));

  it('has a style of the console that does not grow', () => {
    const style = readFileSync(path.join(root, 'src/adapters/console/browser/style.css'), 'utf8');
    expect([style.split('\n').length - 1 <= 393, style.length <= 28_943]).to.deep.equal([true, true]);
  });

  it('was looked at: every layer, and its imports', () => {
    for (const layer of ['domain', 'wire', 'application', 'client', 'adapters', 'composition']) {
      expect(seen.get(layer)?.files, `files in ${layer}`).to.be.above(2);
      expect(seen.get(layer)?.imports, `imports in ${layer}`).to.be.above(2);
    }
    expect([...seen.keys()]).to.have.members(['domain', 'wire', 'application', 'client', 'adapters', 'composition']);
  });

  it('was looked at: every import statement', () => {
    const all = Object.values(sources());
    const statements = all.flatMap((text) => text.match(/^(?:import|[^'"`]*\bfrom) ['"][^'"]+['"].*;$/gm) ?? []);
    const found = all.flatMap((text) => importsOf(text));
    expect(statements).to.have.length.above(100);
    expect(found.length).to.be.at.least(statements.length);
  });
});

/** The files that each walk of docs/architecture.md names, in order. */
const walksOf = (page: string) =>
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n');
      return { title, files: [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file) };
    });

const targetsOf = (file: string, text: string): readonly string[] =>
  importsOf(text).flatMap((specifier) =>
    specifier?.startsWith('.') ? [path.posix.join(path.posix.dirname(file), specifier)] : [],
  );

/** The files of a walk that are gone, or that no import ties to a file before them. */
const gapsIn = (walk: readonly string[], tree: Tree): readonly string[] =>
  walk.flatMap((file, index) => {
    const text = tree[file];
    if (text === undefined) return [`${file} is not there`];
    const isTied = (earlier: string) =>
      targetsOf(file, text).includes(earlier) || targetsOf(earlier, tree[earlier] ?? '').includes(file);
    return index === 0 || walk.slice(0, index).some(isTied)
      ? []
      : [`${file} imports no file before it, and none imports it`];
  });

describe('docs/architecture.md', () => {
  const walks = walksOf(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8'));

  it('has three walks', () => {
    expect(walks.map(({ title }) => title)).to.deep.equal(['A run', 'A table read', 'A tool call']);
    for (const { files } of walks) expect(files).to.have.length.above(8);
  });

  for (const { title, files } of walks) {
    it(`names files that lead from one to the next: ${title}`, () =>
      expect(gapsIn(files, sources())).to.deep.equal([]));
  }

  it('would be found out', () => {
    const tree: Tree = {
      'src/a.ts': "import { b } from './b.ts';",
      'src/b.ts': '',
      'src/c.ts': "import './a.ts';",
      'src/d.ts': '',
    };
    expect(gapsIn(['src/a.ts', 'src/b.ts', 'src/c.ts'], tree)).to.deep.equal([]);
    expect(gapsIn(['src/a.ts', 'src/d.ts', 'src/gone.ts'], tree)).to.have.length(2);
  });
});

describe('the check of the architecture', () => {
  const offends = (file: string, text: string) => inspect({ [file]: text }).offences;

  const breaches: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'a page of the console importing another, or the server the browser': [
      ['src/adapters/console/browser/pages/run.tsx', "import { Runs } from './runs.tsx';"],
      ['src/adapters/console/site.ts', "import { App } from './browser/app.tsx';"],
      ['src/adapters/console/browser/app.tsx', "import { consoleSite } from '../site.ts';"],
    ],
    'a package in the core': [
      ['src/domain/run.ts', "import { v7 } from 'uuid';"],
      ['src/application/runs.ts', "import type { Context } from 'koa';"],
    ],
    'a node: module in the core': [
      ['src/domain/run.ts', "import { randomUUID } from 'node:crypto';"],
      ['src/application/runs.ts', "import 'node:fs';"],
      ['src/application/runs.ts', "const fs = await import('node:fs');"],
    ],
    'the domain importing the application': [
      ['src/domain/run.ts', "import { caller } from '../application/caller.ts';"],
      ['src/domain/run.ts', "import type { Caller } from '../application/caller.ts';"],
      ['src/domain/run.ts', "export { caller } from '../application/caller.ts';"],
      ['src/domain/run.ts', "export type { Caller } from '../application/caller.ts';"],
      ['src/domain/run.ts', "let caller: import('../application/caller.ts').Caller;"],
      ['src/domain/run.ts', 'import {\n  a,\n  type B,\n} from "../application/caller.ts";'],
      ['src/domain/run.ts', "import * as caller from '../application/caller.ts';"],
      ['src/domain/run.ts', "import caller, { other } from '../application/caller.ts';"],
    ],
    'the application importing an adapter': [
      ['src/application/runs.ts', "import { db } from '../adapters/postgres/database.ts';"],
      ['src/application/ports/blobs.ts', "const { db } = await import('../../adapters/postgres/database.ts');"],
      ['src/application/runs.ts', "const db = require('../adapters/postgres/database.ts');"],
    ],
    'a folder of the application importing one above it, or a file in none': [
      ['src/application/ports/storage.ts', "import type { Terms } from '../shared/fair-share.ts';"],
      ['src/application/documents/findings.ts', "import type { RunService } from '../runs/runs.ts';"],
      ['src/application/runs/runs.ts', "import { turn } from '../turns/turn.ts';"],
      ['src/application/runs.ts', 'export const a = 1;'],
      ['src/application/utilities/text.ts', 'export const a = 1;'],
    ],
    'the wire importing more than the domain and io-ts': [
      ['src/wire/run.ts', "import type { RunDetail } from '../application/ports/storage.ts';"],
      ['src/wire/run.ts', "import { operation } from '../adapters/http/operation.ts';"],
      ['src/wire/run.ts', "import { createHash } from 'node:crypto';"],
      ['src/domain/run.ts', "import { run } from '../wire/run.ts';"],
      ['src/application/runs/runs.ts', "import { run } from '../../wire/run.ts';"],
    ],
    'one adapter importing another': [
      ['src/adapters/http/router.ts', "import { db } from '../postgres/database.ts';"],
      ['src/adapters/http/operations/runs.ts', "import type { Db } from '../../postgres/database.ts';"],
    ],
    'the client importing the server, or more than it needs': [
      ['src/client/portico.ts', "import { parseJson } from '../domain/json-number.ts';"],
      ['src/client/portico.ts', "import type { Run } from '../wire/run.ts';"],
      ['src/client/upload.ts', "import { openAsBlob } from 'node:fs';"],
      ['src/client/portico.ts', "import * as t from 'io-ts';"],
    ],
    'the server importing the client': [
      ['src/adapters/http/router.ts', "import type { paths } from '../../client/openapi.ts';"],
      ['src/application/runs.ts', "import { portico } from '../client/portico.ts';"],
    ],
    'anything importing the composition': [
      ['src/adapters/cli/serve.ts', "import { config } from '../../composition/config.ts';"],
      ['src/application/runs.ts', "export { config } from '../composition/config.ts';"],
    ],
    'a program outside src': [
      ['src/adapters/http/router.ts', "import { x } from '../../../tests/support/builders.ts';"],
      ['src/domain/run.ts', "import pkg from '../../package.json';"],
    ],
    'a computed import': [['src/adapters/http/router.ts', 'await import(name);']],
    'a path without its ending': [['src/adapters/http/router.ts', "import { run } from '../../domain/run';"]],
    'a barrel': [
      ['src/domain/index.ts', "export { a } from './run.ts';"],
      ['src/domain/all.ts', "export * from './run.ts';"],
      ['src/domain/all.ts', "// everything\nexport { a } from './run.ts';\nexport type { B } from './document.ts';\n"],
    ],
    'a file that is too long': [['src/domain/run.ts', 'const a = 1;\n'.repeat(MAX_LINES + 1)]],
    'a file outside the layers': [
      ['src/utils/text.ts', 'export const a = 1;'],
      ['src/main.ts', 'export const a = 1;'],
      ['src/adapters/text.ts', 'export const a = 1;'],
    ],
    'the environment read elsewhere': [
      ['src/adapters/http/router.ts', 'const port = process.env.PORT;'],
      ['src/composition/config.ts', "const port = process['env'].PORT;"],
      ['src/adapters/http/router.ts', "import { env } from 'node:process';"],
    ],
    any: [
      ['src/adapters/http/router.ts', 'const a = b as any;'],
      ['src/adapters/http/router.ts', 'const f = (a: any) => a;'],
      ['src/adapters/http/router.ts', 'const a: Record<string, any> = {};'],
      ['src/adapters/http/router.ts', 'const a: readonly any[] = [];'],
      ['src/adapters/http/router.ts', 'const a = <any>b;'],
    ],
    'a silenced type checker': [
      ['src/domain/run.ts', '// @ts-ignore\nconst a = 1;'],
      ['src/domain/run.ts', '// @ts-expect-error\nconst a = 1;'],
      ['src/domain/run.ts', '// @ts-nocheck\nconst a = 1;'],
    ],
    'a declaration with using': [
      ['src/adapters/cli/uploads.ts', "  await using file = await open(path, 'r');"],
      ['src/adapters/cli/uploads.ts', 'using lock = lockOf(path);'],
    ],
    'a time limit past deadline()': [
      ['src/adapters/outbound/outbound.ts', 'const signal = AbortSignal.timeout(seconds * 1000);'],
      ['src/adapters/console/browser/api.ts', 'addEventListener(name, end, { signal: AbortSignal.timeout(MS) });'],
      ['src/client/send.ts', 'const limit = AbortSignal\n  .timeout;'],
    ],
    'an enum or a namespace': [
      ['src/domain/run.ts', 'export enum Status { queued }'],
      ['src/domain/run.ts', 'namespace Runs {}'],
    ],
    'the rule of visibility in a second place': [
      ['src/adapters/postgres/runs.ts', 'const a = `where (a.visible_to is null or $2 = any (a.visible_to))`;'],
      ['src/composition/serve.ts', 'const a = `where u.id = any(visible_to)`;'],
    ],
    'a status that is written by hand in SQL': [
      ['src/adapters/postgres/runs.ts', "const a = `update runs set status = 'failed' where id = $1`;"],
      ['src/adapters/postgres/runs.ts', "const a = `insert into runs (id, status) values ($1, 'queued')`;"],
      ['src/adapters/postgres/runs.ts', `const a = \`\${b ? \`where status in ('queued', 'running')\` : ''}\`;`],
      ['src/adapters/postgres/runs.ts', "const a = `case when c.late then 'idle' else c.status end`;"],
      ['src/adapters/postgres/runs.ts', "const a = `pg_notify('portico_runs', id || ' running')`;"],
      ['src/adapters/postgres/runs.ts', `const a = \`where status <> '\${gone}'\`;`],
      ['src/composition/serve.ts', `const a = "select 1 from documents where status is distinct from 'trashed'";`],
    ],
    'a domain that is not pure': [
      ['src/domain/run.ts', 'const now = new Date();'],
      ['src/domain/run.ts', 'const now = Date.now();'],
      ['src/domain/run.ts', 'const id = Math.random();'],
      ['src/domain/run.ts', "console.log('a');"],
      ['src/domain/run.ts', 'setTimeout(() => {}, 1);'],
    ],
  };

  for (const [rule, cases] of Object.entries(breaches)) {
    it(`finds ${rule}`, () => {
      for (const [file, text] of cases) expect(offends(file, text), `${file}: ${text}`).to.have.length.above(0);
    });
  }

  it('lets through what is allowed', () => {
    const fine: Tree = {
      'src/domain/run.ts':
        "import { machine } from './state-machine.ts';\n/* as any; import 'koa' */ export const at = new Date(0); // : any\n",
      'src/domain/document.ts':
        "export const table = { process: 'processing', sql: `select x = any($1) from 'y'`, note: 'as any' };\nrun(any, []);\n",
      'src/application/runs/runs.ts':
        "import type { Run } from '../../domain/run.ts';\nimport { uploads } from './uploads.ts';\nimport '../ports/queue.ts';\nexport { Run, uploads };\n",
      'src/adapters/http/router.ts':
        "import Koa from 'koa';\nimport { once } from 'node:events';\nimport type { Run } from '../../domain/run.ts';\nimport { runs } from '../../application/runs.ts';\nimport { codec } from './codecs.ts';\nconst { x } = await import('pg');\n",
      'src/adapters/http/operations/runs.ts':
        "import { codec } from '../codecs.ts';\nimport pkg from '../../../../package.json' with { type: 'json' };\n",
      'src/composition/main.ts':
        "import { router } from '../adapters/http/router.ts';\nimport { db } from '../adapters/postgres/database.ts';\nconst { PORT } = process.env;\n",
      'src/adapters/postgres/runs.ts': `const a = \`update runs set status = \${after('fail')} where status \${before('fail')}\`;\nconst b = \`json_build_object('error', u.error)\`;\n`,
      'src/adapters/cli/views.ts': `const a = \`The run \${run.status === 'cancelled' ? 'was' : 'has'} \${run.status}\`;\n`,
      'src/adapters/cli/connect.ts': "import { portico } from '../../client/portico.ts';\n",
      'src/client/portico.ts': "import createClient from 'openapi-fetch';\nimport { send } from './send.ts';\n",
      'src/wire/run.ts': "import * as t from 'io-ts';\nimport { runMachine } from '../domain/run.ts';\n",
      'src/application/webhooks/webhook-delivery.ts': "import { webhookMessage } from '../../wire/event.ts';\n",
      'src/adapters/http/operations/documents.ts': "import { run } from '../../../wire/run.ts';\n",
      'src/domain/long.ts': 'const a = 1;\n'.repeat(MAX_LINES),
    };
    expect(inspect(fine).offences).to.deep.equal([]);
  });

  it('counts what it looked at', () => {
    const { seen } = inspect({
      'src/domain/a.ts': "import { b } from './b.ts';\nexport * from './c.ts';\n",
      'src/domain/b.ts': '',
    });
    expect(seen.get('domain')).to.deep.equal({ files: 2, imports: 2 });
  });
});
