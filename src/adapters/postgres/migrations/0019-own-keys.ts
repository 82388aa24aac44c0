/** Users see their own keys, and recognise each by how it begins. */
export const sql = `
alter table api_keys add column prefix text;
create index api_keys_of_user on api_keys (user_id, created_at desc, id desc) where revoked_at is null;
`;
