import type { Command } from 'commander';
import { type Context, examples, withJson, withOperator } from '../command.ts';
import { exitCode } from '../failures.ts';

export const doctorCommand = (program: Command, context: Context) => {
  const { terminal, ends } = context;
  const doctor = withJson(program.command('doctor').description('check everything that the server needs'));
  examples(doctor, 'portico doctor', 'portico doctor --json').action(({ json }: { json?: boolean }) =>
    withOperator(context, async (operator) => {
      const checks = await operator.doctor();
      const failed = checks.filter(({ status }) => status === 'fail').length;
      if (failed > 0) ends(exitCode.failed);
      if (json) return terminal.json({ checks });
      terminal.table(
        ['STATUS', 'CHECK', 'DETAIL'],
        checks.map(({ status, name, detail }) => [status, name, detail]),
      );
      terminal.out(failed === 0 ? 'Nothing is wrong.' : `${failed} of ${checks.length} checks failed.`);
    }),
  );
};
