import { DomainError } from '../../domain/errors.ts';
import { shown } from './nearest.ts';

/** What is told of a relation that a query reads outside of the schemas of its database. */
export const outside = ({ schema, name }: { readonly schema: string | null; readonly name: string }, schemas: readonly string[]) => {
  const relation = shown(schema === null ? name : `${schema}.${name}`);
  return new DomainError('invalid', `A query cannot read ${relation}: the schemas of this database are ${schemas.map(shown).join(', ')}.`);
};
