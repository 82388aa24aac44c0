import { conformance } from './conformance.ts';
import { limitsConformance } from './conformance-limits.ts';
import { standIn } from './stand-in.ts';

conformance('the pipeline', standIn);
limitsConformance('the pipeline', standIn);
