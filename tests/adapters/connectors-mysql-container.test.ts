import { containerMariadb } from '../support/mariadb.ts';
import { mysqlOn } from './connectors-mysql.ts';

describe(`MySQL connectors on ${containerMariadb.name}`, () => mysqlOn(containerMariadb));
