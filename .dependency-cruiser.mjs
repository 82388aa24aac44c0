/**
 * Who may import whom: tests/architecture.test.ts holds every file of src to these rules. A new folder of the application takes its place in
 * `floors`; a new adapter needs nothing here.
 */

/** The folders of the application from the ground up: a file imports from its own and from those below it. */
export const floors = [
  'ports',
  'shared',
  'audit',
  'agents',
  'connections',
  'databases',
  'storage',
  'files',
  'snapshots',
  'documents',
  'approvals',
  'runs',
  'events',
  'search',
  'access',
  'tools',
  'turns',
  'conversations',
  'webhooks',
  'sources',
  'worker',
  'workspace',
  'upkeep',
];

/** The folders of the PostgreSQL adapter, likewise. */
const floorsOfPostgres = ['tables', 'connection', 'statements', 'repositories'];

/** Also where node_modules is a link, or a package is not installed. @param {readonly string[]} names */
const packages = (...names) => names.flatMap((name) => [`node_modules/${name}/`, `^${name}$`, `^${name}/`]);

/**
 * @typedef {import('dependency-cruiser').IRegularForbiddenRuleType} Rule
 * @type {(name: string, comment: string, from: Rule['from'], to: Rule['to']) => Rule}
 */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const speakers = '^src/application/(tools|webhooks)/';
const browser = '^src/adapters/console/browser/';
const pages = `${browser}pages/`;

/** @type {Rule[]} */
export default [
  never('circles', 'No file imports itself by way of others, not even a type.', { path: '^src/' }, { circular: true }),
  never('domain', 'The domain imports nothing.', { path: '^src/domain/' }, { pathNot: '^src/domain/' }),
  never(
    'wire',
    'What leaves the house is described by codecs of io-ts, over the domain.',
    { path: '^src/wire/' },
    { pathNot: ['^src/(wire|domain)/', ...packages('io-ts')] },
  ),
  never(
    'application',
    'The application imports the domain, and no package.',
    { path: '^src/application/', pathNot: speakers },
    { pathNot: '^src/(application|domain)/' },
  ),
  never(
    'speakers',
    'What these make of a use case leaves the house as it is: an answer of a tool, a message to a webhook.',
    { path: speakers },
    { pathNot: '^src/(application|domain|wire)/' },
  ),
  ...floors.map((floor, index) =>
    never(
      `floor-${floor}`,
      'A folder of the application imports none above it.',
      { path: `^src/application/${floor}/` },
      { path: [...floors.slice(index + 1).map((above) => `^src/application/${above}/`), '^src/application/[^/]+$'] },
    ),
  ),
  ...floorsOfPostgres
    .slice(0, -1)
    .map((floor, index) =>
      never(
        `postgres-${floor}`,
        'A folder of the PostgreSQL adapter imports none above it.',
        { path: `^src/adapters/postgres/${floor}/` },
        { path: floorsOfPostgres.slice(index + 1).map((above) => `^src/adapters/postgres/${above}/`) },
      ),
    ),
  never(
    'http-ground',
    'What reads and serves a request knows no operation: only the list of them does.',
    { path: '^src/adapters/http/', pathNot: '^src/adapters/http/operations(/|\\.ts$)' },
    { path: '^src/adapters/http/operations/' },
  ),
  never(
    'http-operations',
    'An operation does not know how it is served or described, nor the list that it stands in.',
    { path: '^src/adapters/http/operations/' },
    { path: '^src/adapters/http/(app|operations|routes|pipeline|egress|openapi[^/]*|server)\\.ts$' },
  ),
  never(
    'http-list',
    'The server takes the list of operations: what serves one of them has it from there.',
    { path: '^src/adapters/http/', pathNot: '^src/adapters/http/app\\.ts$' },
    { path: '^src/adapters/http/operations\\.ts$' },
  ),
  never(
    'client',
    'The client goes into programs of others, browsers too: it takes little with it.',
    { path: '^src/client/' },
    { pathNot: ['^src/client/', ...packages('openapi-fetch', 'p-limit', 'eventsource-parser')] },
  ),
  never(
    'users-of-the-client',
    'Programs that come with the server call it as others do; the server itself does not.',
    { path: '^src/', pathNot: '^src/(client|composition|adapters/(cli|demo|console))/' },
    { path: '^src/client/' },
  ),
  never(
    'adapters',
    'No adapter imports another.',
    { path: '^src/adapters/([^/]+)/' },
    { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
  ),
  never(
    'composition',
    'Only the composition knows the composition.',
    { path: '^src/', pathNot: '^src/composition/' },
    { path: '^src/composition/' },
  ),
  never(
    'outside',
    'Beyond src a file may read what is data, such as package.json, and no program.',
    { path: '^src/' },
    { dependencyTypes: ['local'], pathNot: ['^src/', '\\.json$'] },
  ),
  never(
    'pages',
    'No page of the console imports another, but for the files of its own folder.',
    { path: `${pages}([^/]+)` },
    { path: pages, pathNot: `${pages}$1/` },
  ),
  never(
    'browser',
    'The server and the browser do not share modules of the console.',
    { path: browser },
    { path: '^src/adapters/console/', pathNot: browser },
  ),
  never(
    'site',
    'The server and the browser do not share modules of the console.',
    { path: '^src/adapters/console/', pathNot: browser },
    { path: browser },
  ),
];
