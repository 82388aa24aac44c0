import { Migration } from '@mikro-orm/migrations';

/** How much of its files a document was extracted from: not known of those from before. */
export class Coverage extends Migration {
  override up() {
    this.addSql('alter table documents add column coverage json');
  }
}
