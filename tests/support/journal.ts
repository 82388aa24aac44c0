/** What a journal answers where no budget stops the agent. */
export const unlimited = {
  isLimited: () => false,
  reserve: () => {
    throw new Error('there is nothing to reserve');
  },
};
