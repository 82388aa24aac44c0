import { installedMariadb } from '../support/mariadb.ts';
import { mysqlOn } from './connectors-mysql.ts';

describe(`MySQL connectors on ${installedMariadb.name}`, () => mysqlOn(installedMariadb));
