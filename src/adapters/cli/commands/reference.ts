import type { Command } from 'commander';
import { type Context, withJson } from '../command.ts';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

/** A table in Markdown, as the documentation shows it. */
const table = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  [header, header.map(() => '-'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`);

/** The tables of the documentation, printed from the lists that the program itself works by. */
export const referenceCommands = (program: Command, { dependencies, terminal }: Context) => {
  withJson(program.command('settings').description('print the settings as a Markdown table')).action(
    ({ json }: { json?: boolean }) => {
      const { settings } = dependencies;
      if (json)
        return terminal.json({
          settings: settings.map(({ env, fallback, about }) => ({ env, default: fallback, about })),
        });
      const rows = settings.map(({ env, fallback, about }) => [
        `\`${env}\``,
        fallback === null ? '' : `\`${fallback}\``,
        about,
      ]);
      for (const line of table(['Variable', 'Default', 'What it sets'], rows)) terminal.out(line);
    },
  );
  withJson(program.command('operations').description('print the operations of the API as a Markdown table')).action(
    async ({ json }: { json?: boolean }) => {
      const operations = await dependencies.operations();
      if (json) return terminal.json({ operations });
      const rows = operations.map(({ method, path, summary, access }) => [
        `\`${method.toUpperCase()} ${path}\``,
        summary,
        access,
      ]);
      for (const line of table(['Operation', 'What it does', 'Scope'], rows)) terminal.out(line);
    },
  );
};
