// What `npm test` does: runs every file, several at a time, and those that take longest first, so that none is left alone at the end.
const { readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const path = require('node:path');

const LONGEST = [
  'acceptance/acceptance-cluster',
  'acceptance/acceptance',
  'resilience/kills',
  'console/console',
  'resilience/roles',
  'adapters/connectors-postgresql-reads-container',
  'adapters/connectors-postgresql-reads-embedded',
  'adapters/text-hostile',
  'adapters/text-ocr',
  'composition/starts',
  'resilience/workers',
  'resilience/conversations',
  'package',
  'adapters/text-corpus',
  'resilience/rolling',
  'resilience/s3',
  'http/composed',
  'adapters/text',
  'resilience/limits',
  'adapters/connectors-postgresql',
  'resilience/event-log',
  'resilience/reviews',
  'resilience/agent-versions',
  'resilience/drain',
  'resilience/redis',
  'resilience/postgres-pause',
  'adapters/search-pages',
];

// Every process of the tests loads the same program.
process.env.NODE_COMPILE_CACHE ??= path.join(__dirname, '../node_modules/.cache/portico-tests');

const longest = LONGEST.map((name) => path.join(__dirname, `${name}.test.ts`));
const every = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => path.join(__dirname, name));

module.exports = {
  ...require('../.mocharc.json'),
  spec: [...new Set([...longest, ...every])],
  parallel: true,
  // Most of what tests do is wait: for another process, a lease, a time-out.
  jobs: 2 * availableParallelism(),
  // Several files share a core, so that each takes longer than alone.
  timeout: 180_000,
};
