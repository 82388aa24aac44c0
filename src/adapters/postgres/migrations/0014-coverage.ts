/** How much of its files a document was extracted from: not known of those from before. */
export const sql = 'alter table documents add column coverage json';
