import type { AgentDefinition } from '../../domain/agent.ts';
import { mapDefect } from '../../domain/e-invoice/mapping.ts';
import { errorAt, type ValidationError } from '../../domain/errors.ts';
import { isPointer } from '../../domain/json.ts';
import { MOST_COLUMNS, mayBeScalar } from '../../domain/list-columns.ts';
import { schemaHas } from '../../domain/schema-parts.ts';
import type { CheckEngine } from '../ports/checks.ts';

type Ruled = Pick<AgentDefinition, 'documentSchema' | 'checks' | 'duplicateKey' | 'requiredValues' | 'einvoice'> & {
  readonly listColumns: readonly string[] | null;
};

const MOST_CHECKS = 50;

/** What is wrong with the rules that an agent has for its documents, by paths as the workspace file has them. */
export const ruleErrors = (agent: Ruled, engine: CheckEngine): readonly ValidationError[] => {
  const { documentSchema: schema, checks, duplicateKey, requiredValues, einvoice, listColumns } = agent;
  const map = einvoice === null || einvoice === 'off' ? {} : einvoice.map;
  if (schema === null) return [];
  const names = checks.map(({ name }) => name);
  const pointerDefect = (pointer: string) => {
    if (!isPointer(pointer) || pointer === '') return `must be a JSON Pointer such as /total, not ${pointer}`;
    return schemaHas(schema, pointer) ? null : `is ${pointer}, which the document_schema does not have`;
  };
  const columnDefect = (pointer: string) =>
    pointerDefect(pointer) ??
    (mayBeScalar(schema, pointer) ? null : `is ${pointer}, which is an object or a list: a column has one value`);
  const columns = listColumns ?? [];
  return [
    ...errorAt('checks', checks.length > MOST_CHECKS ? `must be at most ${MOST_CHECKS}` : null),
    ...checks
      .slice(0, MOST_CHECKS)
      .flatMap(({ name, rule, when }, index) => [
        ...errorAt(`checks[${index}].name`, names.indexOf(name) === index ? null : `is the second ${name}`),
        ...errorAt(`checks[${index}].rule`, engine.defect(rule, schema)),
        ...errorAt(`checks[${index}].when`, when === null ? null : engine.defect(when, schema)),
      ]),
    ...duplicateKey.flatMap((pointer, index) => errorAt(`duplicate_key[${index}]`, pointerDefect(pointer))),
    ...(requiredValues ?? []).flatMap((pointer, index) => errorAt(`required_values[${index}]`, pointerDefect(pointer))),
    ...errorAt('list_columns', columns.length > MOST_COLUMNS ? `must be at most ${MOST_COLUMNS}` : null),
    ...columns.flatMap((pointer, index) =>
      errorAt(
        `list_columns[${index}]`,
        columns.indexOf(pointer) === index ? columnDefect(pointer) : `is the second ${pointer}`,
      ),
    ),
    ...Object.entries(map).flatMap(([pointer, term]) =>
      errorAt(`einvoice.map["${pointer}"]`, mapDefect(map, pointer, term, schema)),
    ),
  ];
};
