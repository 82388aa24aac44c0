import type { ValidationError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json.ts';
import { readTool } from '../../domain/tool.ts';
import type { SchemaValidator } from '../ports/schemas.ts';
import { schemaDefect, templateDefect } from './http-tools.ts';

/** What a file's tools may name. */
export interface Nameable {
  readonly connections: Pick<ReadonlySet<string>, 'has'>;
  readonly databases: Pick<ReadonlySet<string>, 'has'>;
  readonly agents: Pick<ReadonlySet<string>, 'has'>;
}

const unknown = (path: string, kind: keyof Nameable, name: string, { [kind]: names }: Nameable): ValidationError[] =>
  names.has(name) ? [] : [{ path: `${path}.${kind.slice(0, -1)}`, message: `names ${name}, which is not among the ${kind}` }];

const errorsOf = (path: string, declared: JsonValue, names: Nameable, schemas: SchemaValidator): ValidationError[] => {
  const tool = readTool(declared);
  if (typeof tool === 'string') return [{ path, message: tool }];
  switch (tool.kind) {
    case 'connection':
      return unknown(path, 'connections', tool.connection, names);
    case 'database':
      return unknown(path, 'databases', tool.database, names);
    case 'agent':
      return unknown(path, 'agents', tool.agent, names);
    case 'http': {
      const schema = schemaDefect(tool.http, schemas);
      if (schema !== null) return [{ path: `${path}.http.input_schema`, message: schema }];
      const template = templateDefect(tool.http);
      return template === null ? [] : [{ path: `${path}.http`, message: template }];
    }
    default:
      return [];
  }
};

/** What is wrong with an agent's tools: names of nothing, and calls that could never be made. */
export const toolErrors = (
  path: string,
  tools: readonly JsonValue[],
  names: Nameable,
  schemas: SchemaValidator,
): readonly ValidationError[] => tools.flatMap((tool, index) => errorsOf(`${path}.tools[${index}]`, tool, names, schemas));
