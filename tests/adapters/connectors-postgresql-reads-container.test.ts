import { unsharedPostgres } from '../support/backends.ts';
import { readsOn } from './connectors-postgresql-reads.ts';

describe(`PostgreSQL connectors on ${unsharedPostgres.container.name}`, () => readsOn(unsharedPostgres.container));
