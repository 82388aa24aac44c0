import { expect } from 'chai';
import { attacksContract } from './connector/attacks.ts';
import { catalogueContract } from './connector/catalogue.ts';
import { examinationContract } from './connector/examination.ts';
import type { ConnectorHarness, Dialect } from './connector/harness.ts';
import { hostileContract } from './connector/hostile.ts';
import { outagesContract } from './connector/outages.ts';
import { queryContract } from './connector/query.ts';
import { recordsContract } from './connector/records.ts';
import { rowsContract } from './connector/rows.ts';
import { stoppingContract } from './connector/stopping.ts';
import { suiteOf } from './connector/suite.ts';
import { valuesContract } from './connector/values.ts';
import { writerContract } from './connector/writer.ts';

/** Every Connector passes this, or it is not one. Deliveries are held to the contract of systems of record besides. */
export const connectorContract = (dialect: Dialect, harness: () => ConnectorHarness) => {
  const suite = suiteOf(dialect, harness);
  describe('the catalogue', () => catalogueContract(suite));
  describe('records', () => recordsContract(suite));
  describe('rows of a table', () => rowsContract(suite));
  describe('values', () => valuesContract(suite));
  describe('hostile input', () => hostileContract(suite));
  describe('a query', () => queryContract(suite));
  describe('a query that is an attack', () => attacksContract(suite));
  describe('stopping', () => stoppingContract(suite));
  describe('a system that cannot be reached', () => outagesContract(suite));
  describe('an examination', () => examinationContract(suite));
  if (dialect.writes) describe('the writer', () => writerContract(suite));
  else it('takes no writes', () => expect(suite.connector().writer).to.equal(undefined));
};
