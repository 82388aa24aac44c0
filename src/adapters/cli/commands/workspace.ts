import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand } from '../command.ts';
import { CliFailure } from '../failures.ts';
import { json as jsonText, printable } from '../printable.ts';

/** Written beside the file, so that editors find it wherever Portico runs. */
const SCHEMA = 'workspace.schema.json';

/** A workspace with one agent. Lines that begin with `#|` write its documents to a table. */
const template = `# yaml-language-server: $schema=./${SCHEMA}
# A workspace with an agent of your own. Make it so:  npx portico apply -f workspace.yaml
# Every field there is: docs/workspace.md

workspace: my-workspace

# Who may use it. Applying the file makes the user; portico keys create --user makes a key.
users:
  - { email: me@example.com, name: Me, role: admin }

# Lines that begin with "#|" write each document to a table of yours. Take the "#|" and the space away once there is one.
# \${MY_DATABASE_URL} is taken from the environment: no secret has to stand here.
#| connections:
#|   - { name: my database, type: postgresql, url: "\${MY_DATABASE_URL}" }
#| databases:
#|   - { id: mine, name: Mine, connection: my database }

agents:
  - name: My reader
    description: Reads bills
    workflow_type: document_extraction
    model: offline                 # no language model: it reads "Label: value" lines. Else openai/<model> or anthropic/<model>
    instructions: |
      Read the bill. The supplier is who sent it. Dates are days, amounts have no currency sign.
    # The form of a document, a JSON Schema. A value that the text does not have is null.
    document_schema:
      type: object
      properties:
        supplier: { type: [string, "null"], title: Supplier }
        bill_date: { type: [string, "null"], format: date, title: Bill date }
        total: { type: [number, "null"], title: Total }
      required: [supplier, bill_date, total]
      additionalProperties: false
#|     system_of_record:
#|       connection: my database
#|       entity: public.bills
#|       columns: { supplier: /supplier, bill_date: /bill_date, total: /total }
#|       document_id_column: document_id   # a unique column, so that a document is written once
`;

const write = (file: string, text: string, flag: 'w' | 'wx') =>
  writeFile(file, text, { flag }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CliFailure(`${file} is there already: it stays as it is`);
    const reason = error.code === 'ENOENT' ? 'there is no such folder' : (error.code ?? error.message);
    throw new CliFailure(`${file} cannot be written: ${reason}`);
  });

const init = async ({ dependencies, terminal }: Context, file: string, { json }: Json) => {
  const schema = path.join(path.dirname(file), SCHEMA);
  await write(file, template, 'wx');
  // It is generated: one that is there is of another version.
  await write(schema, `${jsonText((await dependencies.openWorkspaceFiles()).schema)}\n`, 'w');
  if (json) return terminal.json({ file, schema });
  terminal.out(
    `${printable(file)} describes a workspace with one agent. Make it so: portico apply -f ${printable(file)}`,
  );
  terminal.out(`Editors complete and check it by ${printable(schema)}.`);
};

export const initCommand = (program: Command, context: Context) => {
  const lines = ['portico init', 'portico init acme.yaml'];
  resultCommand(program, 'init', 'write a workspace file to begin with, and its JSON Schema for editors', lines)
    .argument('[file]', 'where to; a file that is there stays as it is', 'workspace.yaml')
    .action(inContext(context, init));
};

export const workspaceCommands = (program: Command, { dependencies, terminal }: Context) => {
  const workspace = program.command('workspace').description('the workspace file');
  const lines = ['portico workspace schema > workspace.schema.json'];
  resultCommand(workspace, 'schema', 'print the JSON Schema of the file, for editors', lines).action(async () =>
    terminal.json((await dependencies.openWorkspaceFiles()).schema),
  );
};
