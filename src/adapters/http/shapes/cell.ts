import * as t from 'io-ts';
import type { Cell } from '../../../application/ports/connectors.ts';
import { isNumber, type JsonNumber } from '../../../domain/json-number.ts';
import type { Codec } from '../codecs.ts';
import { documented } from '../json-schema.ts';
import { mustBe } from '../validation-errors.ts';

const scalarOf = <A extends Cell>(types: readonly string[], expected: string, is: (value: unknown) => value is A): Codec<A> =>
  documented(
    new t.Type<A, unknown, unknown>(
      expected,
      is,
      (value, context) => (is(value) ? t.success(value) : t.failure(value, context, mustBe(expected, value))),
      t.identity,
    ),
    () => ({ type: types }),
  );

const isKey = (value: unknown): value is string | JsonNumber => typeof value === 'string' || isNumber(value);
const isCell = (value: unknown): value is Cell => value === null || typeof value === 'boolean' || isKey(value);

/** What a column is set to. */
export const cell = scalarOf(['string', 'number', 'boolean', 'null'], 'a string, a number, a boolean or null', isCell);

/** What a row is found by. */
export const keyValue = scalarOf(['string', 'number'], 'a string or a number', isKey);
