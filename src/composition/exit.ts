/**
 * Whether a file system does not answer. Its call keeps a thread of this process, and `process.exit` waits for the end of all threads: only the
 * kernel ends such a process.
 */
const owesAnswer = () => process.getActiveResourcesInfo().includes('FSReqPromise');

export const endUnanswered = (say: (message: string) => void): void => {
  if (!owesAnswer()) return;
  say('a file system does not answer: the process ends by force, and does not wait for it');
  process.kill(process.pid, 'SIGKILL');
};
