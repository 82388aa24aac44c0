// Mocha's `spec` report, and the counts in the file that CI_COUNTS names, for the script that adds everything up.
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const pending = [];
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => pending.push(test.fullTitle()));
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats;
      writeFileSync(process.env.CI_COUNTS, JSON.stringify({ passes, failures, pending }));
    });
  }
};
