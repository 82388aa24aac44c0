import { composed } from '../support/composed.ts';
import { conformance } from './conformance.ts';
import { limitsConformance } from './conformance-limits.ts';

conformance('the composed server', (limits) => composed(limits));
limitsConformance('the composed server', (limits) => composed(limits));
