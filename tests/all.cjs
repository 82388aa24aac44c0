// What `npm test` does: runs every file, several at a time. Those that take longest come first, so that none is left alone at the end,
// and those that mostly wait (for an outage, a time-out) stand between those that compute, so that the cores are never left alone.
const { readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const path = require('node:path');

const FIRST = [
  'acceptance/acceptance-cluster',
  'acceptance/acceptance',
  'resilience/kills',
  'console/console',
  'resilience/roles',
  'adapters/connectors-postgresql-reads-container',
  'adapters/connectors-postgresql-reads-embedded',
  'adapters/connectors-sqlserver-limits',
  'resilience/workers',
  'adapters/text-corpus',
  'resilience/postgres-pause',
  'adapters/text-ocr',
  'package',
  'adapters/redis',
  'adapters/text-hostile',
  'adapters/connectors-postgresql',
  'resilience/rolling',
  'composition/starts',
  'resilience/s3',
  'http/composed',
  'adapters/telemetry',
  'resilience/conversations',
  'adapters/text',
  'adapters/connectors-sqlserver-outages',
  'resilience/event-log',
  'adapters/postgres-migrations',
  'adapters/redis-outage',
  'resilience/reviews',
  'resilience/agent-versions',
  'adapters/models-providers',
  'resilience/drain',
  'adapters/s3-outage',
  'your-own-agent',
  'adapters/connectors-postgresql-sessions',
  'adapters/connectors-sqlserver-login',
  'resilience/redis',
  'http/unauthenticated',
  'adapters/postgres-embedded',
  'http/health',
  'adapters/search-pages',
  'http/hostile',
  'adapters/demo',
];

// Every process of the tests loads the same program.
process.env.NODE_COMPILE_CACHE ??= path.join(__dirname, '../node_modules/.cache/portico-tests');

const first = FIRST.map((name) => path.join(__dirname, `${name}.test.ts`));
const every = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => path.join(__dirname, name));

module.exports = {
  ...require('../.mocharc.json'),
  spec: [...new Set([...first, ...every])],
  parallel: true,
  // Most of what tests do is wait: for another process, a lease, a time-out.
  jobs: 2 * availableParallelism(),
  // Several files share a core, so that each takes longer than alone.
  timeout: 180_000,
};
