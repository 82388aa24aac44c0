// What `npm test` does: runs every file, several at a time. Those that take longest come first, so that none is left alone at the end,
// and those that mostly wait (for an outage, a time-out) stand between those that compute, so that the cores are never left alone.
const { readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const path = require('node:path');

const FIRST = [
  'acceptance/acceptance-cluster',
  'resilience/kills',
  'adapters/connectors-sqlserver-limits',
  'console/console',
  'resilience/approvals',
  'acceptance/acceptance',
  'resilience/roles',
  'resilience/sources',
  'resilience/s3',
  'adapters/connectors-postgresql-reads-container',
  'adapters/redis',
  'adapters/connectors-postgresql-reads-embedded',
  'resilience/workers',
  'adapters/text-corpus',
  'resilience/mailboxes',
  'resilience/postgres-pause',
  'adapters/text-ocr',
  'package',
  'resilience/posting',
  'adapters/text-hostile',
  'adapters/connectors-postgresql',
  'resilience/rolling',
  'composition/starts',
  'adapters/telemetry',
  'http/composed',
  'resilience/budgets',
  'resilience/conversations',
  'adapters/connectors-sqlserver-outages',
  'adapters/text',
  'resilience/hung-folders',
  'resilience/event-log',
  'adapters/redis-outage',
  'adapters/postgres-migrations',
  'resilience/reviews',
  'adapters/models-providers',
  'resilience/divisions',
  'resilience/agent-versions',
  'adapters/s3-outage',
  'resilience/drain',
  'adapters/connectors-postgresql-sessions',
  'your-own-agent',
  'adapters/connectors-sqlserver-login',
  'resilience/redis',
  'adapters/garbage',
  'resilience/replaced-files',
  'http/unauthenticated',
  'adapters/postgres-embedded',
  'http/hostile',
  'http/health',
  'adapters/search-pages',
  'adapters/demo',
];

// What keeps both cores busy for minutes comes last, when no test is left that waits for time to pass.
const LAST = ['bench'];

// Every process of the tests loads the same program.
process.env.NODE_COMPILE_CACHE ??= require('../tools/compile-cache.mjs').compileCache;

const filesOf = (/** @type {string[]} */ names) => names.map((name) => path.join(__dirname, `${name}.test.ts`));
const [first, last] = [filesOf(FIRST), filesOf(LAST)];
const every = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => path.join(__dirname, name));

module.exports = {
  ...require('../.mocharc.json'),
  spec: [...new Set([...first, ...every.filter((file) => !last.includes(file)), ...last])],
  parallel: true,
  // Tests that wait (for another process, a lease, a time-out) leave a core to others; with more files than this, what waits for time to pass is late.
  jobs: 2 * availableParallelism(),
};
