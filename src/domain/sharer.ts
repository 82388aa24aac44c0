/** For whom work is done: a share is the user's, however many credentials they have, and then that of their workspace. */
export interface Sharer {
  readonly userId: string;
  readonly workspaceId: string;
}

/** The server's own work has a share like any other. */
export const OWN_WORK: Sharer = { userId: '', workspaceId: '' };
