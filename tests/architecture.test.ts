import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { ICruiseResult } from 'dependency-cruiser';
import rules, { floors } from '../.dependency-cruiser.mjs';
import { conversationMachine } from '../src/domain/conversation.ts';
import { documentMachine } from '../src/domain/document.ts';
import { runMachine } from '../src/domain/run.ts';
import { deliveryMachine } from '../src/domain/webhook.ts';
import { withTypeScript5 } from '../tools/typescript-5.mjs';

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

/** `domain`, `wire`, `application`, `client`, `composition`, or `adapters/<family>`. */
const layerOf = (file: string): string => {
  const [, layer = '', family = ''] = file.split('/');
  return layer === 'adapters' ? `${layer}/${family.replace(/\.tsx?$/, '')}` : layer;
};

const floorOf = (file: string): number => floors.indexOf(file.split('/')[2] ?? '');

/** They choose a package by the machine they run on: its name cannot be written down. */
const choosesByMachine = ['src/adapters/postgres/connection/launcher.ts'];

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
    what: 'imports something computed',
    pattern: /\b(?:import|require)\s*\(\s*[^'"\s]/,
    in: (file) => !choosesByMachine.includes(file),
  },
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
    in: (file) => file !== 'src/adapters/postgres/statements/visibility.ts' && !file.includes('/migrations/'),
    raw: true,
  },
  {
    what: 'prepares a statement outside of statements',
    pattern: /\bprepared\s*\(/,
    in: (file) => layerOf(file) === 'adapters/postgres' && !/\/(statements|connection)\//.test(file),
  },
  {
    what: 'sets a time limit past deadline(), which takes any number of seconds',
    pattern: /\bAbortSignal\s*\.\s*timeout\b/,
    in: (file) => file !== 'src/application/shared/async.ts',
  },
  { what: 're-exports everything', pattern: /\bexport\s*\*/, in: everywhere },
  {
    what: 'declares several values in one list',
    pattern: /\b(?:const|let)\s*\[[\w\s]+,[\w\s,]+\]\s*=\s*\[(?!\s*\.\.\.)(?:[^;[\]]|\[[^\]]*\])*\](?:\s*as const)?;/,
    in: everywhere,
  },
  {
    what: 'spreads a literal, which says the same without',
    pattern: /\.\.\.\[[^[\]]*\]\s*[,\]]|\.\.\.\{[^{}]*\}\s*[,}]/,
    in: everywhere,
  },
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

/** Every breach of the rules that a text shows by itself. */
const inspect = (tree: Tree) =>
  Object.entries(tree).flatMap(([file, text]) => offencesIn(file, text).map((offence) => `${file} ${offence}`));

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

withTypeScript5('dependency-cruiser');

/** Every import of the files of src in a folder, also one of a type alone, and those that break a rule. */
const cruised = async (folder: string): Promise<ICruiseResult> => {
  const { cruise } = await import('dependency-cruiser');
  const { output } = await cruise(['src'], {
    baseDir: folder,
    validate: true,
    ruleSet: { forbidden: rules },
    parser: 'tsc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  });
  return output as ICruiseResult;
};

const breachesIn = ({ summary }: ICruiseResult) =>
  summary.violations.map(
    ({ from, to, rule, cycle }) =>
      `${from} imports ${to}: ${rule.name}${cycle ? `, by way of ${cycle.map(({ name }) => name).join(', ')}` : ''}`,
  );

/** The files that each walk of docs/architecture.md names, in order. */
const walksOf = (page: string) =>
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n');
      return { title, files: [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file) };
    });

/** Each file of src → the files that it imports. */
type Links = ReadonlyMap<string, readonly string[]>;

const linksOf = ({ modules }: ICruiseResult): Links =>
  new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]));

/** The files of a walk that are gone, or that no import ties to a file before them. */
const gapsIn = (walk: readonly string[], links: Links): readonly string[] =>
  walk.flatMap((file, index) => {
    const targets = links.get(file);
    if (targets === undefined) return [`${file} is not there`];
    const isTied = (earlier: string) => targets.includes(earlier) || links.get(earlier)?.includes(file);
    return index === 0 || walk.slice(0, index).some(isTied)
      ? []
      : [`${file} imports no file before it, and none imports it`];
  });

const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
const walks = walksOf(page);

