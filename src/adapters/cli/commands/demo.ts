import type { Command } from 'commander';
import { type Context, examples, withJson } from '../command.ts';

export const demoCommand = (program: Command, { dependencies, ends }: Context) => {
  const demo = withJson(program.command('demo').description('send the sample files through a running or freshly started server'));
  examples(demo, 'portico demo').action(async ({ json = false }: { json?: boolean }) => ends(await dependencies.demo({ json })));
};
