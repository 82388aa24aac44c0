// Mocha's `spec` report, and the counts in the file that CI_COUNTS names, for the script that adds everything up.
const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { reporters, Runner } = require('mocha');

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
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats ?? { passes: 0, failures: 1 };
      writeFileSync(process.env.CI_COUNTS ?? '/dev/null', JSON.stringify({ passes, failures, pending }));
    });
  }
};
