import { parentPort } from 'node:worker_threads';
import type { JsonSchema } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { ajvSchemas } from './schemas.ts';

/** Both as JSON: numbers keep every digit. */
export interface Validation {
  readonly schema: string;
  readonly value: string;
}

export const CHECK_SECONDS = 2;

const schemas = ajvSchemas({ checkMs: CHECK_SECONDS * 1000 });

parentPort?.on('message', ({ schema, value }: Validation) => {
  parentPort?.postMessage(schemas.errors(parseJson(schema) as JsonSchema, parseJson(value)));
});
parentPort?.postMessage('ready');
