/** Whether a user sees a row of their workspace: the row names its users, or is there for all of them. */
export const isSeenBy = (user: string, row: string) =>
  `(${row}.visible_to is null or ${user} = any (${row}.visible_to))`;

/** Whether an agent or connection is there for a viewer: what is not visible does not exist. */
export const visible = (row: string, workspace = '$1', user = '$2') =>
  `${row}.workspace_id = ${workspace} and ${row}.removed_at is null and ${isSeenBy(user, row)}`;
