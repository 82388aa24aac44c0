/** Which password a session or a token was begun with: a new one ends them, those too that are being saved at that moment. */
export const sql = 'alter table users add column password_version integer not null default 0';
