import { type Command, Option } from 'commander';
import { type Context, examples, interruptible, type Json, resultCommand, withOperator } from '../command.ts';
import { roles, type ServeRole } from '../dependencies.ts';
import { exitCode } from '../failures.ts';
import { printable } from '../printable.ts';

export const serveCommand = (program: Command, { dependencies, ends }: Context) => {
  const serve = program
    .command('serve')
    .description('start the server')
    .addOption(new Option('--role <role>', 'which part of the server').choices(roles).default('all'))
    .action(async ({ role }: { role: ServeRole }) => ends(await dependencies.serve({ role })));
  examples(serve, ['portico serve', 'PORT=8080 portico serve --role api']);
};

export const migrateCommand = (program: Command, context: Context) => {
  const { terminal } = context;
  resultCommand(program, 'migrate', 'bring the database up to date', ['portico migrate']).action(({ json }: Json) =>
    withOperator(context, async (operator) => {
      const { applied } = await operator.migrate();
      if (json) return terminal.json({ applied });
      for (const name of applied) terminal.out(`applied ${printable(name)}`);
      if (applied.length === 0) terminal.out('The database is up to date.');
    }),
  );
};

export const doctorCommand = (program: Command, context: Context) => {
  const { terminal, ends } = context;
  const lines = ['portico doctor', 'portico doctor --json'];
  resultCommand(program, 'doctor', 'check everything that the server needs', lines).action(({ json }: Json) =>
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

export const demoCommand = (program: Command, context: Context) => {
  const demo = program
    .command('demo')
    .description('send the sample files through a running or freshly started server')
    .option('--apply', "bring the demo's workspace up to date first, if an earlier release made it")
    .action(async ({ apply = false }: { apply?: boolean }) =>
      context.ends(
        await interruptible(
          context,
          (signal) => context.dependencies.demo({ apply }, signal),
          'Interrupted: what was sent so far is kept, and the next demo begins anew.',
        ),
      ),
    );
  examples(demo, ['portico demo', 'portico demo --apply']);
};
