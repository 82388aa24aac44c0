import { type Command, Option } from 'commander';
import { type Context, examples } from '../command.ts';
import { roles, type ServeRole } from '../dependencies.ts';

export const serveCommand = (program: Command, { dependencies, ends }: Context) => {
  const serve = program
    .command('serve')
    .description('start the server')
    .addOption(new Option('--role <role>', 'which part of the server').choices(roles).default('all'))
    .action(async ({ role }: { role: ServeRole }) => ends(await dependencies.serve({ role })));
  examples(serve, 'portico serve', 'PORT=8080 portico serve --role api');
};
