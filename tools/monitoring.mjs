// Prints deploy/monitoring: a dashboard for Grafana with each metric that there is, and alert rules for Prometheus; with --check it only says
// whether they are there already.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { openMetrics } from '../src/adapters/telemetry/metrics.ts';

const folder = path.resolve(import.meta.dirname, '../deploy/monitoring');
const metrics = openMetrics({ version: '' });
metrics.observe({
  queue: async () => ({ queued: 0, running: 0, oldestSeconds: 0 }),
  postingQueue: async () => ({ waiting: 0, oldestSeconds: 0 }),
  sources: async () => ({ well: 0, waiting: 0, failing: 0, lateSeconds: 0 }),
  heldBack: async () => ({}),
  budgets: async () => [],
  retentionBehind: async () => 0,
  listReads: () => ({}),
  connections: () => ({ total: 0, idle: 0, waiting: 0 }),
  limitsAreShared: () => true,
});
/** @typedef {ReturnType<typeof metrics.describe>[number]} Metric */
const known = metrics.describe();

/** The rows of the dashboard, by what the names of their metrics begin with after `portico_`. */
const sections = [
  { title: 'Requests', of: /^(http|rate_limit|limits)_/ },
  { title: 'Runs', of: /^(run|queue)_/ },
  { title: 'Models and tools', of: /^(model|tool)_/ },
  { title: 'Budgets and retention', of: /^(budget|budgets|retention)(_|$)/ },
  { title: 'Documents, sources and webhooks', of: /^(document|documents|sources|webhook|posting)(_|$)/ },
  { title: 'Database and process', of: /^/ },
];

const datasource = { type: 'prometheus', uid: '$datasource' };

/**
 * @param {string} title
 * @param {string} description
 * @param {string} unit
 * @param {readonly (readonly [expr: string, legend: string])[]} queries
 */
const panel = (title, description, unit, queries) => ({
  type: 'timeseries',
  title,
  description,
  datasource,
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    expr,
    legendFormat,
  })),
});

/** @param {readonly string[]} labels */
const legendOf = (labels) => labels.map((label) => `{{${label}}}`).join(' ') || 'all';
/** @param {readonly string[]} labels */
const by = (labels) => (labels.length === 0 ? '' : ` by (${labels.join(', ')})`);
/** @param {string} help */
const titleOf = (help) => help.replace(/\.$/, '');

/** @param {Metric} metric */
const panelsOf = ({ name, type, help, labels }) => {
  const of = `${name}{namespace=~"$namespace"}`;
  if (type === 'counter')
    return [
      panel(titleOf(help), name, 'cps', [[`sum${by(labels)} (rate(${of}[$__rate_interval]))`, legendOf(labels)]]),
    ];
  if (type === 'gauge') {
    // Every process tells the same of all of them together; of those that share their limits, one that does not is what matters.
    const summed = help.endsWith('over all processes.') ? 'max' : name === 'portico_limits_shared' ? 'min' : 'sum';
    return [
      panel(titleOf(help), name, name.endsWith('_seconds') ? 's' : 'short', [
        [`${summed}${by(labels)} (${of})`, legendOf(labels)],
      ]),
    ];
  }
  const buckets = `sum by (le) (rate(${of.replace('{', '_bucket{')}[$__rate_interval]))`;
  const [first, ...rest] = labels;
  const shown = first === undefined ? [] : [rest.at(-1) ?? first];
  return [
    panel(titleOf(help), name, 's', [
      [`histogram_quantile(0.5, ${buckets})`, 'half of them'],
      [`histogram_quantile(0.95, ${buckets})`, '95 of 100'],
      [`histogram_quantile(0.99, ${buckets})`, '99 of 100'],
    ]),
    panel(`${titleOf(help)} (how many)`, name, 'ops', [
      [`sum${by(shown)} (rate(${of.replace('{', '_count{')}[$__rate_interval]))`, legendOf(shown)],
    ]),
  ];
};

const process = [
  panel('Processor', 'process_cpu_seconds_total', 'short', [
    ['rate(process_cpu_seconds_total{namespace=~"$namespace"}[$__rate_interval])', '{{instance}}'],
  ]),
  panel('Memory', 'process_resident_memory_bytes', 'bytes', [
    ['process_resident_memory_bytes{namespace=~"$namespace"}', '{{instance}}'],
  ]),
  panel('Delay of the event loop (99 of 100)', 'nodejs_eventloop_lag_p99_seconds', 's', [
    ['nodejs_eventloop_lag_p99_seconds{namespace=~"$namespace"}', '{{instance}}'],
  ]),
];