/** The names in backticks of a page that are no path of the repository, or whose words no source has. */
const unknownNames = (text: string, tree: Tree): readonly string[] => {
  const words = new Set(Object.values(tree).flatMap((source) => source.match(/[\w$]+/g) ?? []));
  const prose = text.replaceAll(/```[\s\S]*?```/g, '');
  const names = [...prose.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return names.filter((name) => {
    if (/^(src|tests|docs)\//.test(name)) return !existsSync(path.join(root, name));
    return (name.match(/[\w$]+/g) ?? []).some((word) => !words.has(word));
  });
};

describe('the architecture', () => {
  let imports: ICruiseResult;
  before(async () => {
    imports = await cruised(root);
  });

  it('is kept by the imports of every file', () => expect(breachesIn(imports)).to.deep.equal([]));

  it('is kept by the text of every file', () => expect(inspect(sources())).to.deep.equal([]));

  it('has sheets of style in the console, each of one page or part, which do not grow', () => {
    const browser = path.join(root, 'src/adapters/console/browser');
    const names = readdirSync(browser, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
    const sheets = names.map((name) => readFileSync(path.join(browser, name), 'utf8'));
    expect(names).to.include('style.css').and.to.have.length.above(2);
    expect(sheets.filter((sheet) => sheet.split('\n').length > 400)).to.deep.equal([]);
    expect(sheets.join('').length).to.be.below(42_000);
  });

  it('was looked at: every file, and the imports of every layer', () => {
    const own = imports.modules.filter(({ source }) => source.startsWith('src/'));
    expect(own.map(({ source }) => source)).to.include.members(Object.keys(sources()));
    const layers = new Set(own.map(({ source }) => source.split('/')[1]));
    expect([...layers]).to.have.members(['domain', 'wire', 'application', 'client', 'adapters', 'composition']);
    for (const layer of layers) {
      const found = own.filter(({ source, dependencies }) => source.split('/')[1] === layer && dependencies.length > 0);
      expect(found, layer).to.have.length.above(2);
    }
  });

  describe('in docs/architecture.md', () => {
    for (const { title, files } of walks) {
      it(`is shown by files that lead from one to the next: ${title}`, () =>
        expect(gapsIn(files, linksOf(imports))).to.deep.equal([]));
    }
  });
});

describe('docs/architecture.md', () => {
  it('has walks', () => {
    expect(walks.map(({ title }) => title)).to.deep.equal([
      'A run',
      'A table read',
      'A list of documents',
      'A correction',
      'One event',
      'A tool call',
    ]);
    for (const { files } of walks) expect(files).to.have.length.above(8);
  });

  it('names what there is', () => {
    expect(unknownNames(page, sources())).to.deep.equal([]);
    expect(unknownNames('`createRun` `createRuin` `src/adapters` `src/adaptors`', sources())).to.deep.equal([
      'createRuin',
      'src/adaptors',
    ]);
  });

  it('would be found out', () => {
    const links = new Map([
      ['src/a.ts', ['src/b.ts']],
      ['src/b.ts', []],
      ['src/c.ts', ['src/a.ts']],
      ['src/d.ts', []],
    ]);
    expect(gapsIn(['src/a.ts', 'src/b.ts', 'src/c.ts'], links)).to.deep.equal([]);
    expect(gapsIn(['src/a.ts', 'src/d.ts', 'src/gone.ts'], links)).to.have.length(2);
  });
});

describe('the rules of imports', () => {
  const caller = '../application/caller.ts';
  const forms = [
    `import { a } from '${caller}';`,
    `import type { A } from '${caller}';`,
    `export { a } from '${caller}';`,
    `export type { A } from '${caller}';`,
    `let a: import('${caller}').A;`,
    `import {\n  a,\n  type A,\n} from "${caller}";`,
    `import * as a from '${caller}';`,
    `import a, { b } from '${caller}';`,
    `const a = await import('${caller}');`,
    `const a = require('${caller}');`,
  ];
  /** The rule → files, each with what it imports or with a text that does. */
  const breaches: Readonly<Record<string, readonly (readonly [file: string, imports: string])[]>> = {
    circles: [['src/domain/run.ts', "import type { Run } from './run-circles-0.ts';"]],
    domain: [
      ...forms.map((form) => ['src/domain/run.ts', form] as const),
      ['src/domain/run.ts', 'uuid'],
      ['src/domain/run.ts', 'node:crypto'],
      ['src/domain/run.ts', '../wire/run.ts'],
      ['src/domain/run.ts', '../../package.json'],
    ],
    wire: [
      ['src/wire/run.ts', '../application/ports/storage.ts'],
      ['src/wire/run.ts', '../adapters/http/operation.ts'],
      ['src/wire/run.ts', 'node:crypto'],
    ],
    application: [
      ['src/application/runs/runs.ts', "import type { Context } from 'koa';"],
      ['src/application/runs/runs.ts', 'node:fs'],
      ['src/application/runs/runs.ts', '../../wire/run.ts'],
      ['src/application/runs/runs.ts', '../../adapters/postgres/database.ts'],
      ['src/application/ports/blobs.ts', "const { db } = await import('../../adapters/postgres/database.ts');"],
    ],
    speakers: [['src/application/webhooks/webhooks.ts', 'koa']],
    'floor-ports': [['src/application/ports/storage.ts', "import type { Terms } from '../shared/fair-share.ts';"]],
    'floor-documents': [['src/application/documents/findings.ts', '../runs/runs.ts']],
    'floor-runs': [['src/application/runs/runs.ts', '../turns/turn.ts']],
    'postgres-tables': [['src/adapters/postgres/tables/entities.ts', '../connection/database.ts']],
    'postgres-connection': [['src/adapters/postgres/connection/database.ts', '../repositories/run-repository.ts']],
    'postgres-statements': [['src/adapters/postgres/statements/run-statements.ts', '../repositories/run-queue.ts']],
    'http-ground': [['src/adapters/http/pipeline.ts', './operations/runs.ts']],
    'http-operations': [
      ['src/adapters/http/operations/runs.ts', '../pipeline.ts'],
      ['src/adapters/http/operations/runs.ts', '../openapi-components.ts'],
    ],
    'http-list': [['src/adapters/http/routes.ts', './operations.ts']],
    client: [
      ['src/client/portico.ts', '../domain/json-number.ts'],
      ['src/client/portico.ts', "import type { Run } from '../wire/run.ts';"],
      ['src/client/upload.ts', 'node:fs'],
      ['src/client/portico.ts', 'io-ts'],
    ],
    'users-of-the-client': [
      ['src/adapters/http/router.ts', "import type { paths } from '../../client/openapi.ts';"],
      ['src/application/runs/runs.ts', '../../client/portico.ts'],
    ],
    adapters: [
      ['src/adapters/http/router.ts', '../postgres/database.ts'],
      ['src/adapters/http/operations/runs.ts', "import type { Db } from '../../postgres/database.ts';"],
    ],
    composition: [
      ['src/adapters/cli/serve.ts', '../../composition/config.ts'],
      ['src/application/runs/runs.ts', "export { config } from '../../composition/config.ts';"],
    ],
    outside: [['src/adapters/http/router.ts', '../../../tests/support/builders.ts']],
    pages: [
      ['src/adapters/console/browser/pages/run.tsx', './runs.tsx'],
      ['src/adapters/console/browser/pages/run.tsx', './document/facts.tsx'],
      ['src/adapters/console/browser/pages/document/facts.tsx', '../runs.tsx'],
    ],
    browser: [['src/adapters/console/browser/app.tsx', '../site.ts']],
    site: [['src/adapters/console/site.ts', './browser/app.tsx']],
  };
  const allowed = [
    ['src/domain/run.ts', './state-machine.ts'],
    ['src/wire/run.ts', 'io-ts'],
    ['src/wire/run.ts', '../domain/run.ts'],
    ['src/application/runs/runs.ts', '../ports/queue.ts'],
    ['src/application/webhooks/webhook-delivery.ts', '../../wire/event.ts'],
    ['src/adapters/http/router.ts', 'koa'],
    ['src/adapters/console/browser/pages/document/page.tsx', './viewer.tsx'],
    ['src/adapters/http/router.ts', '../../application/runs/runs.ts'],
    ['src/adapters/http/operations/documents.ts', '../../../wire/run.ts'],
    ['src/adapters/http/operations/documents.ts', '../tags.ts'],
    ['src/adapters/http/operations/runs.ts', "import pkg from '../../../../package.json' with { type: 'json' };"],
    ['src/adapters/cli/connect.ts', '../../client/portico.ts'],
    ['src/client/portico.ts', 'openapi-fetch'],
    ['src/composition/main.ts', '../adapters/postgres/database.ts'],
  ] as const;

  let folder: string;
  let broken: ReadonlyMap<string, readonly string[]>;
  const placeOf = (file: string, rule: string, index: number) => file.replace('.ts', `-${rule}-${index}.ts`);

  /** Each breach in a file of its own, with the file that it imports. */
  const write = (rule: string, cases: readonly (readonly [string, string])[]) => {
    for (const [index, [file, given]] of cases.entries()) {
      const text = given.includes(' ') ? given : `import * as a from '${given}';`;
      const target = /['"](\.{1,2}\/[^'"]+)['"]/.exec(text)?.[1];
      const at = path.join(folder, placeOf(file, rule, index));
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, `${text}\nexport {};\n`);
      if (target === undefined) continue;
      const imported = path.join(path.dirname(at), target);
      mkdirSync(path.dirname(imported), { recursive: true });
      if (!existsSync(imported)) writeFileSync(imported, target.endsWith('.json') ? '{}' : 'export {};\n');
    }
  };

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'portico-imports-'));
    for (const [rule, cases] of Object.entries({ ...breaches, allowed })) write(rule, cases);
    const { summary } = await cruised(folder);
    const files = Map.groupBy(summary.violations, ({ from }) => from);
    broken = new Map([...files].map(([file, found]) => [file, found.map(({ rule }) => rule.name)]));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [rule, cases] of Object.entries(breaches)) {
    it(`find what breaks "${rule}"`, () => {
      for (const [index, [file, text]] of cases.entries())
        expect(broken.get(placeOf(file, rule, index)), `${file}: ${text}`).to.include(rule);
    });
  }

  it('are each broken by an example, or are a floor', () => {
    const unproved = rules.filter(({ name = '' }) => !name.startsWith('floor-') && !(name in breaches));
    expect(unproved).to.deep.equal([]);
  });

  it('let through what is allowed', () => {
    for (const [index, [file, text]] of allowed.entries())
      expect(broken.get(placeOf(file, 'allowed', index)), `${file}: ${text}`).to.equal(undefined);
  });
});

