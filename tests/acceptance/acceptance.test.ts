import { demonstrationAlone } from './demonstration.ts';
import { acceptance } from './front-door.ts';
import { embedded } from './installations.ts';
import { given } from './platform.ts';

acceptance(given ?? embedded);
if (!given) demonstrationAlone();
