// Mocha's `spec` report, the tests that failed once and why, the files that took longest, and the counts in the file that CI_COUNTS names, for the script that adds everything up.
const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { reporters, Runner } = require('mocha');

const MOST_NAMED = 40;
/** One in a thousand tests: more than that is no matter of a machine that is busy for a moment. */
const MOST_SECOND_TRIES = 10;

module.exports = class extends reporters.Spec {
  /**
   * @param {import('mocha').Runner} runner
   * @param {import('mocha').MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {string[]} */
    const pending = [];
    runner.on(Runner.constants.EVENT_TEST_PENDING, (/** @type {import('mocha').Test} */ test) =>
      pending.push(test.fullTitle()),
    );
    // Of a process that ended while it ran a file, mocha says how, but not which file.
    runner.on(
      Runner.constants.EVENT_TEST_FAIL,
      (/** @type {import('mocha').Test} */ test, /** @type {{ file?: string }} */ { file }) => {
        if (file !== undefined) test.title += ` in ${path.relative(process.cwd(), file)}`;
      },
    );
    /** @type {string[]} */
    const failedOnce = [];
    runner.on(
      Runner.constants.EVENT_TEST_RETRY,
      (/** @type {import('mocha').Test} */ test, /** @type {Error} */ { stack, message }) =>
        failedOnce.push(`${test.fullTitle()}\n${stack ?? message}`),
    );
    /** @type {Map<string, number>} */
    const tookMs = new Map();
    const took = (/** @type {{ file?: string, duration?: number }} */ { file = '', duration = 0 }) =>
      tookMs.set(file, (tookMs.get(file) ?? 0) + duration);
    runner.on(Runner.constants.EVENT_TEST_END, took).on(Runner.constants.EVENT_HOOK_END, took);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      for (const each of failedOnce) console.log(`failed once, and ran again: ${each}\n`);
      const slowest = [...tookMs].sort(([, one], [, other]) => other - one).slice(0, MOST_NAMED);
      for (const [file, ms] of slowest)
        console.log(`${Math.round(ms / 1000)} s  ${path.relative(process.cwd(), file)}`);
      const { passes, failures } = runner.stats ?? { passes: 0, failures: 1 };
      const tooMany = Math.max(0, failedOnce.length - MOST_SECOND_TRIES);
      if (tooMany > 0) console.log(`${failedOnce.length} tests failed once, of which ${MOST_SECOND_TRIES} may`);
      const counts = { passes: passes - tooMany, failures: failures + tooMany, pending };
      writeFileSync(process.env.CI_COUNTS ?? '/dev/null', JSON.stringify(counts));
    });
  }
};