describe('the rules of texts', () => {
  const offends = (file: string, text: string) => inspect({ [file]: text });

  const breaches: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'a file in no folder of the application': [
      ['src/application/runs.ts', 'export const a = 1;'],
      ['src/application/utilities/text.ts', 'export const a = 1;'],
    ],
    'a computed import': [['src/adapters/http/router.ts', 'await import(name);']],
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
    'several values in one list': [
      ['src/domain/run.ts', 'const [first, last] = [pages[0], pages.at(-1)];'],
      ['src/domain/run.ts', 'let [rows, size] = [[], 0];'],
    ],
    'a literal that is spread': [
      ['src/adapters/http/cors.ts', "const names = [\n  ...['Accept', 'Origin'],\n  'Vary',\n];"],
      ['src/adapters/http/cors.ts', 'const names = [...[first, second]];'],
      ['src/wire/budget.ts', 'const example = { ...{ period, start }, end };'],
    ],
    'an enum or a namespace': [
      ['src/domain/run.ts', 'export enum Status { queued }'],
      ['src/domain/run.ts', 'namespace Runs {}'],
    ],
    'the rule of visibility in a second place': [
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        'const a = `where (a.visible_to is null or $2 = any (a.visible_to))`;',
      ],
      ['src/composition/serve.ts', 'const a = `where u.id = any(visible_to)`;'],
    ],
    'a statement outside of statements': [
      ['src/adapters/postgres/repositories/run-queue.ts', "const a = prepared('a')`select 1`;"],
    ],
    'a status that is written by hand in SQL': [
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        "const a = `update runs set status = 'failed' where id = $1`;",
      ],
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        "const a = `insert into runs (id, status) values ($1, 'queued')`;",
      ],
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        `const a = \`\${b ? \`where status in ('queued', 'running')\` : ''}\`;`,
      ],
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        "const a = `case when c.late then 'idle' else c.status end`;",
      ],
      [
        'src/adapters/postgres/repositories/run-repository.ts',
        "const a = `pg_notify('portico_runs', id || ' running')`;",
      ],
      ['src/adapters/postgres/repositories/run-repository.ts', `const a = \`where status <> '\${gone}'\`;`],
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
      'src/adapters/postgres/repositories/run-repository.ts': `const a = \`update runs set status = \${after('fail')} where status \${before('fail')}\`;\nconst b = \`json_build_object('error', u.error)\`;\n`,
      'src/adapters/http/cors.ts':
        'const names = [...[...files].sort(), ...(isAsked ? [asked] : [])];\nconst [first, second] = [...names];\n',
      'src/adapters/cli/views.ts': `const a = \`The run \${run.status === 'cancelled' ? 'was' : 'has'} \${run.status}\`;\n`,
      'src/adapters/cli/connect.ts': "import { portico } from '../../client/portico.ts';\n",
      'src/client/portico.ts': "import createClient from 'openapi-fetch';\nimport { send } from './send.ts';\n",
      'src/wire/run.ts': "import * as t from 'io-ts';\nimport { runMachine } from '../domain/run.ts';\n",
      'src/application/webhooks/webhook-delivery.ts': "import { webhookMessage } from '../../wire/event.ts';\n",
      'src/adapters/http/operations/documents.ts': "import { run } from '../../../wire/run.ts';\n",
      'src/domain/long.ts': 'const a = 1;\n'.repeat(MAX_LINES),
    };
    expect(inspect(fine)).to.deep.equal([]);
  });
});