const dashboard = () => {
  const left = new Set(known);
  const placed = [];
  let y = 0;
  for (const { title, of } of sections) {
    const own = [...left].filter(({ name }) => of.test(name.replace(/^portico_/, '')));
    for (const metric of own) left.delete(metric);
    const panels = [...own.flatMap(panelsOf), ...(title === 'Database and process' ? process : [])];
    placed.push({ type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: 24, h: 1 } });
    for (const [index, each] of panels.entries())
      placed.push({ ...each, gridPos: { x: (index % 3) * 8, y: y + 1 + Math.floor(index / 3) * 8, w: 8, h: 8 } });
    y += 1 + Math.ceil(panels.length / 3) * 8;
  }
  const variable = { refresh: 1, hide: 0 };
  return {
    uid: 'portico',
    title: 'Portico',
    tags: ['portico'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { ...variable, name: 'datasource', type: 'datasource', query: 'prometheus' },
        {
          ...variable,
          name: 'namespace',
          type: 'query',
          datasource,
          query: 'label_values(portico_build_info, namespace)',
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: placed.map((each, index) => ({ id: index + 1, ...each })),
  };
};

/** @type {readonly { alert: string, expr: string, minutes: number, severity: 'page' | 'ticket', summary: string, description: string }[]} */
const alerts = [
  {
    alert: 'PorticoGone',
    expr: 'absent(portico_build_info)',
    minutes: 5,
    severity: 'page',
    summary: 'No process of Portico tells its metrics.',
    description: 'Nothing answers requests or works on runs, or Prometheus does not reach MANAGEMENT_PORT.',
  },
  {
    alert: 'PorticoServerErrors',
    expr: 'sum(rate(portico_http_request_duration_seconds_count{status=~"5.."}[5m])) / sum(rate(portico_http_request_duration_seconds_count[5m])) > 0.01',
    minutes: 5,
    severity: 'page',
    summary: 'More than one request in a hundred ends with a server error.',
    description:
      'The log has the reason beside the request_id; `portico doctor` tries each dependency. 503 `busy` says that a pool is full.',
  },
  {
    alert: 'PorticoListsSlow',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(portico_http_request_duration_seconds_bucket{operation=~"list.*"}[10m]))) > 2',
    minutes: 10,
    severity: 'ticket',
    summary: 'One list in a hundred takes longer than two seconds.',
    description: 'Look at the processor of PostgreSQL and at portico_database_connections.',
  },
  {
    alert: 'PorticoRunsWait',
    expr: 'max(portico_queue_oldest_seconds) > 60',
    minutes: 5,
    severity: 'page',
    summary: 'The oldest queued run has waited for over a minute.',
    description:
      'Start more workers, or look why those that there are do not finish: portico_run_units_in_work, portico_model_step_errors_total.',
  },
  {
    alert: 'PorticoPostingWaits',
    expr: 'max(portico_posting_queue_oldest_seconds) > 3600',
    minutes: 5,
    severity: 'ticket',
    summary: 'The oldest document that the workers are to post has waited for over an hour.',
    description:
      'Its system of record is out of reach, or no worker runs: `posting.last_error` of the document says why, and portico_document_deliveries_total how deliveries end. After a day it is left to a person.',
  },
  {
    alert: 'PorticoSourcesFail',
    expr: 'max(portico_sources{state="failing"}) > 0',
    minutes: 30,
    severity: 'ticket',
    summary: 'A mailbox, folder or bucket cannot be looked at: nothing that comes to it is read.',
    description:
      '`portico sources list` and the page Sources of the console say which one and why; `portico doctor` tries each. It goes on by itself once the cause is gone.',
  },
  {
    alert: 'PorticoSourcesLate',
    expr: 'max(portico_sources_late_seconds) > 600',
    minutes: 5,
    severity: 'ticket',
    summary: 'A source has been due for a look for over ten minutes.',
    description: 'No worker runs, or those that run are busy with looks that do not end: start more workers.',
  },
  {
    alert: 'PorticoBudgetSpent',
    expr: 'max(portico_budgets{action="stop",state="spent"}) > 0',
    minutes: 1,
    severity: 'ticket',
    summary: 'A budget is spent: its agents stand still until its period ends.',
    description:
      '`portico doctor` says which one and until when. An administrator can raise its limit in the workspace file. portico_budget_refusals_total counts what is refused.',
  },
  {
    alert: 'PorticoRetentionBehind',
    expr: 'max(portico_retention_behind_seconds) > 86400',
    minutes: 60,
    severity: 'ticket',
    summary: 'What is kept no longer has not been removed to the last for over a day.',
    description:
      'The log of the server says why, if removing fails. Where there is much to remove, portico_retention_removed_total shows that it goes on; `portico retention --dry-run` counts what is left.',
  },
  {
    alert: 'PorticoCleaningUpHeldBack',
    expr: 'max by (by) (portico_database_held_back_transactions) > 1000000',
    minutes: 10,
    severity: 'ticket',
    summary: 'PostgreSQL cannot remove the dead rows of the last million transactions.',
    description:
      'Tables and indexes grow, and all becomes slower. `portico doctor` says what holds them (a transaction that was left open, a replication slot without a standby), and how to end it.',
  },
  {
    alert: 'PorticoReplicaLeftAlone',
    expr: 'sum(rate(portico_database_list_reads_total{server="replica"}[10m])) == 0 and sum(rate(portico_database_list_reads_total{server="primary"}[10m])) > 0',
    minutes: 10,
    severity: 'ticket',
    summary: 'No list is read from the replica of the database.',
    description:
      'It is away, behind, or not what DATABASE_READ_URL should name: `portico doctor` says which. The primary answers everything meanwhile.',
  },
  {
    alert: 'PorticoWorkersLost',
    expr: 'sum(increase(portico_run_takeovers_total[15m])) > 5',
    minutes: 1,
    severity: 'ticket',
    summary: 'Workers are lost while they work.',
    description:
      'Runs go on elsewhere. Look for restarts, often of memory: a worker that reads large scans needs more.',
  },
  {
    alert: 'PorticoModelsFail',
    expr: 'sum by (model) (rate(portico_model_step_errors_total{error!="stopped"}[10m])) > 0.2 * sum by (model) (rate(portico_model_step_duration_seconds_count[10m]))',
    minutes: 10,
    severity: 'ticket',
    summary: 'A model fails in more than one step of five.',
    description:
      'The label `error` has the reason: model_rate_limited, model_timeout, model_error. Runs of this model fail after MODEL_MAX_ATTEMPTS.',
  },
  {
    alert: 'PorticoDeliveriesFail',
    expr: 'sum by (outcome) (increase(portico_document_deliveries_total{outcome=~"unavailable|unknown"}[30m])) > 0',
    minutes: 15,
    severity: 'ticket',
    summary: 'Documents do not reach their system of record.',
    description:
      '`unavailable`: it cannot be reached, and is tried again. `unknown`: the answer was lost, and Portico looks whether the row is there before it tries again.',
  },
  {
    alert: 'PorticoWebhooksFail',
    expr: 'sum(rate(portico_webhook_deliveries_total{outcome!="taken"}[30m])) > 0.5 * sum(rate(portico_webhook_deliveries_total[30m]))',
    minutes: 30,
    severity: 'ticket',
    summary: 'More than half of the attempts to deliver webhooks fail.',
    description: '`portico webhooks list` names the address and its last answer.',
  },
  {
    alert: 'PorticoDatabaseBusy',
    expr: 'min_over_time(portico_database_connections{state="waiting"}[5m]) > 0',
    minutes: 5,
    severity: 'ticket',
    summary: 'Requests wait for a database connection all the time.',
    description:
      'Raise DATABASE_POOL_SIZE if PostgreSQL has connections and processor left, else make PostgreSQL larger.',
  },
  {
    alert: 'PorticoLimitsNotShared',
    expr: 'min(portico_limits_shared) == 0',
    minutes: 10,
    severity: 'ticket',
    summary: 'Rate limits are counted by each process alone.',
    description: 'Redis cannot be reached. Where there is no REDIS_URL, take this rule out.',
  },
  {
    alert: 'PorticoEventLoopSlow',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.5 and on (instance) portico_build_info',
    minutes: 10,
    severity: 'ticket',
    summary: 'A process answers late because its event loop is full.',
    description: 'Start another process of this role: each is content with one core.',
  },
];

const rules = () => ({
  groups: [
    {
      name: 'portico',
      rules: alerts.map(({ alert, expr, minutes, severity, summary, description }) => ({
        alert,
        expr,
        for: `${minutes}m`,
        labels: { severity },
        annotations: { summary, description },
      })),
    },
  ],
});

/** The metrics of ours that a text names, without what Prometheus adds to a histogram. @param {string} text */
const named = (text) =>
  [...text.matchAll(/\bportico_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''));
for (const { alert, expr, description } of alerts) {
  for (const name of named(`${expr} ${description}`)) {
    if (!known.some((metric) => metric.name === name)) throw new Error(`${alert} names ${name}, which there is not.`);
  }
}

const printed = {
  'dashboard.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
  'alerts.yaml': `# Printed by \`npm run docs\` from tools/monitoring.mjs.\n${stringify(rules(), { lineWidth: 0 })}`,
};
for (const [name, after] of Object.entries(printed)) {
  const file = path.join(folder, name);
  if (!globalThis.process.argv.includes('--check')) writeFileSync(file, after);
  else if (readFileSync(file, 'utf8') !== after) {
    console.error(`deploy/monitoring/${name} is not up to date: run \`npm run docs\`.`);
    globalThis.process.exitCode = 1;
  }
}
