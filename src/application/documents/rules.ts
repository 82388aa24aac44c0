import type { AgentDefinition } from '../../domain/agent.ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isPointer } from '../../domain/json.ts';
import { schemaHas } from '../../domain/schema-parts.ts';
import type { CheckEngine } from '../ports/checks.ts';

type Ruled = Pick<AgentDefinition, 'documentSchema' | 'checks' | 'duplicateKey'>;

const MOST_CHECKS = 50;

/** What is wrong with the rules that an agent has for its documents, by paths as the workspace file has them. */
export const ruleErrors = ({ documentSchema: schema, checks, duplicateKey }: Ruled, engine: CheckEngine): readonly ValidationError[] => {
  if (schema === null) return [];
  const names = checks.map(({ name }) => name);
  const expression = (path: string, source: string | null): ValidationError[] => {
    const defect = source === null ? null : engine.defect(source, schema);
    return defect === null ? [] : [{ path, message: defect }];
  };
  return [
    ...(checks.length > MOST_CHECKS ? [{ path: 'checks', message: `must be at most ${MOST_CHECKS}` }] : []),
    ...checks
      .slice(0, MOST_CHECKS)
      .flatMap(({ name, rule, when }, index) => [
        ...(names.indexOf(name) === index ? [] : [{ path: `checks[${index}].name`, message: `is the second ${name}` }]),
        ...expression(`checks[${index}].rule`, rule),
        ...expression(`checks[${index}].when`, when),
      ]),
    ...duplicateKey.flatMap((pointer, index) => {
      const path = `duplicate_key[${index}]`;
      if (!isPointer(pointer) || pointer === '') return [{ path, message: `must be a JSON Pointer such as /total, not ${pointer}` }];
      return schemaHas(schema, pointer) ? [] : [{ path, message: `is ${pointer}, which the document_schema does not have` }];
    }),
  ];
};
