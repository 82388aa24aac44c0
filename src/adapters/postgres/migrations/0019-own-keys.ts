import { Migration } from '@mikro-orm/migrations';

/** Users see their own keys, and recognise each by how it begins. */
const keys = `
alter table api_keys add column prefix text;
create index api_keys_of_user on api_keys (user_id, created_at desc, id desc) where revoked_at is null;
`;

export class OwnKeys extends Migration {
  override up() {
    this.addSql(keys);
  }
}
