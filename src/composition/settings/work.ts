import { integer, setting } from './setting.ts';

/** Runs, turns and what they may take. */
export const work = {
  runDeadlineSeconds: setting('RUN_DEADLINE_SECONDS', integer(1, 604_800), 3600, 'A run that takes longer fails.'),
  runLeaseSeconds: setting(
    'RUN_LEASE_SECONDS',
    integer(1, 60),
    15,
    'After this long without a sign of life of its worker, another one takes a run over.',
  ),
  workerConcurrency: setting('WORKER_CONCURRENCY', integer(1, 1000), 8, 'Units of work at a time, per worker.'),
  textTimeoutSeconds: setting('TEXT_TIMEOUT_SECONDS', integer(1, 3600), 60, 'How long reading the text of one file may take.'),
  turnMaxSteps: setting('TURN_MAX_STEPS', integer(1, 200), 20, 'How often a model is asked for one answer, between its calls of tools.'),
  toolTimeoutSeconds: setting('TOOL_TIMEOUT_SECONDS', integer(1, 3600), 60, 'How long one call of a tool may take.'),
  conversationLeaseSeconds: setting(
    'CONVERSATION_LEASE_SECONDS',
    integer(1, 300),
    30,
    'After this long without a sign of life of the server that answers in it, a conversation may be continued.',
  ),
} as const;
