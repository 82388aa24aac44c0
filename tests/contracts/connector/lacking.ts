/** What a system cannot be asked or made to do, though a contract would: its message is the name of it. */
export class Lacking extends Error {}

/** Makes those tests pending, by the name of what is lacking, that could only be run with it; a system that has everything runs them all. */
export const pendingWhereLacking = (suite: Mocha.Suite): void => {
  suite.eachTest((test) => {
    const { fn } = test;
    test.fn = async function (this: Mocha.Context) {
      try {
        await (fn as Mocha.AsyncFunc).call(this);
      } catch (error) {
        if (!(error instanceof Lacking)) throw error;
        test.title += ` (pending, for want of ${error.message})`;
        this.skip();
      }
    };
  });
};

/** For hooks, which are not tests: what cannot be asked is left. */
export const unlessLacking = async (work: () => Promise<unknown>): Promise<void> => {
  await work().catch((error: unknown) => {
    if (!(error instanceof Lacking)) throw error;
  });
};
