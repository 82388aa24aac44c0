import { parentPort } from 'node:worker_threads';
import type { JsonSchema } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { schemaChecker } from './schema-checker.ts';

/** Both as JSON: numbers keep every digit. */
export interface Validation {
  readonly schema: string;
  readonly value: string;
}

const checker = schemaChecker();

parentPort?.on('message', ({ schema, value }: Validation) => {
  parentPort?.postMessage(checker.errors(parseJson(schema) as JsonSchema, parseJson(value)));
});
parentPort?.postMessage('ready');
