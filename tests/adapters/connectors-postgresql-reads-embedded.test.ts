import { unsharedPostgres } from '../support/backends.ts';
import { readsOn } from './connectors-postgresql-reads.ts';

describe(`PostgreSQL connectors on ${unsharedPostgres.embedded.name}`, () => readsOn(unsharedPostgres.embedded));
