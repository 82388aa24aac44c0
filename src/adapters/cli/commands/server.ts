import { type Command, Option } from 'commander';
import { type Context, examples, type Json, withJson, withOperator } from '../command.ts';
import { roles, type ServeRole } from '../dependencies.ts';
import { exitCode } from '../failures.ts';
import { printable } from '../printable.ts';

export const serveCommand = (program: Command, { dependencies, ends }: Context) => {
  const serve = program
    .command('serve')
    .description('start the server')
    .addOption(new Option('--role <role>', 'which part of the server').choices(roles).default('all'))
    .action(async ({ role }: { role: ServeRole }) => ends(await dependencies.serve({ role })));
  examples(serve, 'portico serve', 'PORT=8080 portico serve --role api');
};

export const migrateCommand = (program: Command, context: Context) => {
  const { terminal } = context;
  const migrate = withJson(program.command('migrate').description('bring the database up to date'));
  examples(migrate, 'portico migrate').action(({ json }: Json) =>
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
  const doctor = withJson(program.command('doctor').description('check everything that the server needs'));
  examples(doctor, 'portico doctor', 'portico doctor --json').action(({ json }: Json) =>
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

interface DemoOptions extends Json {
  readonly apply?: boolean;
}

export const demoCommand = (program: Command, { dependencies, ends }: Context) => {
  const demo = withJson(program.command('demo').description('send the sample files through a running or freshly started server'))
    .option('--apply', "bring the demo's workspace up to date first, if an earlier release made it")
    .action(async ({ json = false, apply = false }: DemoOptions) => ends(await dependencies.demo({ json, apply })));
  examples(demo, 'portico demo', 'portico demo --apply');
};
