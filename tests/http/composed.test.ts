import { operations } from '../../src/adapters/http/operations.ts';
import { composed } from '../support/composed.ts';
import { conformance } from './conformance.ts';
import { limitsConformance } from './conformance-limits.ts';

/** Writing records takes a SQL Server: the connector's contract has it. */
const served = operations.filter(({ id }) => id !== 'updateRecord' && id !== 'insertRecord');

conformance('the composed server', (limits) => composed(limits), served);
limitsConformance('the composed server', (limits) => composed(limits), served);
