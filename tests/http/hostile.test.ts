import { composed } from '../support/composed.ts';
import { hostile } from './hostile.ts';
import { startStandIn } from './stand-in.ts';

hostile('the pipeline', (log) => startStandIn({ log }), 1500);
hostile('the composed server', (log) => composed({}, log), 500);
