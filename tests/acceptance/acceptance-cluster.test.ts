import { cluster } from './cluster.ts';
import { acceptance } from './front-door.ts';
import { given } from './platform.ts';

if (!given) acceptance(cluster);
